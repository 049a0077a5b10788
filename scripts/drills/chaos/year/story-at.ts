import type { Story } from './account.ts';
import type { Person } from './people.ts';

/** When the balance is due, as it was at a moment. By the rules of the terms, worked out here once more. */
export function dueAt({ person, paidAt = Number.NaN, postponed }: Story, now: number): number {
  const { moments, lateMs } = person.edition;
  if (postponed && now >= postponed.at) return postponed.until;
  if (paidAt <= moments.charge - lateMs) return moments.charge;
  // Stripe knows the second.
  return Math.floor(paidAt / 1000) * 1000 + lateMs;
}

/** What is due by card, as it was at a moment. */
export function dueCents({ person, waivedAt }: Story, now: number): number {
  return now >= waivedAt ? person.cents : person.edition.balanceCents;
}

/** Where her letters go, before or after her address was corrected. */
export function addressOf({ deeds, email }: Person, corrected: boolean): string {
  const [changed] = deeds.flatMap((deed) => ('corrects' in deed && deed.corrects ? [deed.corrects] : []));
  return corrected && changed ? changed : email;
}

/** Whether she had cancelled at a moment, and had not taken it back. */
export function isCancelledAt({ cancel }: Pick<Story, 'cancel'>, moment: number, toleranceMs = 0): boolean {
  if (!cancel) return false;
  const { at, undoneAt = Number.POSITIVE_INFINITY } = cancel;
  return moment > at + toleranceMs && moment < undoneAt;
}
