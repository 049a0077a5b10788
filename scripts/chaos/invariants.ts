import type Stripe from 'stripe';
import { OWING } from '#server/letters/retreat-letters.ts';
import { type LetterName, traitOf } from '#server/letters/table.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formatCents } from '#shared/money.ts';
import type { Storm } from './faults.ts';
import { DAY_MS, HOUR_MS, moments, wayInAt } from './moments.ts';
import { again, type DatedMail, type Site } from './site.ts';
import type { Registrant } from './visitor.ts';

/** The least time between a notice and the charge that it announces. */
const NOTICE_MS = 3 * DAY_MS;
/** Two events that are this close together could not know of each other. */
const RACE_MS = 15_000;

/** The promises, in the words in which a breach is told. Each is read from what came out, not from what the product says. */
export const PROMISES = {
  once: 'P1 charged once',
  cents: 'P2 no wrong cent',
  told: 'P3 consent and notice before a charge',
  letters: 'P4 each message once, none lost, none untrue',
  ledger: 'P5 the ledger is what Stripe has',
  places: 'P6 places are never oversold',
  hold: 'P7 everything outward waits under a hold',
  paid: 'P8 nobody who paid is told that she has not',
} as const;

interface Played {
  site: Site;
  storm: Storm;
  life: {
    registrants: readonly Registrant[];
    /** What went wrong already. */
    problems: readonly string[];
    /** When the register was a copy that nobody had released, by the machine's clock. */
    hold: Readonly<{ fromMs: number; untilMs: number }>;
  };
}

/** Reads what came out at Stripe, at the mail server and in the register, and says what is wrong. */
export async function judge({ site, storm, life }: Played) {
  const { registrants } = life;
  const problems = [...life.problems, ...site.crashes];
  const blame = (promise: keyof typeof PROMISES, says: string): void =>
    void problems.push(`${PROMISES[promise]}: ${says}`);
  const account = await readAccount(site.stripe);
  const consents = await site.ask("select subject from acts where kind = 'consent'");
  const agreed = new Set(consents.map(({ subject }) => subject));
  for (const registrant of registrants) {
    const { registration, person } = registrant;
    const of = <One extends { registration: string }>(all: readonly One[]): One[] =>
      all.filter((one) => one.registration === registration);
    const own = {
      ...registrant,
      name: `${registration} (${person.life})`,
      mails: of(site.mails),
      paid: of(site.successes),
    };
    judgeCharges(own, agreed, blame);
    judgeCents(own, of(account.charges), blame);
    judgeLetters(own, storm, blame);
  }
  const known = new Set(registrants.map(({ registration }) => registration));
  for (const { id, registration } of account.charges)
    if (!known.has(registration)) blame('once', `${id} is a charge of nobody`);
  judgeLedger(await site.ask('select * from entries'), account, blame);
  judgeHold(site, life.hold, blame);
  return { problems, counted: countedIn(site, registrants, storm) };
}

type Blame = (promise: keyof typeof PROMISES, says: string) => void;
interface Own extends Registrant {
  name: string;
  mails: readonly DatedMail[];
  paid: Site['successes'];
}

function judgeCharges(
  { name, person, paid, mails }: Own,
  consents: ReadonlySet<unknown>,
  blame: Blame,
): void {
  for (const { number } of paid) {
    const times = paid.filter((one) => one.number === number).length;
    if (times > 1) blame('once', `${name} paid number ${number} ${times} times`);
  }
  for (const { registration, cents, at } of paid.filter((one) => one.withoutHer)) {
    if (!person.consents || !consents.has(registration)) blame('told', `${name} did not agree to be charged`);
    const announces = ({ kind, text, recipients, at: toldAt }: DatedMail): boolean =>
      traitOf(kind, 'announcesCharge') === true &&
      text.includes(formatCents(cents)) &&
      toldAt <= at - NOTICE_MS + HOUR_MS &&
      recipients.every((address) => address === person.email);
    if (!mails.some(announces)) blame('told', `${name} was charged ${cents} cents without a notice`);
  }
}

