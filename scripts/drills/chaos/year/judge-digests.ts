import { mayRepeat } from '#scripts/drills/chaos/judge-mails.ts';
import type { Story } from './account.ts';
import type { EditionLived } from './editions.ts';
import type { DatedMail } from './ledger.ts';
import { addressOf } from './people.ts';
import { nameOf } from './register.ts';
import { wasForgotten, type YearCircumstances } from './repeats.ts';
import { wasDead } from './story-at.ts';

/** In the retreat's time zone. */
const FIRST_HOUR = 8;
/** For this long after a retreat the office gets digests about it. */
const DIGESTS_AFTER_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Checks that the office got one digest of an edition on each day on which something needs its attention:
 * from the notice on, somebody always has to be asked to pay.
 * @param steps the moments at which the clock stopped
 * @returns the digests, and what is wrong with them
 */
export function judgeDigests(
  mails: readonly DatedMail[],
  steps: readonly number[],
  circumstances: YearCircumstances,
  { id, timeZone, moments }: EditionLived,
): { digests: number; problems: string[] } {
  const problems: string[] = [];
  const digests = mails.filter(({ messageId }) => messageId.startsWith(`<office-digest-${id}-`));
  /** On the retreat's clock: `2025-12-21 17:00:00`. */
  const localTime = (at: number) => new Date(at).toLocaleString('sv-SE', { timeZone });
  const days = new Map<string, DatedMail[]>();
  for (const digest of digests) {
    const [day = ''] = /\d{4}-\d\d-\d\d(?=@)/.exec(digest.messageId) ?? [];
    if (localTime(digest.at).slice(0, 10) !== day)
      problems.push(`the digest of ${day} came ${localTime(digest.at)}`);
    days.set(day, [...(days.get(day) ?? []), digest]);
  }
  const times = steps
    .filter((at) => at > moments.notice && at < moments.ends + DIGESTS_AFTER_MS)
    .map(localTime);
  const owed = new Set(
    times.filter((time) => Number(time.slice(11, 13)) >= FIRST_HOUR).map((time) => time.slice(0, 10)),
  );
  for (const day of owed) if (!days.has(day)) problems.push(`the office got no digest on ${day}`);
  for (const [day, copies] of days) {
    const again = copies
      .slice(0, -1)
      .filter((copy) => !wasForgotten(copy, circumstances) && !mayRepeat(copy, circumstances));
    if (again.length > 0) problems.push(`the office got ${copies.length} digests on ${day} without a cause`);
  }
  return { digests: digests.length, problems };
}

/** The data of the list from which digests are made is at most this old. */
const LISTED_WITHIN_MS = 12 * 60 * 60 * 1000;

/** Checks that each digest, until the retreat is over, names the registrants whom no letter reaches. */
export function judgeNaming(
  stories: readonly Story[],
  mails: readonly DatedMail[],
): { unreachable: number; problems: string[] } {
  const problems: string[] = [];
  let unreachable = 0;
  for (const story of stories) {
    const { person, cancel, paidAt } = story;
    const { id, moments } = person.edition;
    if (cancel || paidAt === undefined) continue;
    const isOwed = ({ at, messageId }: DatedMail): boolean => {
      const address = addressOf(person, at >= story.correctedAt);
      const isOfHer = messageId.startsWith(`<office-digest-${id}-`) && at < moments.ends;
      return isOfHer && wasDead(story, address, at - LISTED_WITHIN_MS, at);
    };
    const owed = mails.filter(isOwed);
    unreachable += Number(owed.length > 0);
    const missing = owed.filter(({ text }) => !text.includes(`${person.firstName} ${person.lastName}`));
    if (missing.length > 0) problems.push(`${nameOf(story)} is not named by ${missing.length} digests`);
  }
  return { unreachable, problems };
}
