import { nameOf } from '#scripts/drills/stage/registering.ts';
import type { Verdict } from './count.ts';
import { dayOf, kindOf, NOTICE_MS, refundsOfCancel, sumOf, UNDO_MS } from './promises.ts';
import {
  type Account,
  addressesAt,
  cancelledIn,
  deadSpans,
  disputedIn,
  dueMoments,
  givenBack,
  isCancelled,
  isCancelling,
  isForgotten,
  isUndoing,
  type Story,
  undoneIn,
} from './story.ts';

/** Two events that are this close together count as a race: neither could know of the other. */
const RACE_MS = 5_000;

/** Checks that nobody but the registrants has anything at Stripe. */
export function judgeAccount(stories: readonly Story[], account: Account, verdict: Verdict): void {
  const customers = new Set(stories.map(({ customer }) => customer));
  const refunds = new Set(stories.flatMap((story) => story.refunds.map(({ id }) => id)));
  for (const { id, customer } of [...account.payments, ...account.charges])
    if (!customers.has(String(customer))) verdict.blame(undefined, `${id} is a payment of nobody`);
  for (const { id } of account.refunds)
    if (!refunds.has(id)) verdict.blame(undefined, `${id} is a refund of nobody`);
  if (account.customers.length !== stories.length)
    verdict.blame(undefined, `${account.customers.length} customers instead of ${stories.length}`);
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
  else if (at < agreed.from || at > agreed.until)
    blame(undefined, `agreed at another time than ${new Date(at).toISOString()}`);
  if (shown.agreed.version !== version || shown.agreed.digest !== digest)
    blame(undefined, `agreed to other terms than version ${shown.agreed.version}`);
}

function judgePayments(story: Story, verdict: Verdict, blame: Blame): void {
  const { person, paid, charges } = story;
  const [first, ...more] = paid;
  const isRegistered = person.ending !== 'never-registered';
  if (!story.customer) blame(undefined, 'has no customer at Stripe');
  if (story.openPayments > 1) blame(undefined, `could pay the balance ${story.openPayments} times`);
  const succeeded = charges.filter(({ status }) => status === 'succeeded');
  if (more.length > 0 || succeeded.length !== Number(isRegistered) + paid.length)
    blame('Double charges', `was charged ${succeeded.length} times, ${paid.length} of them for the balance`);
  const cents = succeeded.reduce((sum, { amount }) => sum + amount, 0);
  const owed = (isRegistered ? person.edition.depositCents : 0) + (first ? person.cents : 0);
  if (cents !== owed) blame('Wrong cents', `was charged ${cents} cents instead of ${owed}`);
  verdict.count('  refused cards', story.refusedAt.length);
  if (person.tries !== undefined && story.tries !== person.tries)
    blame(undefined, `was tried ${story.tries} times instead of ${person.tries}`);
  const isPaid = person.ending === 'charged' || person.ending === 'pays';
  if (isPaid && !first) blame(undefined, 'has not paid');
  if (!isPaid && person.ending !== 'charged-or-cancelled' && first) blame(undefined, 'has paid');
  if (!first) return;
  verdict.count(first.withoutHer ? 'Balances charged without her' : '  paid on her page');
  if (first.withoutHer && person.ending === 'pays') blame(undefined, 'was charged without her');
  if (first.withoutHer) judgeCharge(story, first.at, blame);
  else if (person.ending === 'charged' && person.tries !== undefined)
    blame(undefined, 'was to be charged without her');
}

function judgeCharge(story: Story, at: number, blame: Blame): void {
  if (!story.person.consents || !story.shown.agreed)
    blame('Charged without consent', 'was charged without her consent');
  if (at < Math.min(...dueMoments(story, at)) - RACE_MS) blame(undefined, 'was charged too early');
  if (!isTold(story, at)) blame('Charged without notice', 'was charged without a notice');
  if (isCancelled(story, at, at, RACE_MS))
    blame('Charged after cancelling', 'was charged after she cancelled');
}

/**
 * Whether a letter announced the day of the charge to her, at least three days before, at the address that was valid at
 * the charge. It does not count if the site knew before the charge that it came back, or that the address was dead since.
 */
