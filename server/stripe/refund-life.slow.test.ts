import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Fault } from '#scripts/stripe-sandbox/sandbox.ts';
import { AppError } from '#server/http/app-error.ts';
import {
  canDecide,
  canUndo,
  type DecisionKind,
  freeSurplus,
  lastAct,
  leftOfPayment,
  leftToRefund,
  nextInstallment,
  type RegistrationRecord,
  sumOfCents,
  sumOfFees,
  surplusLeft,
  toLeave,
} from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { DAY_MS, DUE, killedAt, startCharged } from '#server/testing/test-charges.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { openBalance } from './balance.ts';
import { makeDueRefunds } from './refunds.ts';

const HOUR_MS = DAY_MS / 24;
const IN_TIME_UNTIL = new Date(edition.facts.balance.refundsEndAt);
const BEFORE_FEE = 70_000;

/** Something that happens to a registration. */
type Happening =
  | { what: 'make-refunds'; workers: 1 | 2 }
  /** Stripe fails at the n-th request, or the worker is killed at it. */
  | { what: 'fault'; step: number; fault: Fault }
  | { what: 'kill'; step: number; isSent: boolean }
  | { what: 'wait'; hours: number }
  | { what: 'cancel'; written: 'now' | 'in-time' | 'too-late' }
  | { what: 'exception' | 'by-hand'; cents: number }
  | { what: 'charge' | 'pay' | 'undo' | 'dispute' | 'dispute-over' | 'settle' };

const step = fc.integer({ min: 1, max: 10 });
const simple = <What extends Happening['what']>(what: What) => fc.constant({ what });
const anyFault = fc.constantFrom<Fault>(
  { kind: 'reset', carryOut: true },
  { kind: 'reset', carryOut: false },
  { kind: 'answer-500', carryOut: true },
  { kind: 'answer-500', carryOut: false },
  { kind: 'rate-limit' },
);
const anyCents = fc.constantFrom(1, 500, 10_000, 70_000, 100_000, 144_725);

const often = <Some>(weight: number, arbitrary: fc.Arbitrary<Some>) => ({ weight, arbitrary });
const written = fc.constantFrom('now', 'in-time', 'too-late');

const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  often(4, fc.record({ what: fc.constant('make-refunds'), workers: fc.constantFrom(1, 2) })),
  often(3, fc.record({ what: fc.constant('fault'), step, fault: anyFault })),
  often(3, fc.record({ what: fc.constant('kill'), step, isSent: fc.boolean() })),
  often(4, fc.record({ what: fc.constant('wait'), hours: fc.constantFrom(1 / 4, 2, 23, 26, 60) })),
  often(4, fc.record({ what: fc.constant('cancel'), written })),
  often(3, fc.record({ what: fc.constant('exception'), cents: anyCents })),
  fc.record({ what: fc.constant('by-hand'), cents: fc.constantFrom(1, 1_000, 10_000) }),
  often(4, simple('charge')),
  simple('pay'),
  simple('undo'),
  simple('dispute'),
  simple('dispute-over'),
  simple('settle'),
);

const WRITTEN = {
  'in-time': new Date(IN_TIME_UNTIL.getTime() - 1),
  'too-late': IN_TIME_UNTIL,
} as const;

type Life = Awaited<ReturnType<typeof startCharged>>;

