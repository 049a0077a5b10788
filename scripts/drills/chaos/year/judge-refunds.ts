import type { Account, RefundFacts, Story } from './account.ts';
import { RACE_MS } from './judge-money.ts';
import type { Deed } from './life.ts';
import { nameOf } from './register.ts';

const UNDO_MS = 24 * 60 * 60 * 1000;

/** What happened to refunds. */
export interface RefundCount {
  /** Registrations that ended with a cancellation. */
  cancelled: number;
  /** Registrations whose cancellation was taken back. */
  undone: number;
  refunds: number;
  cents: number;
  /** What the office sends by check. */
  checkCents: number;
  wrongCents: number;
  /** Acts that caused more than one refund of a payment. */
  doubled: number;
  /** Refunds within the 24 hours in which the cancellation could be taken back. */
  tooSoon: number;
  /** Refunds for a cancellation that was taken back, or after the deposit was disputed. */
  unasked: number;
  problems: string[];
}

export const noRefunds = (): RefundCount => ({
  ...{ cancelled: 0, undone: 0, refunds: 0, cents: 0, checkCents: 0 },
  ...{ wrongCents: 0, doubled: 0, tooSoon: 0, unasked: 0 },
  problems: [],
});

/** Compares the refunds with those of each life, and adds the results to `count`. */
export function judgeRefunds(
  stories: readonly Story[],
  { refunds }: Pick<Account, 'refunds'>,
  count: RefundCount,
): void {
  for (const story of stories) judgeOne(story, count);
  const known = new Set(stories.flatMap((story) => story.refunds.map(({ id }) => id)));
  for (const { id } of refunds) if (!known.has(id)) count.problems.push(`${id} is a refund of nobody`);
}

function judgeOne(story: Story, count: RefundCount): void {
  const { person, refunds, cancel, workedOff } = story;
  const say = (what: string) => void count.problems.push(`${nameOf(story)} ${what}`);
  const back = sumOf(refunds);
  const expected = backOf(story);
  count.refunds += refunds.length;
  count.cents += back;
  if (back !== expected) {
    count.wrongCents += 1;
    say(`got ${back} cents back instead of ${expected}`);
  }
  judgeActs(story, count, say);
  const cancels = person.deeds.some(isCancelling);
  const undoes = person.deeds.some(isUndoing);
  if (cancels !== (cancel !== undefined)) say(cancels ? 'has not cancelled' : 'has cancelled');
  if (undoes !== (cancel?.undoneAt !== undefined)) say(undoes ? 'still cancels' : 'cancels no more');
  if (!cancel || undoes) {
    count.undone += Number(undoes);
    if (workedOff) say('was cancelled, and wanted to come');
    return;
  }
  count.cancelled += 1;
  judgeEnd(story, count, say);
}

/** Checks for each refund which act caused it, how often, and when. */
function judgeActs(
  { refunds, cancel, disputedAt }: Story,
  count: RefundCount,
  say: (what: string) => void,
): void {
  const acts = refunds.map(({ of, order }) => `${order} of the ${of}`);
  for (const act of new Set(acts)) {
    const times = acts.filter((one) => one === act).length;
    if (times === 1) continue;
    count.doubled += 1;
    say(`got ${act} back ${times} times`);
  }
  for (const { order, at, cents } of refunds) {
    if (order === undefined) say(`got ${cents} cents back that no act names`);
    if (at > disputedAt + RACE_MS || (isOfCancel({ order }) && cancel?.undoneAt !== undefined)) {
      count.unasked += 1;
      say(`got ${cents} cents back that were not to be moved`);
    }
    if (isOfCancel({ order }) && !(cancel && at >= cancel.at + UNDO_MS)) {
      count.tooSoon += 1;
      say(`got ${cents} cents back before it was too late to come all the same`);
    }
  }
}

/** Checks what the worker recorded about a cancellation that was not taken back. */
function judgeEnd(story: Story, count: RefundCount, say: (what: string) => void): void {
  const { person, workedOff, disputedAt } = story;
  if (disputedAt < Number.POSITIVE_INFINITY) {
    if (workedOff) say('was worked off while it was disputed');
    return;
  }
  if (!workedOff) {
    say('has cancelled, and it was not worked off');
    return;
  }
  const sent = sumOf(story.refunds.filter(isOfCancel));
  if (workedOff.cents !== sent) {
    count.wrongCents += 1;
    say(`has ${workedOff.cents} cents on record instead of ${sent}`);
  }
  count.checkCents += workedOff.checkCents;
  if (workedOff.checkCents !== person.checkBack) {
    count.wrongCents += 1;
    say(`is to get ${workedOff.checkCents} cents by check instead of ${person.checkBack}`);
  }
}

/** How much has to go back to her card in all. */
function backOf({ person, paid: [paid], cancel }: Story): number {
  if (person.back !== undefined) return person.back;
  if (!paid || !cancel) return 0;
  // What is paid after she has cancelled goes back whole, however close together that was.
  if (cancel.balanceOpen || paid.at > cancel.writtenAt) return paid.cents;
  return cancel.writtenAt < person.edition.moments.refundsEnd ? person.edition.backCents : 0;
}

const isCancelling = (deed: Deed): boolean =>
  deed.does === 'cancel' || (deed.does === 'office' && deed.words('')[0] === 'cancel');
const isUndoing = (deed: Deed): boolean =>
  deed.does === 'undo' || (deed.does === 'office' && deed.words('')[0] === 'undo-cancel');

/** Whether a refund was caused by a cancellation, and not by an exception. */
export function isOfCancel({ order }: Pick<RefundFacts, 'order'>): boolean {
  return order?.startsWith('cancel ') === true;
}

export function sumOf(refunds: readonly Pick<RefundFacts, 'cents'>[]): number {
  return refunds.reduce((sum, { cents }) => sum + cents, 0);
}
