import type { Story } from './account.ts';
import { nameOf } from './register.ts';
import { dueAt } from './story-at.ts';

/**
 * The longest time between a moment and what has to happen at it, where nothing goes wrong: the clock of the
 * year goes on meanwhile.
 */
const WITHIN_MS = 15 * 60 * 1000;

/**
 * Checks that notices, reminders, first charges and the letters of the retreat came at the moments of each
 * registrant's edition, where nothing went wrong.
 */
export function judgePunctuality(stories: readonly Story[]): string[] {
  return stories.flatMap((story) => {
    const { person, paidAt = Number.NaN, mails, paid, refusedAt } = story;
    const { notice, reminder, charge } = person.edition.moments;
    const { testSession, wayIn } = person.edition.retreat;
    const due = dueAt(story, paidAt);
    const sentAt = (kind: string, tells = '') =>
      mails.find(({ messageId, subject }) => messageId.startsWith(`<${kind}-pi_`) && subject.includes(tells))
        ?.at;
    const chargedAt = paid.find(({ withoutHer }) => withoutHer)?.at;
    const happened = [
      ['notice', sentAt('balance-notice'), Math.max(due - (charge - notice), paidAt)],
      ['reminder', sentAt('balance-reminder'), due - (charge - reminder)],
      ['first charge', refusedAt[0] ?? chargedAt, due],
      ['letter about the test session', sentAt('test-session'), Math.max(testSession.from, paidAt)],
      ...wayIn.map(
        ({ day, from }) => [`way in of ${day}`, sentAt('way-in', day), Math.max(from, paidAt)] as const,
      ),
    ] as const;
    return happened
      .filter(([, at, moment]) => at !== undefined && !(at >= moment && at < moment + WITHIN_MS))
      .map(([what, at = Number.NaN, moment]) => {
        const [came, wanted] = [at, moment].map((one) => new Date(one).toISOString());
        return `${nameOf(story)}: the ${what} came at ${came} instead of ${wanted}`;
      });
  });
}