/** Makes something happen, unless it is impossible in the state of the registration. */
async function happen(happening: Happening, life: Life): Promise<void> {
  const { id, payments, connect, now, find, at, workOff, charge, stripe, sandbox, afterHours } = life;
  const act = () => ({ at: now(), by: 'Anna' });
  const before = await find();
  switch (happening.what) {
    case 'make-refunds':
      if (happening.workers === 2) await Promise.all([workOff(), connect().ask(makeDueRefunds, id, now())]);
      else await workOff();
      return;
    case 'fault':
      at(happening.step, () => happening.fault);
      await workOff().catch(() => {});
      return at(Number.POSITIVE_INFINITY, () => undefined);
    case 'kill':
      await makeDueRefunds(
        { ...life, stripe: killedAt(happening.step, happening.isSent, sandbox) },
        id,
        now(),
      ).catch(() => {});
      return;
    case 'wait':
      return afterHours(happening.hours);
    case 'cancel': {
      if (!canDecide(before, 'cancel', now())) return;
      const writtenAt = happening.written === 'now' ? now() : WRITTEN[happening.written];
      return payments.ask(decide, before, 'cancel', { ...act(), writtenAt });
    }
    case 'undo':
      if (!canUndo(before, 'cancel', now())) return;
      return payments.ask(decide, before, 'cancel', { ...act(), withdrawn: true });
    case 'exception': {
      if (!canDecide(before, 'refund', now())) return;
      const exception = { ...act(), cents: happening.cents, reason: 'illness' };
      return payments.ask(decide, before, 'refund', exception).catch((error: unknown) => {
        // She still owes that, or less is left to refund.
        assert.ok(error instanceof AppError && error.code === 'not_possible_now', String(error));
      });
    }
    case 'by-hand':
      if (before.disputed || leftToRefund(before).balance < happening.cents) return;
      await life.refundByHand(happening.cents);
      return;
    case 'charge':
      await charge(id);
      return;
    case 'pay': {
      if (before.decisions.cancel || nextInstallment(before).payment?.status === 'paid') return;
      const { id: open } = await openBalance(life, before, now());
      await stripe.paymentIntents.confirm(open, { payment_method: 'pm_card_visa' });
      return;
    }
    case 'dispute':
      if (
        nextInstallment(before).payment?.status === 'paid' &&
        !before.disputed &&
        !before.decisions.disputeOver
      )
        await life.dispute();
      return;
    case 'dispute-over':
      return endDispute(life, before);
    case 'settle': {
      const { data } = await stripe.refunds.list({ limit: 100 });
      // Settled refunds stay as they are.
      for (const { id: refund } of data) assertSettled(() => sandbox.bank.settleRefund(refund));
    }
  }
}

function assertSettled(settle: () => void): void {
  try {
    settle();
  } catch (error) {
    assert.match(String(error), /which stays/);
  }
}

async function endDispute({ stripe, sandbox, payments, now }: Life, before: RegistrationRecord) {
  if (!before.disputed) return;
  const { data } = await stripe.disputes.list();
  for (const { id: dispute, status } of data)
    if (status === 'needs_response') sandbox.bank.closeDispute(dispute, 'won');
  const charges = data.map(({ charge }) => String(charge));
  const disputes = data.map(({ id }) => id);
  await payments.ask(decide, before, 'disputeOver', { at: now(), by: 'Anna', charges, disputes });
}

/** What goes back of a paid balance, in US cents, by the words of the policy. */
function backByPolicy({ balances: [balance], decisions: { cancel } }: RegistrationRecord): number {
  if (!balance?.paidAt || !cancel) return 0;
  if (balance.paidAt > cancel.writtenAt) return balance.cents;
  return cancel.writtenAt < IN_TIME_UNTIL ? BEFORE_FEE : 0;
}

const isOrderedBy =
  (kind: DecisionKind, { acts }: RegistrationRecord) =>
  ({ orderedBy }: RegistrationRecord['refunds'][number]) =>
    orderedBy !== undefined && orderedBy === lastAct(acts, kind)?.id;

/** What must hold after each happening. */
function assertSound(before: RegistrationRecord, after: RegistrationRecord, now: Date): void {
  const { cancel } = before.decisions;
  const made = after.refunds.filter(({ id }) => !before.refunds.some((one) => one.id === id));
  const ours = made.filter(({ orderedBy }) => orderedBy !== undefined);
  if (ours.length > 0) assert.equal(before.disputed, false, 'while it is disputed');
  if (cancel && ours.some(isOrderedBy('cancel', before)))
    assert.ok(now.getTime() >= cancel.at.getTime() + 25 * HOUR_MS, 'while it can still be undone');
  for (const { payment } of ours) {
    const { cents, feeCents } = leftOfPayment(after.ledger, payment);
    assert.ok(cents >= 0 && feeCents >= 0, 'more than is left of the payment');
  }
  if (cancel && nextInstallment(before).payment?.status !== 'paid')
    assert.notEqual(nextInstallment(after).payment?.status, 'paid', 'paid after she cancelled');
}

