import type Stripe from 'stripe';
import { nameOf, type OwedMail } from './owed.ts';
import type { Visit } from './visitors.ts';

const PAGE = { limit: 100 };
const ALL = { limit: 10_000 };

/** What stands at Stripe. */
interface Account {
  customers: Stripe.Customer[];
  intents: Stripe.PaymentIntent[];
  charges: Stripe.Charge[];
}

/** Reads the whole account. */
async function readAccount({ customers, paymentIntents, charges }: Stripe): Promise<Account> {
  return {
    customers: await customers.list(PAGE).autoPagingToArray(ALL),
    intents: await paymentIntents.list(PAGE).autoPagingToArray(ALL),
    charges: await charges.list(PAGE).autoPagingToArray(ALL),
  };
}

/** What is wrong at Stripe: each registration has one customer and one payment, each paid one has one charge. */
export async function checkAccount(stripe: Stripe, visits: readonly Visit[]): Promise<string[]> {
  const { customers, intents, charges } = await readAccount(stripe);
  const problems: string[] = [];
  const compare = (what: string, found: number, wanted: number): void => {
    if (found !== wanted) problems.push(`${found} ${what} instead of ${wanted}`);
  };
  compare('customers', customers.length, visits.length);
  compare('payments', intents.length, visits.length);
  compare('charges', charges.length, visits.filter(({ paid }) => paid).length);
  const emails = new Set(customers.map(({ email }) => email));
  const ids = new Set(intents.map(({ id }) => id));
  const charged = new Set(charges.map(({ payment_intent }) => payment_intent));
  for (const { visitor, paymentIntentId, paid } of visits) {
    if (!emails.has(visitor.email)) problems.push(`the visitor of ${paymentIntentId} has no customer`);
    if (!ids.has(paymentIntentId)) problems.push(`${paymentIntentId} is not at Stripe`);
    if (paid !== charged.has(paymentIntentId))
      problems.push(`${paymentIntentId} is ${paid ? 'not ' : ''}charged`);
  }
  return problems;
}

/** The mails that Stripe's record of the payments does not call sent. */
export async function unrecorded(stripe: Stripe, owed: readonly OwedMail[]): Promise<string[]> {
  const intents = await stripe.paymentIntents.list(PAGE).autoPagingToArray(ALL);
  const metadata = new Map(intents.map((intent) => [intent.id, intent.metadata]));
  return owed
    .filter(
      ({ kind, paymentIntentId, overtaken }) =>
        !overtaken && !metadata.get(paymentIntentId)?.[`mail-${kind}`]?.startsWith('sent '),
    )
    .map((mail) => `${nameOf(mail)} is not recorded as sent`);
}