function judgeCents({ name, person, paid }: Own, charges: Account['charges'], blame: Blame): void {
  const deposit = person.pays ? edition.facts.prices.depositCents : 0;
  const came = charges.reduce((sum, { cents }) => sum + cents, 0);
  const back = charges.reduce((sum, { backCents }) => sum + backCents, 0);
  if (!person.charged.some((cents) => cents + deposit === came))
    blame('cents', `${name} was charged ${came} cents, in ${paid.length} payments`);
  if (!person.back.includes(back)) blame('cents', `${name} got ${back} cents back`);
}

function judgeLetters(own: Own, storm: Storm, blame: Blame): void {
  const { name, person, mails, paidAt = Number.POSITIVE_INFINITY } = own;
  const expected: LetterName[] =
    paidAt < Number.POSITIVE_INFINITY ? ['welcome', 'office-paid', ...person.letters] : [];
  const maybe: LetterName[] = ['registration-received', 'office-notice', 'unfinished', ...person.maybe];
  for (const [kind, moment] of [
    ['test-session', moments.testSession] as const,
    ...wayInAt.map((at) => ['way-in', at] as const),
    // Only who has paid all is told where the recordings are.
    ...(person.letters.includes('balance-paid') ? [['recordings', moments.recordings] as const] : []),
  ])
    if (person.comes) (paidAt + HOUR_MS < moment ? expected : maybe).push(kind);
  const distinct = new Map(mails.map((mail) => [mail.messageId, mail]));
  const came = [...distinct.values()].map(({ kind }) => kind);
  for (const kind of new Set([...expected, ...came])) {
    const count = (all: readonly string[]): number => all.filter((one) => one === kind).length;
    const [least, most, found] = [count(expected), count(expected) + count(maybe), count(came)];
    if (found < least) blame('letters', `${name} lacks ${least - found} of ${kind}`);
    if (found > most) blame('letters', `${name} got ${found - most} of ${kind} too many`);
  }
  for (const mail of mails) {
    const others = mails.filter(({ messageId }) => messageId === mail.messageId);
    if (others[0] !== mail && !others.some((one) => one !== mail && mayRepeat(one, storm)))
      blame('letters', `${name} got ${mail.kind} again without need`);
    const untrue = untruthOf(mail, own);
    if (untrue) blame(...untrue);
  }
}

/** What a letter says that is not true; all that asks for money is P8's. */
function untruthOf(mail: DatedMail, { name, person, paid, ...own }: Own): Parameters<Blame> | undefined {
  const { kind, text, recipients, at, since } = mail;
  const byCard = paid.filter(({ number }) => number > 0);
  const cents = byCard.reduce((sum, one) => sum + one.cents, 0);
  const lastAt = Math.max(...byCard.map((one) => one.at));
  const isSettled = byCard.length > 0 && person.charged.includes(cents) && since > lastAt;
  const asks = traitOf(kind, 'asksToPay') || traitOf(kind, 'announcesCharge') || text.includes(OWING);
  if (asks && isSettled) return ['paid', `${name} was sent ${kind} after she had paid`];
  const isHers = recipients.every((address) => address === person.email);
  if (!isHers && traitOf(kind, 'to') !== 'office')
    return ['letters', `${name}: ${kind} went to somebody else`];
  if (kind === 'welcome' && at < (own.paidAt ?? Number.POSITIVE_INFINITY) - RACE_MS)
    return ['letters', `${name} was welcomed before she paid`];
  if (kind === 'balance-paid' && byCard.some((one) => !text.includes(formatCents(one.cents))))
    return ['letters', `${name} has a receipt with other sums`];
  if (
    kind === 'payment-received' &&
    !byCard.some((one) => at > one.at - RACE_MS && text.includes(formatCents(one.cents)))
  )
    return ['letters', `${name} has the receipt of a part that she did not pay`];
  return undefined;
}

