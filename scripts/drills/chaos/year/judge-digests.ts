import { mayRepeat } from '#scripts/drills/chaos/judge-mails.ts';
import type { DatedMail } from './ledger.ts';
import { moments } from './lives.ts';
import { wasForgotten, type YearCircumstances } from './repeats.ts';

/** In the retreat's time zone. */
const FIRST_HOUR = 8;

/**
 * Looks whether the office got one digest on each day on which something needs it: from the notice on, somebody has to be
 * asked to pay.
 * @param steps where the clock stood
 * @returns the digests, and what is wrong with them
 */
export function judgeDigests(
  mails: readonly DatedMail[],
  steps: readonly number[],
  circumstances: YearCircumstances,
): { digests: number; problems: string[] } {
  const problems: string[] = [];
  const digests = mails.filter(({ messageId }) => messageId.startsWith('<office-digest-'));
  const days = new Map<string, DatedMail[]>();
  for (const digest of digests) {
    const [day = ''] = /\d{4}-\d\d-\d\d(?=@)/.exec(digest.messageId) ?? [];
    if (localTime(digest.at).slice(0, 10) !== day)
      problems.push(`the digest of ${day} came ${localTime(digest.at)}`);
    days.set(day, [...(days.get(day) ?? []), digest]);
  }
  const times = steps.filter((at) => at > moments.notice).map(localTime);
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

/** On the retreat's clock: `2025-12-21 17:00:00`. */
function localTime(at: number): string {
  return new Date(at).toLocaleString('sv-SE', { timeZone: 'America/Los_Angeles' });
}
