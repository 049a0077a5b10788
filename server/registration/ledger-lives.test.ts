import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LedgerLife } from '#server/testing/ledger-life.ts';
import { createRandom } from '#server/testing/random.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import {
  allocate,
  askedCents,
  byCardOf,
  freeSurplus,
  inForce,
  isPaidByCard,
  type Ledger,
  LedgerRefusal,
  owedOf,
  sumOfCents,
  sumOfFees,
  surplusOf,
  toLeave,
} from './registration.ts';

/** More of them ran before the old derivation of money went; a fault that one finds becomes a case in ledger.test.ts. */
const LIVES = 300;
const STEPS = 32;
const DAY_MS = 24 * 60 * 60 * 1000;
const { chargeAt, refundsEndAt } = edition.facts.balance;
const DUE = new Date(chargeAt);
const { balanceBeforeFeeCents: BALANCE } = edition.facts.prices;

/** What a life's Stripe has: of each payment, how much is left to refund, and in dispute. */
interface Account {
  moved: number;
  left: Map<string, number>;
  disputed: Map<string, number>;
}

/** What holds after each step. */
function assertSound({ ledger }: LedgerLife, { moved, left }: Account): void {
  const { left: open, surplusCents, withoutNumberCents } = allocate(ledger);
  const owed = owedOf(ledger);
  const sum = [...open.values()].reduce((all, cents) => all + cents, withoutNumberCents);
  assert.equal(sum, owed, 'the sum of what is left is what is owed');
  assert.equal(
    owed - surplusCents,
    askedCents(ledger) - sumOfCents(ledger.entries),
    'owed is what is asked less what came',
  );
  assert.ok(owed === 0 || surplusCents === 0, 'nobody owes while she has paid too much');
  const claimed = sumOfCents(toLeave(ledger, ['claimed']));
  assert.ok(
    sumOfCents(toLeave(ledger, ['ordered'])) <= Math.max(0, surplusCents - claimed),
    'no more is ordered than the surplus',
  );
  assert.equal(sumOfCents(ledger.entries) + sumOfFees(ledger.entries), moved, 'the entries are what moved');
  for (const [payment, cents] of left) assert.ok(cents >= 0, `more went back than ${payment}`);
  const numbers = inForce(ledger).map(({ number }) => number);
  assert.equal(new Set(numbers).size, numbers.length, 'one row a number');
  for (const { cents, cardFeeCents } of inForce(ledger)) assert.ok(cents >= 0 && cardFeeCents >= 0);
}

