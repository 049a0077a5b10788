import type { DatedMail } from '#scripts/drills/stage/notes.ts';
import { nameOf } from '#scripts/drills/stage/registering.ts';
import { DAY_MS, type EditionLived, HOUR_MS } from '#scripts/world/editions.ts';
import type { Verdict } from './count.ts';
import { allPromises, kindOf, promised, SENT_WITHIN_MS, untruthOf } from './promises.ts';
import type { Repeats } from './repeats.ts';
import {
  addressesAt,
  dueMoments,
  isCancelled,
  isCancelling,
  type Story,
  wasAlive,
  wasDead,
} from './story.ts';

const time = (at = Number.NaN): string => new Date(at).toISOString().slice(0, 19);

/**
 * Compares the letters that the mail server accepted with those that are owed, and checks that each was true.
 * @param steps the moments at which the clock stopped while a worker was running
 */
export function judgeLetters(
  story: Story,
  steps: readonly number[],
  repeats: Repeats,
  verdict: Verdict,
): void {
  const left = owedTo(story, steps);
  const known = new Set<string>();
  const taken = new Map<string, DatedMail[]>();
  for (const mail of story.mails) taken.set(mail.messageId, [...(taken.get(mail.messageId) ?? []), mail]);
  verdict.count(
    'Letters expected',
    [...left.values()].reduce((sum, each) => sum + each, 0),
  );
  const blame = (what: Parameters<Verdict['blame']>[0], says: string): void =>
    verdict.blame(what, `${nameOf(story)} ${says}`);
  for (const [messageId, copies] of taken) {
    const kind = kindOf(messageId);
    const name = nameIn(copies, story);
    const wanted = left.get(name) ?? 0;
    if (wanted > 0) {
      left.set(name, wanted - 1);
      verdict.count('  received');
    } else if (promised(kind)?.each ? known.has(name) : !mayGet(story, kind))
      blame('  unasked', `got ${name} unasked at ${time(copies[0]?.at)}`);
    known.add(name);
    verdict.count('  repeated under one Message-ID', copies.length - 1);
    if ((left.get(name) ?? 0) > 0 && cameAgainOnceMended(copies, story)) {
      left.set(name, (left.get(name) ?? 0) - 1);
      verdict.count('  received');
    }
    for (const copy of copies.slice(0, -1))
      if (!repeats.mayComeAgain(copy))
        blame(undefined, `got ${kind} twice without a cause, at ${copies.map(({ at }) => time(at))}`);
    for (const copy of copies) {
      const lie = untruthOf(copy, story);
      if (lie) blame('  untrue', `got an untrue ${kind} at ${time(copy.at)}: ${lie}`);
    }
  }
  for (const [name, number] of left) {
    if (number === 0) continue;
    verdict.count('  lost', number);
    blame(undefined, `did not get ${number} × ${name}`);
  }
}

/**
 * Whether a letter came back, and came again once letters arrive at the address. Where nobody could record that it was
 * sent the first time, the second one has the same Message-ID.
 */
function cameAgainOnceMended([first, ...others]: readonly DatedMail[], { mended }: Story): boolean {
  const last = others.at(-1);
  return mended.some(
    ({ address, from }) => first && last?.recipients.includes(address) && first.at < from && from <= last.at,
  );
}

/** Letters that the payment may overtake, and those that depend on which event comes first. */
function mayGet(story: Story, kind: string): boolean {
  const { person, paidAt, isLost } = story;
  if (isLost) return promised(kind)?.overtaken === true;
  return paidAt !== undefined && (person.maybe.includes(kind) || promised(kind)?.overtaken === true);
}

function nameIn([first]: readonly DatedMail[], story: Story): string {
  const kind = kindOf(first?.messageId ?? '');
  const each = promised(kind)?.each;
  return first && each ? `${kind} ${each.of(first, story)} to ${first.recipients}` : kind;
}

/** The letters that must come, each as often as it must. */
function owedTo(story: Story, steps: readonly number[]): Map<string, number> {
  const owed = new Map<string, number>();
  if (story.isLost) return owed;
  for (const { as, owed: times } of allPromises) owed.set(as, times?.(story, steps) ?? 0);
  for (const kind of story.person.letters) owed.set(kind, (owed.get(kind) ?? 0) + 1);
  if (story.paidAt === undefined) return owed;
  for (const step of steps) {
    const to = addressForRetreat(story, step);
    if (!to) continue;
    for (const { as, each } of allPromises)
      for (const what of each?.dueAt(story, step) ?? []) owed.set(`${as} ${what} to ${to}`, 1);
  }
  return owed;
}

/**
 * Where letters about the retreat go when the clock stops: to her who comes and has got the welcome. Undefined if that
 * changes in that moment, or no letter arrives there.
 */