/** Whether the worker could not learn, or not keep, that a mail was accepted. */
function mayRepeat({ atMs, cut }: DatedMail, { happened }: Storm): boolean {
  const beside = (pattern: RegExp, afterMs: number): boolean =>
    happened.some(
      ({ fault, fromMs, untilMs }) =>
        pattern.test(fault) && fromMs <= atMs + 1_500 && atMs <= untilMs + afterMs,
    );
  return cut || beside(/worker|mail server/, 3_000) || beside(/Redis|register|PostgreSQL/, 30_000);
}

function judgeLedger(
  entries: readonly Readonly<Record<string, unknown>>[],
  account: Account,
  blame: Blame,
): void {
  const ofStripe = new Map<string, number>();
  for (const { id, cents } of account.charges) ofStripe.set(id, cents);
  for (const { id, cents, failed } of account.refunds) {
    ofStripe.set(id, -cents);
    if (failed) ofStripe.set(`reversal of ${id}`, cents);
  }
  const inLedger = new Map<string, number>();
  for (const { id, kind, cents, fee_cents: fee, reverses } of entries) {
    if (!['card', 'payout', 'refund', 'reversal'].includes(String(kind))) continue;
    const name = reverses === null ? String(id) : `reversal of ${reverses}`;
    const isAtStripe = ofStripe.has(name) || /^(ch|re)_/.test(name);
    if (isAtStripe) inLedger.set(name, Number(cents) + Number(fee));
  }
  for (const id of new Set([...ofStripe.keys(), ...inLedger.keys()]))
    if (ofStripe.get(id) !== inLedger.get(id))
      blame('ledger', `${id} is ${inLedger.get(id)} in the ledger and ${ofStripe.get(id)} at Stripe`);
}

/** While the register is a copy that nobody has released, no letter and no charge goes out. */
function judgeHold({ mails, successes, sandbox }: Site, hold: Played['life']['hold'], blame: Blame): void {
  const aheadMs = sandbox.clock.now() - Date.now();
  const isHeld = (ms: number): boolean => ms > hold.fromMs && ms < hold.untilMs;
  for (const { messageId } of mails.filter(({ atMs }) => isHeld(atMs)))
    blame('hold', `${messageId} was sent`);
  for (const { id } of successes.filter((one) => one.withoutHer && isHeld(one.at - aheadMs)))
    blame('hold', `${id} was charged`);
}

type Account = Awaited<ReturnType<typeof readAccount>>;

/** All charges and refunds of the account. */
async function readAccount(stripe: Stripe) {
  const [page, all] = [{ limit: 100 }, { limit: 10_000 }];
  const refunds = await again(() => stripe.refunds.list(page).autoPagingToArray(all));
  const payments = await again(() => stripe.paymentIntents.list(page).autoPagingToArray(all));
  const charges = await again(() => stripe.charges.list(page).autoPagingToArray(all));
  const owners = new Map(payments.map(({ id, metadata }) => [id, metadata.registration ?? '']));
  return {
    refunds: refunds.map(({ id, amount: cents, status }) => ({ id, cents, failed: status === 'failed' })),
    charges: charges
      .filter(({ status }) => status === 'succeeded')
      .map(({ id, amount: cents, payment_intent: payment }) => ({
        id,
        cents,
        registration: owners.get(String(payment)) ?? '',
        backCents: refunds
          .filter(({ charge, status }) => charge === id && status !== 'failed' && status !== 'canceled')
          .reduce((sum, { amount }) => sum + amount, 0),
      })),
  };
}

function countedIn({ mails, successes }: Site, registrants: readonly Registrant[], { happened }: Storm) {
  return {
    registrations: registrants.length,
    'payments without her': successes.filter((one) => one.withoutHer).length,
    'other payments': successes.filter((one) => !one.withoutHer).length,
    messages: mails.length,
    faults: happened.length,
  };
}
