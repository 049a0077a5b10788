import type { Edition } from '#shared/content/edition.ts';
import { UNCONFIRMED_KEPT_DAYS } from '#shared/kept-for.ts';
import { type Bounced, isLost, isUnreachable } from './bounces.ts';
import type { EndedLetter } from './ended-letters.ts';
import type { Registrant } from './registrations.ts';
import { addressDigest } from './seal.ts';

export interface Offer {
  at: Date;
  until: Date;
  by: string;
}

/** Somebody on the waiting list. Her state is derived from this alone. Who has taken a place is not on it any more. */
export interface WaitingRecord {
  id: string;
  edition: Edition;
  joinedAt: Date;
  askedAt: Date;
  /** Whether she has pressed the link in her letter: until then anybody may have joined her. */
  isConfirmed: boolean;
  registrant: Registrant;
  /** Whether the address has a paid registration of this edition. */
  addressHasPlace: boolean;
  letters: readonly EndedLetter[];
  /** The last time that letters to her came back. */
  bounced?: Bounced | undefined;
  offer?: Offer | undefined;
  nextAt: Date;
}

/**
 * `unconfirmed` takes no place, and ends after two days. `waiting` counts for the places that are left, and so does
 * `offered`, which holds one. Once an offer has expired, the entry is `lapsed`, until she joins again or gets another
 * offer.
 */
export type WaitingState = 'unconfirmed' | 'waiting' | 'offered' | 'lapsed';

export function waitingStateOf(
  { offer, isConfirmed }: Pick<WaitingRecord, 'offer' | 'isConfirmed'>,
  now: Date,
): WaitingState {
  if (!offer) return isConfirmed ? 'waiting' : 'unconfirmed';
  return now < offer.until ? 'offered' : 'lapsed';
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** When the day of a moment begins in UTC: an address gets one letter a day, however often it is put on the list. */
export function startOfDay(moment: Date): Date {
  return new Date(new Date(moment).setUTCHours(0, 0, 0, 0));
}

export function confirmableUntil({ joinedAt }: Pick<WaitingRecord, 'joinedAt'>): Date {
  return new Date(joinedAt.getTime() + UNCONFIRMED_KEPT_DAYS * DAY_MS);
}

/** When a retreat begins; after that nobody takes a place in it. */
export function beginningOf({ timetable, facts }: Edition): Date {
  return new Date(timetable.sessions[0]?.startsAt ?? facts.endsAt);
}

/** Whether somebody on the list may lack information: letters to her bounce, or the one with her offer may be lost. */
export function isOutOfReach(record: WaitingRecord, now: Date): boolean {
  const { offer, registrant, bounced } = record;
  const state = waitingStateOf(record, now);
  if (state !== 'waiting' && state !== 'offered') return false;
  if (isUnreachable(record)) return true;
  return offer !== undefined && isLost({ to: addressDigest(registrant.email), at: offer.at }, bounced);
}