function addressForRetreat(story: Story, step: number): string | undefined {
  const { mails, paidAt = Number.POSITIVE_INFINITY } = story;
  const until = step + SENT_WITHIN_MS;
  const [to, ...others] = addressesAt(story, step, until);
  if (!to || others.length > 0 || step < paidAt) return undefined;
  if (isCancelled(story, step) || isCancelled(story, until) || !wasAlive(story, to, step, until))
    return undefined;
  const isWelcomed = mails.some(
    ({ messageId, recipients, at }) =>
      ['welcome', 'handed-over'].includes(kindOf(messageId)) && recipients.includes(to) && at < step,
  );
  return isWelcomed ? to : undefined;
}

/** In the retreat's time zone. */
const FIRST_HOUR = 8;
/** For this long after a retreat the office gets digests about it. */
const DIGESTS_AFTER_MS = 30 * DAY_MS;
/** The list from which digests are made is at most this old. */
const LISTED_WITHIN_MS = 12 * HOUR_MS;

/**
 * Checks that the office got one digest of an edition on each day on which something needs it, which from the notice on is
 * each: somebody has to be asked to pay. Until the retreat is over, each names whom no letter reaches.
 */
export function judgeDigests(
  { id, timeZone, moments }: EditionLived,
  stories: readonly Story[],
  { mails, steps, repeats }: { mails: readonly DatedMail[]; steps: readonly number[]; repeats: Repeats },
  verdict: Verdict,
): void {
  const digests = mails.filter(({ messageId }) => messageId.startsWith(`<office-digest-${id}-`));
  verdict.count('Digests to the office', digests.length);
  /** On the retreat's clock: `2025-12-21 17:00:00`. */
  const localTime = (at: number): string => new Date(at).toLocaleString('sv-SE', { timeZone });
  const days = new Map<string, DatedMail[]>();
  for (const digest of digests) {
    const [day = ''] = /\d{4}-\d\d-\d\d(?=@)/.exec(digest.messageId) ?? [];
    if (localTime(digest.at).slice(0, 10) !== day)
      verdict.blame(undefined, `the digest of ${day} came ${localTime(digest.at)}`);
    days.set(day, [...(days.get(day) ?? []), digest]);
  }
  const owed = steps
    .filter((at) => at > moments.notice && at < moments.ends + DIGESTS_AFTER_MS)
    .map(localTime)
    .filter((at) => Number(at.slice(11, 13)) >= FIRST_HOUR)
    .map((at) => at.slice(0, 10));
  for (const day of new Set(owed))
    if (!days.has(day)) verdict.blame(undefined, `the office got no digest on ${day}`);
  for (const [day, copies] of days)
    if (copies.slice(0, -1).some((copy) => !repeats.wasForgotten(copy) && !repeats.mayComeAgain(copy)))
      verdict.blame(undefined, `the office got ${copies.length} digests on ${day} without a cause`);
  for (const story of stories) {
    const { firstName, lastName, deeds } = story.person;
    if (story.person.edition.id !== id || deeds.some(isCancelling) || story.paidAt === undefined) continue;
    const naming = digests.filter(
      ({ at }) =>
        at < moments.ends &&
        addressesAt(story, at).every((address) => wasDead(story, address, at - LISTED_WITHIN_MS, at)),
    );
    if (naming.length > 0) verdict.count('  that named somebody unreachable');
    const missing = naming.filter(({ text }) => !text.includes(`${firstName} ${lastName}`));
    if (missing.length > 0)
      verdict.blame(undefined, `${nameOf(story)} is not named by ${missing.length} digests`);
  }
}

/** The longest time between a moment and what has to happen at it, where nothing goes wrong: the clock goes on meanwhile. */
const WITHIN_MS = 15 * 60 * 1000;

/** Checks that letters and first charges came at the moments of her edition, where nothing went wrong. */
export function judgePunctuality(story: Story, verdict: Verdict): void {
  const { person, paidAt = Number.NaN, mails, paid, refusedAt } = story;
  const { notice, reminder, charge } = person.edition.moments;
  const { testSession, wayIn } = person.edition.retreat;
  const [due = Number.NaN] = dueMoments(story, paidAt);
  const sentAt = (kind: string, tells = '') =>
    mails.find(({ messageId, subject }) => kindOf(messageId) === kind && subject.includes(tells))?.at;
  const happened: (readonly [string, number | undefined, number])[] = [
    ['notice', sentAt('notice'), Math.max(due - (charge - notice), paidAt)],
    ['reminder', sentAt('reminder'), due - (charge - reminder)],
    ['first charge', refusedAt[0] ?? paid.find(({ withoutHer }) => withoutHer)?.at, due],
    ['letter about the test session', sentAt('test-session'), Math.max(testSession.from, paidAt)],
    ...wayIn.map(
      ({ day, from }) => [`way in of ${day}`, sentAt('way-in', day), Math.max(from, paidAt)] as const,
    ),
  ];
  for (const [what, at, moment] of happened) {
    if (at === undefined || (at >= moment && at < moment + WITHIN_MS)) continue;
    verdict.blame(undefined, `${nameOf(story)}: the ${what} came at ${time(at)} instead of ${time(moment)}`);
  }
}
