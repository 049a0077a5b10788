import type Stripe from 'stripe';
import type { Happened } from './faults.ts';
import { type ConsentCount, checkConsents } from './judge-consents.ts';
import {
  checkMails,
  lostLocksIn,
  type MailCount,
  nameOf,
  namesOf,
  type OwedMail,
  owedBy,
} from './judge-mails.ts';
import type { Stage } from './stage.ts';
import { VISITOR_MARKS } from './visitors.ts';
import type { Visit } from './visits.ts';

const PAGE = { limit: 100 };
const ALL = { limit: 10_000 };

/** Whether every mail has arrived and is recorded. */
export async function isSettled(
  stage: Pick<Stage, 'sink' | 'stripe'>,
  visits: readonly Visit[],
): Promise<boolean> {
  const names = namesOf(stage.sink.mails);
  const owed = owedBy(visits, names);
  if (owed.some((mail) => !names.has(nameOf(mail)))) return false;
  return (await unrecorded(stage.stripe, owed)).length === 0;
}

/** Counts consents and mails, and says what is wrong. */
export async function judge(
  stage: Pick<Stage, 'sink' | 'stripe' | 'lines' | 'crashes' | 'consentWrites'>,
  visits: readonly Visit[],
  faults: readonly Happened[],
): Promise<{ consents: ConsentCount; mails: MailCount; lostLocks: number; problems: string[] }> {
  const owed = owedBy(visits, namesOf(stage.sink.mails));
  const lostLocks = lostLocksIn(stage.lines);
  const mails = checkMails(owed, stage.sink.mails, { faults, lostLocks });
  const account = await readAccount(stage.stripe);
  const consents = checkConsents(visits, account.intents, stage.consentWrites);
  const problems = [
    ...stage.crashes,
    ...leaks(stage.lines),
    ...checkAccount(account, visits),
    ...consents.problems,
    ...mails.problems,
    ...(await unrecorded(stage.stripe, owed)),
  ];
  return { consents, mails, lostLocks: lostLocks.size, problems };
}

/** Reports log lines that contain visitors' details. */
export function leaks(lines: readonly string[]): string[] {
  const leaking = lines.filter((line) => VISITOR_MARKS.test(line));
  return leaking.length === 0 ? [] : [`${leaking.length} log lines tell of visitors, such as ${leaking[0]}`];
}

/** The content of the account at Stripe. */
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
function checkAccount({ customers, intents, charges }: Account, visits: readonly Visit[]): string[] {
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
async function unrecorded(stripe: Stripe, owed: readonly OwedMail[]): Promise<string[]> {
  const intents = await stripe.paymentIntents.list(PAGE).autoPagingToArray(ALL);
  const metadata = new Map(intents.map((intent) => [intent.id, intent.metadata]));
  return owed
    .filter(
      ({ kind, paymentIntentId, overtaken }) =>
        !overtaken && !metadata.get(paymentIntentId)?.[`mail-${kind}`]?.startsWith('sent '),
    )
    .map((mail) => `${nameOf(mail)} is not recorded as sent`);
}
