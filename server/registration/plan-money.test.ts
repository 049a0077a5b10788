import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { editionWithoutFee } from '#server/testing/test-editions.ts';
import { balance, checkOf, recordWith, refund } from '#server/testing/test-registrations.ts';
import { edition as tested } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { cardFeeCents } from '#shared/money.ts';
import { leftToRefund, refundAt } from './cancel-plan.ts';
import { balanceTermsOf } from './card-on-file.ts';
import { agreedPartsOf, isPlanAgreed } from './charge-plan.ts';
import {
  afterChange,
  askedAgain,
  balanceOfRecord,
  balancesOf,
  depositLeftOf,
  isRestByCheck,
  leftToPay,
  paidBalances,
  partNumber,
  partsOf,
  surplusOf,
} from './owed.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { givenBackOf, owedByCheck, surplusLeft } from './registration-state.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BEGINS = Date.parse('2025-12-02T01:00:00Z');
const act = (at: Date) => ({ at, by: 'Anna' });

/** What happens to a registration on one day; `share` of 0 to 1 says how much of what is possible. */
interface Event {
  what: keyof typeof happenings;
  share: number;
}

type Happening = (record: RegistrationRecord, now: Date, share: number) => RegistrationRecord;

const withDecisions = (record: RegistrationRecord, decisions: Partial<RegistrationRecord['decisions']>) =>
  afterChange({ ...record, decisions: { ...record.decisions, ...decisions } });

/** The next part that is asked for is paid by card, or the whole balance. */
const pay: Happening = (record, now) => {
  const { byCardCents: cents, beforeFeeCents } = balanceOfRecord(record);
  if (beforeFeeCents === 0 || record.decisions.check || record.balance?.status === 'paid') return record;
  const part = partNumber(record);
  const paid = balance({ id: `pi_${now.getTime()}`, status: 'paid', cents, beforeFeeCents, paidAt: now });
  const otherBalances = [...balancesOf(record), { ...paid, ...(part > 0 && { part }) }];
  const { balance: _, ...rest } = record;
  return afterChange({ ...rest, otherBalances });
};

const happenings = {
  pay,
  /** The office divides what is left in two or three parts. */
  plan(record, now, share) {
    const { beforeFeeCents: left } = leftToPay(record);
    if (left < 3 || record.decisions.check) return record;
    const numbers = [0, ...balancesOf(record).map(({ part = 0 }) => part)];
    const [first, next] = [Math.ceil(left * share * 0.9) || 1, Math.max(...numbers) + 1];
    const kept = partsOf(record).flatMap(({ part, balance: of }) =>
      part && of?.status === 'paid'
        ? [{ number: part.number, cents: of.beforeFeeCents, dueAt: part.dueAt }]
        : [],
    );
    const dueAt = (days: number) => new Date(now.getTime() + days * DAY_MS);
    const parts = [
      ...kept,
      { number: next, cents: first, dueAt: dueAt(5) },
      { number: next + 1, cents: left - first, dueAt: dueAt(9) },
    ];
    return withDecisions(record, { plan: { ...act(now), parts } });
  },
  agree(record, now) {
    const { plan } = record.decisions;
    return plan
      ? withDecisions(record, { planAgreed: { ...act(now), parts: agreedPartsOf(record) } })
      : record;
  },
  endPlan: (record) => {
    const { plan: _, ...decisions } = record.decisions;
    return afterChange({ ...record, decisions });
  },
  waive: (record, now, share) =>
    withDecisions(record, { waived: { ...act(now), cents: Math.round(70_000 * share) } }),
  receive(record, now, share) {
    const one = checkOf(1 + Math.round(80_000 * share), now, { id: `check of ${now.toISOString()}` });
    const received = { ...record.received, counting: [...record.received.counting, one] };
    return afterChange({ ...record, received });
  },
  bounce(record, now) {
    const { counting, takenBack } = record.received;
    const [payment, ...others] = counting;
    if (!payment) return record;
    const returned = {
      ...act(now),
      payment,
      why: 'bounced',
      givenBack: givenBackOf(record),
    } as const;
    return afterChange({ ...record, received: { counting: others, takenBack: [...takenBack, returned] } });
  },
  byCheck: (record, now) =>
    withDecisions(record, { check: { ...act(now), cents: leftToPay(record).beforeFeeCents } }),
  byCardAfterAll: (record) => {
    const { check: _, ...decisions } = record.decisions;
    return afterChange({ ...record, decisions });
  },
  /** A part of what she has paid beyond what she owes goes back to her card, or all of it by check. */
  giveSurplusBack(record, now, share) {
    const owed = owedByCheck(record);
    const payment = paidBalances(record).at(-1)?.id;
    const cents = Math.ceil(Math.min(owed, leftToRefund(record).balance) * share);
    if (owed === 0) return record;
    if (payment !== undefined && cents > 0) {
      const one = refund({ id: `re_${now.getTime()}`, cents, at: now, payment });
      return afterChange({ ...record, refunds: [...record.refunds, one] });
    }
    const { checkSent } = record.decisions;
    const sentBefore = checkSent && checkSent.cents + (checkSent.sentBefore ?? 0);
    const sent = { ...act(now), cents: owed, sentAt: now, ...(sentBefore && { sentBefore }) };
    return withDecisions(record, { checkSent: sent });
  },
  /** The office gives a part of what her card paid back as an exception. */
  giveBack(record, now, share) {
    const cents = Math.floor(leftToRefund(record).balance * share);
    const payment = paidBalances(record).at(-1)?.id;
    if (cents === 0 || payment === undefined) return record;
    const one = refund({ id: `re_${now.getTime()}`, cents, at: now, payment });
    return afterChange({ ...record, refunds: [...record.refunds, one] });
  },
} satisfies Record<string, Happening>;

