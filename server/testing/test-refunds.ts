import type { Fault, SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import { workOffRefunds } from '#server/payments/work-off-refunds.ts';
import type { TestScope } from './clean-up.ts';
import { DAY_MS, killedAt, startDue } from './test-charges.ts';

const HOUR_MS = DAY_MS / 24;

/** A registrant whose balance was by default charged on its day, and what Stripe refunded to her. */
export async function startCharged(
  t: TestScope,
  { isCharged = true, ...options }: SandboxOptions & { card?: string; isCharged?: boolean } = {},
) {
  let countdown = Number.POSITIVE_INFINITY;
  let what: Happening | undefined;
  const due = await startDue(t, {
    ...options,
    intercept: () => {
      countdown -= 1;
      return countdown === 0 ? what?.() : undefined;
    },
  });
  const { id, payments, stripe, sandbox, now, moveTo } = due;
  if (isCharged) await due.charge(id);
  const find = () => due.find(id);
  // The clock runs on by itself, and refuses to move to a moment that has passed meanwhile.
  const afterHours = (hours: number) => {
    if (hours > 0) moveTo(new Date(now().getTime() + hours * HOUR_MS));
  };
  return {
    ...due,
    find,
    state: () => due.state(id),
    afterHours,
    /** Something happens at the n-th request from now on. */
    at(step: number, happening: Happening) {
      countdown = step;
      what = happening;
    },
    /** She cancels, and the day passes on which the cancellation can be undone. */
    async cancel(writtenAt = now()) {
      await payments.decide(await find(), 'cancel', { at: now(), by: 'Anna', writtenAt });
      afterHours(25);
    },
    /** The office decides on an exceptional refund. */
    async except(cents: number) {
      await payments.decide(await find(), 'refund', { at: now(), by: 'Anna', cents, reason: 'illness' });
    },
    workOff: () => payments.workOffRefunds(id, now()),
    /** The same by a worker that is killed at its n-th request; fails if the worker makes fewer requests. */
    async workOffAndBeKilled(step: number, isSent: boolean) {
      await workOffRefunds(killedAt(step, isSent, sandbox), id, now()).then(
        () => Promise.reject(new Error(`It takes fewer than ${step} requests`)),
        () => {},
      );
    },
    /** All refunds, whatever became of them: of which payment, and how much (US cents). */
    async refunds() {
      const { data } = await stripe.refunds.list({ limit: 100 });
      return data
        .toReversed()
        .map(({ payment_intent, amount }) => [payment_intent === id ? 'deposit' : 'balance', amount]);
    },
    /** Support makes a refund in Stripe's dashboard. */
    async refundByHand(cents: number) {
      const { balance } = await find();
      return stripe.refunds.create({ payment_intent: balance?.id ?? '', amount: cents });
    },
    /** She disputes the charge of her balance. */
    async dispute() {
      const [balance] = await due.balances(id);
      const charge = String(balance?.latest_charge);
      return { charge, id: sandbox.bank.openDispute(charge) };
    },
  };
}

type Happening = () => Promise<Fault | undefined> | Fault | undefined;