function liveOnce(seed: number): void {
  const random = createRandom(seed);
  const cents = (most: number) => 1 + Math.floor(random() * most);
  const any = <One>(some: readonly One[]): One | undefined => some[Math.floor(random() * some.length)];
  const life = new LedgerLife();
  const account: Account = { moved: 0, left: new Map(), disputed: new Map() };
  const charges: { consent: string | null; cents: number }[] = [];
  const log: string[] = [];
  let payments = 0;
  /** Undefined where the ledger refuses it, which changes nothing. */
  const step = (name: string, act: () => unknown, moves = 0): true | undefined => {
    const before = life.ledger;
    try {
      act();
    } catch (error) {
      if (!(error instanceof LedgerRefusal)) throw error;
      assert.equal(life.ledger, before, 'a refusal changes nothing');
      return undefined;
    }
    account.moved += moves;
    log.push(`${life.now.toISOString()} ${name}`);
    assertSound(life, account);
    return true;
  };
  const pay = (number: number, amount: { cents: number; feeCents: number }) => {
    payments += 1;
    const payment = `pi_${payments}`;
    const total = amount.cents + amount.feeCents;
    account.left.set(payment, total);
    step(`card ${number} ${total}`, () => life.card(number, amount.cents, amount.feeCents, payment), total);
  };
  const leave = (payment: string | null, signed: number) => {
    if (payment !== null) account.left.set(payment, (account.left.get(payment) ?? 0) + signed);
  };
  const settle = ({ id, payment, cents: sum, feeCents, way }: Ledger['payouts'][number]) => {
    const total = sum + feeCents;
    // Stripe refuses what is no longer there.
    if (way === 'card' && (account.left.get(payment ?? '') ?? 0) < total)
      return step('refused', () => life.fail(id));
    leave(payment, -total);
    return step('sent', () => life.sent(id), -total);
  };
  const steps: Readonly<Record<string, () => unknown>> = {
    consent: () => step('consent', life.consent),
    charge() {
      for (const { number, agreedIn, dueAt } of inForce(life.ledger)) {
        const amount = byCardOf(life.ledger, number);
        const isDue = number > 0 && agreedIn !== null && dueAt <= life.now && amount.cents >= 50;
        const isOpen =
          !life.context().cancelled &&
          allocate(life.ledger).left.get(0) === 0 &&
          !isPaidByCard(life.ledger, number);
        if (!isDue || !isOpen) continue;
        const agreed = life.ledger.installments.filter((row) => row.madeBy === agreedIn && row.number > 0);
        const by = sumOfCents(agreed.filter((row) => row.dueAt <= life.now));
        const charged = sumOfCents(charges.filter(({ consent }) => consent === agreedIn));
        assert.ok(amount.cents + charged <= by, `${number} would be charged beyond her consent`);
        life.trying.push(number);
        if (random() < 0.3) any([steps.cancel, steps.waive, steps.byHand, steps.check])?.();
        life.trying.pop();
        if (random() >= 0.7) return;
        charges.push({ consent: agreedIn, cents: amount.cents });
        pay(number, amount);
        return;
      }
    },
    hers() {
      const row = any(inForce(life.ledger));
      const amount = row && byCardOf(life.ledger, row.number);
      if (row && amount && amount.cents >= 50) pay(row.number, amount);
    },
    check() {
      const sum = random() < 0.6 ? owedOf(life.ledger) || BALANCE : cents(90_000);
      step(`check ${sum}`, () => life.check(sum, new Date(life.now.getTime() - cents(5) * DAY_MS)), sum);
    },
    bounce() {
      const reversed = new Set(life.ledger.entries.map(({ reverses }) => reverses));
      const check = any(life.ledger.entries.filter(({ id, kind }) => kind === 'check' && !reversed.has(id)));
      if (check) step(`bounce ${check.id}`, () => life.bounce(check.id), -check.cents);
    },
    plan: () =>
      step('plan', () =>
        life.plan(
          ...[0, 14, 28].slice(0, 1 + cents(2)).map((days) => new Date(DUE.getTime() + days * DAY_MS)),
        ),
      ),
    agree: () => life.acts.some(({ kind }) => kind === 'plan') && step('agree', life.agreeToPlan),
    endPlan: () =>
      life.acts.some(({ kind }) => kind === 'plan') && step('end plan', () => life.withdraw('plan')),
    handOver: () => !life.context().cancelled && step('hand over', () => life.act('handed-over')),
    postpone: () =>
      !life.context().cancelled &&
      step('postpone', () =>
        life.decide('postponed', { until: new Date(life.now.getTime() + cents(40) * DAY_MS) }),
      ),
    waive: () =>
      !life.context().cancelled &&
      step('waive', () =>
        life.decide('waived', { cents: any([10_000, 30_000, 69_980, 70_000, 90_000]) ?? 0 }),
      ),
    unwaive() {
      const { cancelled } = life.context();
      if (!cancelled && hasInForce(life, 'waived')) step('withdraw waiver', () => life.withdraw('waived'));
    },
    exception: () =>
      step('exception', () =>
        life.decide('refund', {
          cents: random() < 0.5 ? Math.max(0, freeSurplus(life.ledger)) || 1_000 : cents(40_000),
          reason: 'one',
        }),
      ),
    sendCheck() {
      const sum =
        Math.max(0, freeSurplus(life.ledger)) +
        sumOfCents(toLeave(life.ledger).filter(({ way }) => way === 'check'));
      if (sum > 0)
        step(`check to her ${sum}`, () => life.decide('checkSent', { cents: sum, sentAt: life.now }), -sum);
    },
    cancel() {
      if (life.context().cancelled) return;
      const writtenAt = random() < 0.3 ? new Date(life.now.getTime() - cents(3 * DAY_MS)) : life.now;
      const before = JSON.stringify(
        inForce(life.ledger).map(({ number, cents: sum, dueAt }) => [number, sum, dueAt]),
      );
      if (!step('cancel', () => life.cancel(writtenAt)) || random() < 0.7) return;
      step('undo', () => life.withdraw('cancel'));
      assert.equal(
        JSON.stringify(inForce(life.ledger).map(({ number, cents: sum, dueAt }) => [number, sum, dueAt])),
        before,
        'undo restores',
      );
    },
    orderBack: () =>
      life.context().cancelled && !life.isDisputed && step('order back', () => life.orderBack()),
    byHand() {
      const [payment = '', rest = 0] = any([...account.left]) ?? [];
      if (rest <= 0) return;
      const sum = random() < 0.4 ? rest : cents(rest);
      leave(payment, -sum);
      step(`refund by hand ${sum}`, () => life.refundByHand(payment, sum), -sum);
    },
    dispute() {
      const [payment = '', rest = 0] = any([...account.left]) ?? [];
      if (rest <= 0 || account.disputed.has(payment)) return;
      const sum = random() < 0.6 ? rest : cents(rest);
      account.disputed.set(payment, sum);
      step(`dispute ${sum}`, () => life.dispute(payment, -sum), -sum);
    },
    reinstate() {
      const [payment = '', sum = 0] = any([...account.disputed]) ?? [];
      if (sum === 0) return;
      account.disputed.set(payment, 0);
      step(`reinstated ${sum}`, () => life.dispute(payment, sum), sum);
    },
    claim() {
      const one = any(toLeave(life.ledger, ['ordered']));
      if (one) step('claim', () => life.claim(one.id));
    },
    send() {
      const one = any(toLeave(life.ledger, ['claimed']));
      if (one) settle(one);
    },
    fail() {
      const one = any(life.payouts('claimed', 'sent'));
      if (!one) return;
      const total = one.state === 'sent' ? one.cents + one.feeCents : 0;
      leave(one.payment, total);
      step('failed', () => life.fail(one.id), total);
    },
  };
  try {
    steps.consent?.();
    if (random() < 0.9) pay(0, byCardOf(life.ledger, 0));
    const often = ['charge', 'charge', 'hers', 'claim', 'send', 'orderBack', 'check'];
    const names = [...Object.keys(steps), ...often];
    for (let count = 0; count < STEPS; count += 1) {
      life.now = new Date(life.now.getTime() + cents(5 * DAY_MS));
      steps[any(names) ?? '']?.();
    }
    for (let round = 0; round < 12; round += 1) {
      for (const one of toLeave(life.ledger, ['ordered'])) step('claim', () => life.claim(one.id));
      for (const one of toLeave(life.ledger, ['claimed'])) settle(one);
      if (freeSurplus(life.ledger) <= 0) continue;
      if (life.context().cancelled) steps.orderBack?.();
      else steps.sendCheck?.();
    }
    const states = new Set(life.ledger.payouts.map(({ state }) => state));
    assert.ok(!states.has('ordered') && !states.has('claimed'), 'every order has a way out');
    assert.equal(surplusOf(life.ledger), 0, 'what was paid beyond goes back');
  } catch (error) {
    throw new Error(`life ${seed}:\n${log.join('\n')}`, { cause: error });
  }
}

function hasInForce({ acts }: LedgerLife, kind: string): boolean {
  const last = acts.findLast((act) => act.kind === kind);
  return last !== undefined && !acts.some(({ undoes }) => undoes === last.id);
}

test(`in ${LIVES} lives by chance every cent is explained, none is charged beyond a consent, and every payout ends`, () => {
  assert.ok(DUE < new Date(refundsEndAt));
  for (let seed = 1; seed <= LIVES; seed += 1) liveOnce(seed);
});