/** Each payout is at most one refund, of its sum; and the ledger has what Stripe has. */
async function assertBooked({ stripe }: Life, { ledger }: RegistrationRecord): Promise<void> {
  const { data: refunds } = await stripe.refunds.list({ limit: 100 });
  for (const { id, payment, cents, feeCents, state } of ledger.payouts) {
    const made = refunds.filter(({ metadata }) => metadata?.order === id);
    assert.ok(made.length <= 1, 'refunded twice');
    for (const { amount, payment_intent } of made)
      assert.deepEqual([amount, payment_intent], [cents + feeCents, payment]);
    if (made.length === 0)
      assert.notEqual(state === 'sent' && payment !== null, true, 'sent without a refund');
  }
  const { data: changes } = await stripe.balanceTransactions.list({ limit: 100 });
  assert.equal(
    sumOfCents(ledger.entries) + sumOfFees(ledger.entries),
    changes
      .filter(({ reporting_category: category }) => category !== 'payout')
      .reduce((sum, { amount }) => sum + amount, 0),
    'the ledger has other money than Stripe',
  );
}

describe('whatever happens to a registration that is cancelled', () => {
  test('what was decided is refunded once, to the cent of the policy, and nothing else is', async (t) => {
    let [lives, refunded, exceptions, plain] = [0, 0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyHappening, { minLength: 8, maxLength: 20 }),
        fc.constantFrom('pm_card_visa', 'pm_card_pendingRefund', 'pm_card_refundFail'),
        async (happenings, card) => {
          const life = await startCharged(t, { isCharged: false, card });
          const { find, now, workOff, afterHours, sandbox, state } = life;
          assert.ok(now() >= DUE);
          lives += 1;
          for (const happening of happenings) {
            const before = await find();
            await happen(happening, life);
            assertSound(before, await find(), now());
          }
          // Finally all obstacles are gone: Stripe works, no dispute is open, its idempotency keys have expired.
          await endDispute(life, await find());
          for (let days = 0; days < 2; days += 1) {
            afterHours(26);
            const before = await find();
            await workOff();
            assertSound(before, await find(), now());
          }
          const record = await find();
          await assertBooked(life, record);
          const { ledger, refunds, disputes, decisions } = record;
          const { cancel } = decisions;
          const left = toLeave(ledger).filter(({ way }) => way === 'card');
          // What her bank took back before it left is up to the office, unless she cancelled.
          const surplus = freeSurplus(ledger) - surplusLeft(record);
          assert.deepEqual([left, surplus], [[], 0], 'something did not leave');
          if (cancel) assert.match(await state(), /^(nothing-back|refunded|refund-pending|refund-failed)$/);
          else assert.equal(record.cancelled, undefined);
          const own = cancel ? refunds.filter(isOrderedBy('cancel', record)) : [];
          if (own.length > 0) refunded += 1;
          if (refunds.some(isOrderedBy('refund', record))) exceptions += 1;
          const isPlain = refunds.length === own.length && disputes.length === 0 && !decisions.refund;
          if (!cancel || !isPlain) return sandbox.close();
          const cents = own.reduce((sum, one) => sum + one.cents, 0);
          assert.equal(cents, backByPolicy(record), 'not the sum of the policy');
          if (cents > 0) plain += 1;
          await sandbox.close();
        },
      ),
      // By chance no life may be plain.
      { numRuns: 60, seed: 1 },
    );
    t.diagnostic(
      `${lives} lives, ${refunded} with a refund of cancelling, ${plain} of them with nothing else, ${exceptions} with an exception`,
    );
    assert.ok(plain > 0 && exceptions > 0, `${plain} and ${exceptions} of ${lives}`);
  });
});
