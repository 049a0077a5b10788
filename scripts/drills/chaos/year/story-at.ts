import type { Story } from './account.ts';
import type { Returned } from './tell-bounce.ts';

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

/** Since when nothing is left to pay. */
export function settledAt({ person, paid: [paid], checkCameAt, waivedAt }: Story): number {
  const waived = person.ending === 'waived' ? waivedAt : Number.POSITIVE_INFINITY;
  return Math.min(paid?.at ?? Number.POSITIVE_INFINITY, checkCameAt, waived);
}

/** Whether she had cancelled at a moment, and had not taken it back. */
export function isCancelledAt({ cancel }: Pick<Story, 'cancel'>, moment: number, toleranceMs = 0): boolean {
  if (!cancel) return false;
  const { at, undoneAt = Number.POSITIVE_INFINITY } = cancel;
  return moment > at + toleranceMs && moment < undoneAt;
}

/** When an address takes no letters, and the site knows it: from a moment on until another, as far as either is certain. */
export interface Dead {
  /** It may know it from then on, and does from `knownAt` on. */
  askedAt: number;
  knownAt: number;
  /** It may be over from then on, and is from `overAt` on. */
  overFrom: number;
  overAt: number;
}

/** By what the mail service told, and the office. A second letter that did not arrive for now counts as one that never does. */
export function deadSpans({ returned, mended }: Pick<Story, 'returned' | 'mended'>, address: string): Dead[] {
  const told = returned.filter((one) => one.address === address).toSorted((a, b) => a.askedAt - b.askedAt);
  return told
    .filter((one, place) => isFatal(one, told.slice(0, place)))
    .map(({ askedAt, knownAt }) => {
      const over = mended.find((one) => one.address === address && one.from > askedAt);
      return {
        ...{ askedAt, knownAt },
        overFrom: over?.from ?? Number.POSITIVE_INFINITY,
        overAt: over?.until ?? Number.POSITIVE_INFINITY,
      };
    });
}

function isFatal({ type }: Returned, before: readonly Returned[]): boolean {
  return type === 'hard' || (type === 'soft' && before.some((one) => one.type === 'soft'));
}

/** Whether the site knew for certain, all the while from one moment to another, that an address takes no letters. */
export function wasDead(
  story: Pick<Story, 'returned' | 'mended'>,
  address: string,
  from: number,
  until: number,
): boolean {
  return deadSpans(story, address).some(({ knownAt, overFrom }) => knownAt < from && until < overFrom);
}

/** Whether nothing kept the site from writing to an address, all the while from one moment to another. */
export function wasAlive(
  story: Pick<Story, 'returned' | 'mended'>,
  address: string,
  from: number,
  until: number,
): boolean {
  return deadSpans(story, address).every(({ askedAt, overAt }) => until < askedAt || overAt <= from);
}