/** Any of these things, in any order. */
const lifeOf = (what: readonly (keyof typeof happenings)[]): fc.Arbitrary<readonly Event[]> =>
  fc.array(fc.record({ what: fc.constantFrom(...what), share: fc.float({ min: 0, max: 1, noNaN: true }) }), {
    maxLength: 12,
  });
const anyLife = lifeOf(Object.keys(happenings) as (keyof typeof happenings)[]);

/** The registration after each of its days, with the moment. */
function* lived(
  life: readonly Event[],
  edition: Edition,
): Generator<{ record: RegistrationRecord; now: Date }> {
  let record = recordWith({ edition });
  for (const [day, { what, share }] of life.entries()) {
    const now = new Date(BEGINS + day * DAY_MS);
    record = happenings[what](record, now, share);
    yield { record, now };
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const receivedCents = ({ received }: RegistrationRecord) => sum(received.counting.map(({ cents }) => cents));
const owedOf = (record: RegistrationRecord) =>
  balanceTermsOf(record).prices.balanceBeforeFeeCents - (record.decisions.waived?.cents ?? 0);

const editions = fc.constantFrom(tested, editionWithoutFee());

/** Checks something for a registration on each day of any life, with a card fee and without one. */
const always = (check: (record: RegistrationRecord, now: Date) => void) =>
  fc.assert(
    fc.property(anyLife, editions, (life, edition) => {
      for (const { record, now } of lived(life, edition)) check(record, now);
    }),
    { numRuns: 400 },
  );

describe('money of any registration, with plans, checks, scholarships and refunds in any order', () => {
  test('R6.2 what is left, what came and what is beyond it add up to what is owed, to the cent', () =>
    always((record) => {
      const paid = sum(paidBalances(record).map(({ beforeFeeCents }) => beforeFeeCents));
      const came = paid + receivedCents(record) - askedAgain(record);
      assert.equal(leftToPay(record).beforeFeeCents, Math.max(0, owedOf(record) - came));
      if (record.refunds.length > 0) return;
      const beyond = Math.max(0, paid - owedOf(record));
      const needed = Math.max(0, owedOf(record) - paid);
      assert.equal(surplusOf(record), beyond + Math.max(0, receivedCents(record) - needed));
    }));

  test('R6.2 what went back of a check before it bounced is asked of her again, and nothing else', () =>
    fc.assert(
      fc.property(lifeOf(['pay', 'receive', 'bounce', 'giveSurplusBack']), (life) => {
        for (const { record } of lived(life, tested)) {
          const { cents: sent = 0, sentBefore = 0 } = record.decisions.checkSent ?? {};
          const back = sum(record.refunds.map(({ cents }) => cents)) + sent + sentBefore;
          const paid = sum(paidBalances(record).map(({ beforeFeeCents }) => beforeFeeCents));
          const isLeft = leftToPay(record).beforeFeeCents - owedByCheck(record);
          assert.equal(isLeft, owedOf(record) - (paid + receivedCents(record) - back));
        }
      }),
      { numRuns: 400 },
    ));

  test('R6.2 a check that bounced leaves a favour of before what it was, and no card pays what went back', () => {
    const now = new Date(BEGINS);
    const later = new Date(BEGINS + DAY_MS);
    const paid = pay(recordWith(), now, 1);
    const favoured = happenings.giveBack(paid, now, 0.1);
    assert.ok(favoured.refunds.length > 0);
    const twice = happenings.receive(favoured, later, 0.5);
    assert.equal(leftToPay(happenings.bounce(twice, later)).beforeFeeCents, 0);
    const beyond = happenings.receive(happenings.receive(recordWith(), now, 1), later, 1);
    const short = happenings.bounce(happenings.giveSurplusBack(beyond, later, 1), later);
    const { byCardCents, beforeFeeCents } = balanceOfRecord(short);
    assert.deepEqual([beforeFeeCents, byCardCents, isRestByCheck(short)], [80_001, 83_001, true]);
  });

  test('R6.2 a check of what is left pays all of it, and nothing beyond it', () =>
    always((record, now) => {
      const cents = leftToPay(record).beforeFeeCents;
      if (cents === 0) return;
      const one = checkOf(cents, now, { id: 'the last check' });
      const counting = [...record.received.counting, one];
      const after = afterChange({ ...record, received: { ...record.received, counting } });
      assert.deepEqual([leftToPay(after).beforeFeeCents, surplusLeft(after)], [0, surplusLeft(record)]);
    }));

  test('R6.2 R8 one check of the whole price by check pays deposit and balance, and comes back as it came', () => {
    const edition = editionWithoutFee();
    const { balanceBeforeFeeCents, depositBeforeFeeCents } = edition.facts.prices;
    const byCheckCents = depositBeforeFeeCents + balanceBeforeFeeCents;
    const now = new Date(BEGINS);
    const held = { ...act(now), way: 'check', until: now, cents: depositBeforeFeeCents } as const;
    const unpaid = { deposit: 'unpaid', depositCents: 0, depositDueCents: held.cents } as const;
    const before = afterChange(recordWith({ edition, ...unpaid, decisions: { held } }));
    const received = { takenBack: [], counting: [checkOf(byCheckCents, now)] };
    const after = afterChange({ ...before, received });
    const deposit = depositBeforeFeeCents;
    assert.deepEqual([depositLeftOf(before), after.deposit, after.depositCents], [deposit, 'paid', deposit]);
    assert.deepEqual([leftToPay(after).beforeFeeCents, surplusOf(after)], [0, 0]);
    assert.equal(refundAt(after, now).byCheckCents + after.depositCents, byCheckCents);
  });

  test('R6.2 what is missing once her card has paid the whole balance comes by check, or in parts of a plan', () => {
    const now = new Date(BEGINS);
    const received = { takenBack: [], counting: [checkOf(10_000, now)] };
    const paid = pay(afterChange({ ...recordWith(), received }), now, 1);
    assert.deepEqual([leftToPay(paid).beforeFeeCents, isRestByCheck(paid)], [0, false]);
    const short = happenings.bounce(paid, now);
    assert.deepEqual([leftToPay(short).beforeFeeCents, isRestByCheck(short)], [10_000, true]);
    const planned = happenings.plan(short, now, 0.5);
    assert.deepEqual([leftToPay(planned).beforeFeeCents, isRestByCheck(planned)], [10_000, false]);
  });

  test('R6.2 the card fees of all parts add up to that of their sum', () =>
    always((record) => {
      const parts = partsOf(record).flatMap(({ part }) => part ?? []);
      const left = leftToPay(record);
      const { cardFeePerMille } = balanceTermsOf(record).prices;
      const beforeFeeCents = sum(parts.map((part) => part.beforeFeeCents));
      assert.equal(sum(parts.map(({ feeCents }) => feeCents)), cardFeeCents(beforeFeeCents, cardFeePerMille));
      if (parts.length === 0) assert.equal(left.feeCents, cardFeeCents(left.beforeFeeCents, cardFeePerMille));
    }));

  test('R7 a plan that she agreed to never asks for more by any day than she agreed to', () =>
    always((record) => {
      const { planAgreed } = record.decisions;
      if (!planAgreed || !isPlanAgreed(record)) return;
      const unpaid = partsOf(record).filter(({ part, balance: of }) => part && of?.status !== 'paid');
      for (const { part } of unpaid) {
        const until = (dueAt: Date) => dueAt <= (part?.dueAt ?? new Date(0));
        const asked = sum(
          unpaid.map((one) => (one.part && until(one.part.dueAt) ? one.part.beforeFeeCents : 0)),
        );
        const agreed = sum(planAgreed.parts.map(({ cents, dueAt }) => (until(dueAt) ? cents : 0)));
        assert.ok(asked <= agreed, `${asked} of ${agreed}`);
      }
    }));

  test('R8 no more goes back than was paid, and the later she cancels, the less', () =>
    always((record, now) => {
      const byCard = sum(paidBalances(record).map(({ cents }) => cents));
      const back = sum(record.refunds.map(({ cents }) => cents));
      let before = Number.POSITIVE_INFINITY;
      for (const days of [0, 5, 10, 20, 30]) {
        const refund = refundAt(record, new Date(now.getTime() + days * DAY_MS));
        const cents = refund.byCardCents + refund.byCheckCents;
        assert.ok(refund.byCardCents <= byCard - back, 'more to her card than it has paid');
        assert.ok(cents + surplusOf(record) <= byCard - back + receivedCents(record), 'more than was paid');
        assert.ok(cents <= before, 'more for a later cancelling');
        before = cents;
      }
    }));
});
