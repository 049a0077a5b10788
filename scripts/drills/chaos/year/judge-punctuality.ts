import type { Story } from './account.ts';
import { nameOf } from './register.ts';
import { dueAt } from './story-at.ts';

/** Between a moment and what happens at it, where nothing goes wrong: the clock of the year does not stand still. */
const WITHIN_MS = 15 * 60 * 1000;

/** Whether notices, reminders and first charges came at the moments of each one's edition, where nothing went wrong. */
export function judgePunctuality(stories: readonly Story[]): string[] {
  return stories.flatMap((story) => {
    const { person, paidAt = Number.NaN, mails, paid, refusedAt } = story;
    const { notice, reminder, charge } = person.edition.moments;
    const due = dueAt(story, paidAt);
    const sentAt = (kind: string) => mails.find(({ messageId }) => messageId.startsWith(`<${kind}-pi_`))?.at;
    const chargedAt = paid.find(({ withoutHer }) => withoutHer)?.at;
    const happened = [
      ['notice', sentAt('balance-notice'), Math.max(due - (charge - notice), paidAt)],
      ['reminder', sentAt('balance-reminder'), due - (charge - reminder)],
      ['first charge', refusedAt[0] ?? chargedAt, due],
    ] as const;
    return happened
      .filter(([, at, moment]) => at !== undefined && !(at >= moment && at < moment + WITHIN_MS))
      .map(([what, at = Number.NaN, moment]) => {
        const [came, wanted] = [at, moment].map((one) => new Date(one).toISOString());
        return `${nameOf(story)}: the ${what} came at ${came} instead of ${wanted}`;
      });
  });
}
