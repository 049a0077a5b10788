import type { Row } from '#scripts/drills/stage/office.ts';
import { nameOf } from '#scripts/drills/stage/registering.ts';
import type { Verdict } from './count.ts';
import {
  dayOf,
  kindOf,
  mayNotCharge,
  NOTICE_MS,
  refundsOfCancel,
  sumOf,
  tellsOneOf,
  UNDO_MS,
} from './promises.ts';
import {
  type Account,
  addressesAt,
  checksOf,
  type Due,
  deadSpans,
  duesOf,
  givenBack,
  isCancelled,
  isCancelling,
  isForgotten,
  isUndoing,
  plansIn,
  plansOf,
  type Story,
  spansOf,
} from './story.ts';

/** Two events that are this close together count as a race: neither could know of the other. */
const RACE_MS = 5_000;

/** Checks that nobody but the registrants has anything at Stripe. */
export function judgeAccount(stories: readonly Story[], account: Account, verdict: Verdict): void {
  const customers = new Set(stories.flatMap(({ customer }) => customer ?? []));
  const refunds = new Set(stories.flatMap((story) => story.refunds.map(({ id }) => id)));
  for (const { id, customer, ...made } of [...account.payments, ...account.charges]) {
    if (customers.has(String(customer))) continue;
    const { registration = 'none' } = 'metadata' in made ? made.metadata : {};
    verdict.blame(
      undefined,
      `${id} is a payment of nobody (customer ${customer}, registration ${registration})`,
    );
  }
  for (const { id } of account.refunds)
    if (!refunds.has(id)) verdict.blame(undefined, `${id} is a refund of nobody`);
  if (account.customers.length !== customers.size)
    verdict.blame(undefined, `${account.customers.length} customers instead of ${customers.size}`);
}

/** Compares what she paid and got back with what her life says, and the office's list with Stripe. */
export function judgeMoney(story: Story, verdict: Verdict): void {
  const blame = (what: Parameters<Verdict['blame']>[0], says: string): void =>
    verdict.blame(what, `${nameOf(story)} ${says}`);
  judgeConsent(story, verdict, blame);
  judgePayments(story, verdict, blame);
  judgeRefunds(story, verdict, blame);
  if (story.shown.row) judgeList(story, story.shown.row, blame);
}
type Blame = Verdict['blame'];

/** Each consent is on record: to the terms that she saw, at a time between her press and the answer; and no other. */
function judgeConsent({ person, agreed, shown, forgotten }: Story, verdict: Verdict, blame: Blame): void {
  const { version, digest } = person.edition.terms;
  if (agreed) verdict.count('Consents expected');
  if (agreed && shown.agreed) verdict.count('  on record');
  const isLost = agreed && isForgotten({ forgotten }, agreed.from, agreed.until);
  if (agreed && !shown.agreed && isLost) verdict.count('  lost with the register');
  else if (agreed && !shown.agreed) blame(undefined, 'agreed, and that is not on record');
  if (!shown.agreed) return;
  const { at } = shown.agreed;
  if (!agreed) blame(undefined, 'has a consent on record that she did not give');
  else if (at !== undefined && (at < agreed.from || at > agreed.until))
    blame(undefined, `agreed at another time than ${new Date(at).toISOString()}`);
  if (agreed && (at === undefined) !== person.phone.length > 0)
    blame(undefined, 'agreed another way than the page of the office tells');
  if (shown.agreed.version !== version || shown.agreed.digest !== digest)
    blame(undefined, `agreed to other terms than version ${shown.agreed.version}`);
}

