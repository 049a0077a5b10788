import assert from 'node:assert/strict';
import type Stripe from 'stripe';
import * as v from 'valibot';
import { connect } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Product } from './product.ts';

export const ONCE = { customers: 1, intents: 1, paid: 1, declined: 0 };

export const UNPAID = { ...ONCE, paid: 0 };

const mailsSchema = v.array(
  v.object({ id: v.string(), subject: v.string(), text: v.string(), html: v.string() }),
);

export function outcomeOf({ sandboxUrl, mailboxUrl, untilPrinted }: Product) {
  const { hostname, port } = new URL(sandboxUrl);
  const stripe = connect({ host: hostname, port: Number(port) });

  const customersOf = async (email: string): Promise<Stripe.Customer[]> =>
    (await stripe.customers.list({ email: email.toLowerCase() })).data;

  async function listFor<One>(
    email: string,
    list: (of: { customer: string; limit: number }) => Promise<{ data: One[] }>,
  ): Promise<One[]> {
    const customers = await customersOf(email);
    const lists = await Promise.all(customers.map(({ id }) => list({ customer: id, limit: 100 })));
    return lists.flatMap(({ data }) => data);
  }

  const intentsOf = async (email: string) =>
    (await listFor(email, (of) => stripe.paymentIntents.list(of))).filter(
      ({ metadata }) => metadata.kind === 'deposit',
    );

  const allChargesOf = async (email: string) => {
    const charges = await listFor(email, (of) => stripe.charges.list(of));
    // Stripe lists the newest first, also of one second.
    return charges.toReversed().toSorted((one, other) => one.created - other.created);
  };

  async function depositOf(email: string): Promise<Stripe.PaymentIntent> {
    const [intent, ...others] = await intentsOf(email);
    assert.ok(intent && others.length === 0, `${email} has ${others.length} other payments`);
    return intent;
  }

  const intentIdOf = async (email: string): Promise<string> => (await depositOf(email)).id;
  const registrationOf = async (email: string): Promise<string> =>
    (await depositOf(email)).metadata.registration ?? '';

  const untilSentAbout = (registration: string, kind: string, times = 1): Promise<void> =>
    untilPrinted(`Mail sent {"job":"${kind}-${registration}`, times);

  return {
    stripe,
    intentIdOf,
    registrationOf,
    untilSentAbout,
    async countPayments(email: string) {
      const [customers, intents] = [await customersOf(email), await intentsOf(email)];
      const charges = (await allChargesOf(email)).filter(({ payment_intent: paid }) =>
        intents.some(({ id }) => id === paid),
      );
      const having = (wanted: string) => charges.filter(({ status }) => status === wanted).length;
      return {
        customers: customers.length,
        intents: intents.length,
        paid: having('succeeded'),
        declined: having('failed'),
      };
    },
    /** All charges, oldest first, in US cents; failed ones are negative. */
    async chargesOf(email: string): Promise<number[]> {
      const charges = await allChargesOf(email);
      return charges.map(({ status, amount }) => (status === 'succeeded' ? amount : -amount));
    },
    /** Has the sandbox charge another amount, in US cents. */
    async chargeInstead(email: string, amountCents: number): Promise<void> {
      const metadata = { amount: String(amountCents) };
      await stripe.paymentIntents.update(await intentIdOf(email), { amount: amountCents, metadata });
    },
    async mailsTo(email: string) {
      const response = await fetch(`${mailboxUrl}/api/email?to.address=${encodeURIComponent(email)}`);
      return v.parse(mailsSchema, await response.json());
    },
    async untilSent(kind: string, email: string, times?: number): Promise<void> {
      await untilSentAbout(await registrationOf(email), kind, times);
    },
  };
}

export function linkIn(mails: readonly { text: string }[], path: string): string {
  const links = mails.flatMap(({ text }) => text.match(/https?:\S+[\w-]/g) ?? []);
  const link = links.find((one) => one.includes(path));
  assert.ok(link, JSON.stringify(mails));
  return link;
}
