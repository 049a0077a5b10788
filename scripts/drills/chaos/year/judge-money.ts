import type { Account, Story } from './account.ts';
import type { EditionLived } from './editions.ts';
import { addressOf } from './people.ts';
import { nameOf } from './register.ts';
import { deadSpans, dueAt, isCancelledAt } from './story-at.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The least time between a notice and the charge that it announces. */
export const NOTICE_MS = 3 * DAY_MS;

/** Two events that are this close together count as a race: neither could know of the other. */
export const RACE_MS = 5_000;

/** What happened to the money. */
export interface MoneyCount {
  /** Balances that were charged without her. */
  charged: number;
  /** Balances that she paid on her page. */
  paidByHer: number;
  doubleCharges: number;
  wrongCents: number;
  withoutConsent: number;
  withoutNotice: number;
  afterCancelling: number;
  /** Attempts at which her card was refused. */
  refusals: number;
  problems: string[];
}

export const noMoney = (): MoneyCount => ({
  ...{ charged: 0, paidByHer: 0, doubleCharges: 0, wrongCents: 0 },
  ...{ withoutConsent: 0, withoutNotice: 0, afterCancelling: 0, refusals: 0 },
  problems: [],
});

/** Compares the charges with those of each life, and adds the results to `count`. */
export function judgeMoney(stories: readonly Story[], account: Account, count: MoneyCount): void {
  for (const story of stories) judgeOne(story, count);
  const known = new Set(stories.map(({ deposit }) => deposit.customer));
  for (const { id, customer } of account.charges)
    if (!known.has(customer)) count.problems.push(`${id} is a charge of nobody`);
  if (account.customers.length !== stories.length)
    count.problems.push(`${account.customers.length} customers instead of ${stories.length}`);
}

function judgeOne(story: Story, count: MoneyCount): void {
  const { person, paid, charges } = story;
  const say = (what: string) => void count.problems.push(`${nameOf(story)} ${what}`);
  const [first, ...more] = paid;
  const isRegistered = person.ending !== 'never-registered';
  const succeeded = charges.filter(({ status }) => status === 'succeeded');
  if (more.length > 0 || succeeded.length !== Number(isRegistered) + paid.length) {
    count.doubleCharges += 1;
    say(`was charged ${succeeded.length} times, ${paid.length} of them for the balance`);
  }
  const cents = succeeded.reduce((sum, { amount }) => sum + amount, 0);
  const owed = (isRegistered ? person.edition.depositCents : 0) + (first ? person.cents : 0);
  if (cents !== owed) {
    count.wrongCents += 1;
    say(`was charged ${cents} cents instead of ${owed}`);
  }
  count.refusals += story.refusedAt.length;
  if (person.tries !== undefined && story.tries !== person.tries)
    say(`was tried ${story.tries} times instead of ${person.tries}`);
  const isPaid = person.ending === 'charged' || person.ending === 'pays';
  const isEither = person.ending === 'charged-or-cancelled';
  if (isPaid && !first) say('has not paid');
  if (!isPaid && !isEither && first) say('has paid');
  if (!first) return;
  if (!first.withoutHer) {
    count.paidByHer += 1;
    if (person.ending === 'charged' && person.tries !== undefined) say('was to be charged without her');
    return;
  }
  count.charged += 1;
  if (person.ending === 'pays') say('was charged without her');
  judgeCharge(story, first.at, count, say);
}

/** Whether a charge without her was allowed. */
function judgeCharge(story: Story, at: number, count: MoneyCount, say: (what: string) => void): void {
  const { person, deposit } = story;
  if (!person.consents || deposit.metadata.terms === undefined) {
    count.withoutConsent += 1;
    say('was charged without her consent');
  }
  if (at < dueAt(story, at) - RACE_MS) say('was charged too early');
  if (!isTold(story, at)) {
    count.withoutNotice += 1;
    say('was charged without a notice');
  }
  if (isCancelledAt(story, at, RACE_MS)) {
    count.afterCancelling += 1;
    say('was charged after she cancelled');
  }
}

/**
 * Whether a letter announced the day of the charge to her, at least three days before, at the address that
 * was valid at the charge. It does not count if the site knew before the charge that it bounced, or that the
 * address was dead since then.
 */
export function isTold(story: Story, chargedAt: number): boolean {
  const { person } = story;
  const due = dueAt(story, chargedAt);
  const address = addressOf(person, chargedAt >= story.correctedAt);
  return story.mails.some(
    ({ messageId, recipients, text, at }) =>
      /^<balance-(?:notice|postponed)-/.test(messageId) &&
      recipients.includes(address) &&
      at <= due - NOTICE_MS &&
      text.includes(dayOf(due, person.edition)) &&
      !cameBack(story, messageId, at, chargedAt) &&
      !deadSpans(story, address).some(({ knownAt, overAt }) => overAt > at && knownAt < chargedAt - RACE_MS),
  );
}

/** Whether the site knew before a charge that a copy of a letter did not arrive. */
function cameBack({ returned }: Story, messageId: string, takenAt: number, chargedAt: number): boolean {
  return returned.some(
    (one) =>
      one.messageId === messageId &&
      one.takenAt >= takenAt &&
      one.type !== 'complaint' &&
      one.knownAt < chargedAt - RACE_MS,
  );
}

/** A day as letters write it, on the retreat's calendar. */
export function dayOf(at: number, { timeZone }: Pick<EditionLived, 'timeZone'>): string {
  return new Date(at).toLocaleDateString('en-US', { dateStyle: 'long', timeZone });
}