function judgePayments(story: Story, verdict: Verdict, blame: Blame): void {
  const { person, paid, charges } = story;
  const { payments } = person;
  const isByCard =
    person.ending !== 'never-registered' && !checksOf(story).some(({ isDeposit }) => isDeposit);
  // Who calls has one only once she pays by card.
  if (!story.customer && person.phone.length === 0) blame(undefined, 'has no customer at Stripe');
  if (story.openPayments > 1) blame(undefined, `could pay the balance ${story.openPayments} times`);
  const succeeded = charges.filter(({ status }) => status === 'succeeded');
  const isTwice = paid.length > Math.max(1, payments.length);
  if (isTwice || succeeded.length !== Number(isByCard) + paid.length)
    blame('Double charges', `was charged ${succeeded.length} times, ${paid.length} of them for the balance`);
  const cents = chargedOf(story);
  const due = payments.length > 0 ? payments : [{ cents: person.cents }];
  const owed = (isByCard ? person.depositCents : 0) + sumOf(due.slice(0, paid.length));
  if (cents !== owed) blame('Wrong cents', `was charged ${cents} cents instead of ${owed}`);
  for (const [place, one] of paid.entries())
    if (payments[place] && payments[place].cents !== one.cents)
      blame(
        'Wrong cents',
        `paid ${one.cents} cents instead of ${payments[place].cents}, as part ${place + 1}`,
      );
  verdict.count('  refused cards', story.refusedAt.length);
  if (person.tries !== undefined && story.tries !== person.tries)
    blame(undefined, `was tried ${story.tries} times instead of ${person.tries}`);
  const isEither = person.ending === 'charged-or-cancelled';
  if (!isEither && paid.length < payments.length) blame(undefined, 'has not paid');
  if (payments.length === 0 && paid.length > 0) blame(undefined, 'has paid');
  for (const [place, one] of paid.entries()) {
    verdict.count(one.withoutHer ? 'Balances charged without her' : '  paid on her page');
    if (payments.length > 1) verdict.count('  in parts');
    const isExpected = payments[place]?.withoutHer ?? one.withoutHer;
    if (one.withoutHer && !isExpected) blame(undefined, 'was charged without her');
    if (one.withoutHer) judgeCharge(story, one, blame);
    else if (isExpected && !isEither && person.tries !== undefined)
      blame(undefined, 'was to be charged without her');
  }
}

function judgeCharge(story: Story, { at, cents }: Due, blame: Blame): void {
  if (!story.person.consents || !story.shown.agreed)
    blame('Charged without consent', 'was charged without her consent');
  const since = at - RACE_MS;
  const plans = plansIn(story, since, at);
  const dues = duesOf(story, since, at).filter((one) => plans.includes(undefined) || one.cents === cents);
  if (!dues.some((one) => at >= one.at - RACE_MS)) blame(undefined, 'was charged too early');
  if (plans.every((plan) => plan && mayNotCharge(story, plan, at + RACE_MS)))
    blame('Charged without consent', 'was charged by a plan that is paused, or that she had not agreed to');
  if (!isTold(story, at, dues)) blame('Charged without notice', 'was charged without a notice');
  if (isCancelled(story, at, at, RACE_MS))
    blame('Charged after cancelling', 'was charged after she cancelled');
}

/**
 * Whether a letter announced the day of the charge to her, and of a part of her plan its sum, at least three days before,
 * at the address that was valid at the charge. It does not count if the site knew before the charge that it came back, or
 * that the address was dead since.
 */
function isTold(story: Story, chargedAt: number, dues: readonly Due[]): boolean {
  const isByPlan = plansOf(story).length > 0;
  const knownBefore = chargedAt - RACE_MS;
  return story.mails.some(({ messageId, recipients, text, at }) => {
    const [address] = addressesAt(story, chargedAt).filter((one) => recipients.includes(one));
    if (!address || !['notice', 'postponed'].includes(kindOf(messageId))) return false;
    const cameBack = story.returned.some(
      (one) => one.messageId === messageId && one.takenAt >= at && one.knownAt < knownBefore,
    );
    const isDead = deadSpans(story, address).some(
      ({ knownAt, over }) => over.from > at && knownAt < knownBefore,
    );
    const announces = (due: Due): boolean =>
      at <= due.at - NOTICE_MS &&
      text.includes(dayOf(due.at, story.person.edition)) &&
      (!isByPlan || tellsOneOf(text, [due]));
    return dues.some(announces) && !cameBack && !isDead;
  });
}

