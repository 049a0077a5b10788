import { confirmEndsAt } from '#server/links/own-page-links.ts';
import type { LaterMailKind } from '#server/mail/job.ts';
import { HERSELF } from './acts.ts';
import { factsOf, type LetterAt } from './letter-facts.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** How long after a change of address the former address may still be notified of it. */
const TELL_CHANGE_MS = 30 * 24 * 60 * 60 * 1000;

/** Until when the requested address can be confirmed; undefined where there is none to confirm. */
export function confirmUntil({ addressAsked, registrant }: RegistrationRecord): Date | undefined {
  if (!addressAsked || isSameAddress(addressAsked.to, registrant.email)) return undefined;
  return confirmEndsAt(addressAsked);
}

/**
 * When each letter about her address is true. These are the only letters that do not go to her current
 * address.
 */
export const addressLetters = {
  'confirm-address'(record, now) {
    const { addressAsked, deposit } = record;
    const until = confirmUntil(record);
    if (deposit !== 'paid' || !addressAsked || !until || now >= until) return undefined;
    const { to, at } = addressAsked;
    return { kind: 'confirm-address', ...factsOf(record), to, at: at.toISOString() };
  },

  'address-changed'(record, now) {
    const { registrant, deposit, corrections } = record;
    const { was: to, at, by } = corrections.email ?? {};
    if (deposit !== 'paid' || !to || !at || isSameAddress(to, registrant.email)) return undefined;
    if (now.getTime() >= at.getTime() + TELL_CHANGE_MS) return undefined;
    return {
      kind: 'address-changed',
      ...factsOf(record),
      to,
      at: at.toISOString(),
      by: by === HERSELF ? 'herself' : 'the office',
    };
  },
} satisfies { [Kind in LaterMailKind]?: LetterAt<Kind> };

/** Compares two e-mail addresses, ignoring case. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