function isTold(story: Story, chargedAt: number): boolean {
  const due = dueMoments(story, chargedAt);
  const knownBefore = chargedAt - RACE_MS;
  return story.mails.some(({ messageId, recipients, text, at }) => {
    const [address = ''] = addressesAt(story, chargedAt).filter((one) => recipients.includes(one));
    const cameBack = story.returned.some(
      (one) =>
        one.messageId === messageId &&
        one.takenAt >= at &&
        one.type !== 'complaint' &&
        one.knownAt < knownBefore,
    );
    const isDead = deadSpans(story, address).some(
      ({ knownAt, over }) => over.from > at && knownAt < knownBefore,
    );
    return (
      ['notice', 'postponed'].includes(kindOf(messageId)) &&
      address !== '' &&
      due.some((day) => at <= day - NOTICE_MS && text.includes(dayOf(day, story.person.edition))) &&
      !cameBack &&
      !isDead
    );
  });
}

function judgeRefunds(story: Story, verdict: Verdict, blame: Blame): void {
  const { person, refunds } = story;
  const [cancelled, undone] = [cancelledIn(story), undoneIn(story)];
  const isUndone = person.deeds.some(isUndoing);
  if (person.deeds.some(isCancelling)) verdict.count(isUndone ? '  taken back' : 'Cancelled');
  const back = sumOf(refunds);
  const expected = backOf(story);
  verdict.count('Refunds to cards', refunds.length);
  verdict.count('  US cents', back);
  if (!expected.includes(back))
    blame('Wrong cents back', `got ${back} cents back instead of ${expected.join(' or ')}`);
  const ofCancel = refundsOfCancel(story, refunds);
  if (ofCancel.length > 1) blame('Refunded twice', `got ${ofCancel.length} refunds of one cancellation`);
  const exceptions = givenBack(story, 'refund').length;
  if (refunds.length - ofCancel.length > exceptions)
    blame('Refunded twice', `got more refunds than the ${exceptions} that the office decided`);
  for (const { at, cents } of refunds)
    if (at > disputedIn(story).until + RACE_MS)
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
  const { from, until } = cancelledIn(story);
  if (!first) return [0];
  const { refundsEnd } = person.edition.moments;
  return [
    // What is paid after she has cancelled goes back whole, however close together that was.
    ...(first.at >= from - RACE_MS ? [first.cents] : []),
    ...(first.at <= until + RACE_MS && from < refundsEnd ? [person.edition.backCents] : []),
    ...(first.at <= until + RACE_MS && until >= refundsEnd ? [0] : []),
  ];
}

/** The office's list agrees with Stripe, and with what she decided. */
function judgeList(story: Story, row: Readonly<Record<string, string>>, blame: Blame): void {
  const { person, charges, refunds } = story;
  const is = (column: string, cents: number): void => {
    const told = Math.round(Number(row[column]) * 100);
    if (told !== cents) blame(undefined, `is listed with ${told} cents instead of ${cents}: ${column}`);
  };
  const byCheck = person.ending === 'check' ? person.edition.checkCents : 0;
  const sent = sumOf(givenBack(story, 'refund-by-check').map((cents) => ({ cents })));
  is(
    'Came in (USD)',
    sumOf(charges.filter(({ status }) => status === 'succeeded').map(({ amount }) => ({ cents: amount }))) +
      byCheck,
  );
  is('Went back (USD)', sumOf(refunds.filter(({ status }) => status !== 'failed')) + sent);
  is('Check to send (USD)', 0);
  const isListed = row.Cancelled !== '';
  const cancels = person.deeds.some(isCancelling) && !person.deeds.some(isUndoing);
  if (isListed !== cancels)
    blame(undefined, cancels ? 'is not listed as cancelled' : 'is listed as cancelled');
  const isPending = /refund not made yet|under way/.test(row['Stands at'] ?? '');
  if (isPending && !person.deeds.some(({ does }) => does.startsWith('disputes-')))
    blame(undefined, `has cancelled, and it was not worked off: ${row['Stands at']}`);
}