function judgeRefunds(story: Story, verdict: Verdict, blame: Blame): void {
  const { person, refunds } = story;
  const { cancelled, undone, disputed } = spansOf(story);
  const isUndone = person.deeds.some(isUndoing);
  if (person.deeds.some(isCancelling)) verdict.count(isUndone ? '  taken back' : 'Cancelled');
  const back = sumOf(refunds);
  const expected = backOf(story);
  verdict.count('Refunds to cards', refunds.length);
  verdict.count('  US cents', back);
  if (!expected.includes(back))
    blame('Wrong cents back', `got ${back} cents back instead of ${expected.join(' or ')}`);
  const ofCancel = refundsOfCancel(story, refunds);
  if (ofCancel.length > Math.max(1, story.paid.length))
    blame('Refunded twice', `got ${ofCancel.length} refunds of one cancellation`);
  const exceptions = givenBack(story, 'refund').length;
  if (refunds.length - ofCancel.length > exceptions)
    blame('Refunded twice', `got more refunds than the ${exceptions} that the office decided`);
  for (const { at, cents } of refunds)
    if (at > disputed.until + RACE_MS)
      blame('  taken back or disputed', `got ${cents} cents back while it was disputed`);
  for (const { at, cents } of ofCancel) {
    if (undone.from < Number.POSITIVE_INFINITY)
      blame('  taken back or disputed', `got ${cents} cents back, and comes`);
    // Stripe's times are whole seconds.
    if (!(at + 1_000 > cancelled.from + UNDO_MS))
      blame('  before it was too late to come', `got ${cents} cents back before it was too late to come`);
  }
}

/** What may have to go back to her card in all. */
function backOf(story: Story): number[] {
  const { person, paid } = story;
  if (person.back !== undefined) return [person.back];
  const [first] = paid;
  const { from, until } = spansOf(story).cancelled;
  if (!first) return [0];
  const { refundsEnd } = person.edition.moments;
  return [
    // What is paid after she has cancelled goes back whole, however close together that was.
    ...(first.at >= from - RACE_MS ? [first.cents] : []),
    ...(first.at <= until + RACE_MS && from < refundsEnd ? [person.edition.backCents] : []),
    ...(first.at <= until + RACE_MS && until >= refundsEnd ? [0] : []),
  ];
}

const chargedOf = ({ charges }: Story): number =>
  charges.reduce((sum, { status, amount }) => sum + (status === 'succeeded' ? amount : 0), 0);

/** What came and went back, in US cents: by card as Stripe has it, and by check. */
function moneyOf(story: Story) {
  return {
    card: {
      came: chargedOf(story),
      back: sumOf(story.refunds.filter(({ status }) => status !== 'failed')),
    },
    check: {
      came: sumOf(checksOf(story).filter(({ bounced }) => !bounced)),
      back: sumOf(givenBack(story, 'refund-by-check')),
    },
  };
}

/**
 * Checks that the office's bookkeeping of all months together has for each registration what Stripe has, to the cent, and
 * what came by check. What her bank took back in a dispute is left out.
 */
export function judgeBooks(stories: readonly Story[], rows: readonly Row[], verdict: Verdict): void {
  const known = new Set(stories.map(({ registration }) => registration));
  for (const { Registration: registration = '' } of rows)
    if (!known.has(registration)) verdict.blame(undefined, `the books have a row of nobody: ${registration}`);
  for (const story of stories)
    for (const [way, { came, back }] of Object.entries(moneyOf(story))) {
      const own = rows.filter(
        (row) => row.Registration === story.registration && row.Way === way && !row.What?.includes('dispute'),
      );
      const told = own.reduce((sum, row) => sum + Math.round(Number(row['Gross (USD)']) * 100), 0);
      verdict.count('US cents in the books', told);
      if (told === came - back) continue;
      const says = `${nameOf(story)} is in the books with ${told} cents by ${way} instead of ${came - back}`;
      verdict.blame('Wrong cents in the books', says);
    }
}

/** The office's list agrees with Stripe, and with what she decided. */
function judgeList(story: Story, row: Row, blame: Blame): void {
  const { person } = story;
  const { card, check } = moneyOf(story);
  const is = (column: string, cents: number): void => {
    const told = Math.round(Number(row[column]) * 100);
    if (told !== cents) blame(undefined, `is listed with ${told} cents instead of ${cents}: ${column}`);
  };
  is('Came in (USD)', card.came + check.came);
  is('Went back (USD)', card.back + check.back);
  is('Check to send (USD)', 0);
  const isListed = row.Cancelled !== '';
  const cancels = person.deeds.some(isCancelling) && !person.deeds.some(isUndoing);
  if (isListed !== cancels)
    blame(undefined, cancels ? 'is not listed as cancelled' : 'is listed as cancelled');
  const isPending = /refund not made yet|under way/.test(row['Stands at'] ?? '');
  if (isPending && !person.deeds.some(({ does }) => does.startsWith('disputes-')))
    blame(undefined, `has cancelled, and it was not worked off: ${row['Stands at']}`);
}
