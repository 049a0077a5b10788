import type { Story } from './account.ts';
import type { Returned } from './tell-bounce.ts';

/**
 * When the balance is due, as known at a moment: by the rules of the terms, calculated independently of the
 * product.
 */
export function dueAt({ person, paidAt = Number.NaN, postponed }: Story, now: number): number {
  const { moments, lateMs } = person.edition;
  if (postponed && now >= postponed.at) return postponed.until;
  if (paidAt <= moments.charge - lateMs) return moments.charge;
  // Stripe's times are whole seconds.
  return Math.floor(paidAt / 1000) * 1000 + lateMs;
}

/** The sum that is due by card, as known at a moment. */
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

/**
 * A span in which the site knows that an address accepts no letters; for its beginning and its end only
 * bounds are known.
 */
export interface Dead {
  /** The site may know it from `askedAt` on, and certainly knows it from `knownAt` on. */
  askedAt: number;
  knownAt: number;
  /** The span may be over from `overFrom` on, and certainly is from `overAt` on. */
  overFrom: number;
  overAt: number;
}

/** From the reports of the mail service, and of the office. A second soft bounce counts as a hard one. */
export function deadSpans({ returned, mended }: Pick<Story, 'returned' | 'mended'>, address: string): Dead[] {
  const reports = returned.filter((one) => one.address === address).toSorted((a, b) => a.askedAt - b.askedAt);
  return reports
    .filter((one, place) => isFatal(one, reports.slice(0, place)))
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
