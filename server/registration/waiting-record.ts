import type { LetterRow } from '#server/database/schema.ts';
import type { Edition } from '#shared/content/edition.ts';
import { UNCONFIRMED_KEPT_DAYS } from '#shared/kept-for.ts';
import type { Bounced } from './bounces.ts';
import type { Registrant } from './registrations.ts';

/** A place that is kept for somebody on the waiting list. */
export interface Offer {
  at: Date;
  until: Date;
  by: string;
}

/** Somebody on the waiting list. Her state is derived from this alone. */
export interface WaitingRecord {
  id: string;
  edition: Edition;
  joinedAt: Date;
  /** When somebody last put the address on the list. */
  askedAt: Date;
  /** Whether she has pressed the link in her letter: until then anybody may have joined her. */
  isConfirmed: boolean;
  /** Empty once she has taken a place. */
  registrant: Registrant;
  /** Whether the address has a paid registration of this edition. */
  addressHasPlace: boolean;
  /** The letters that need nothing more. */
  letters: readonly Pick<LetterRow, 'kind' | 'version'>[];
  /** The last time that letters to her came back. */
  bounced?: Bounced | undefined;
  offer?: Offer | undefined;
  /** The registration that was begun by an offer: there is never a second one that could be paid. */
  begun?: string | undefined;
  /** The registration by which she took a place. */
  took?: string | undefined;
}

/**
 * `unconfirmed` takes no place, and ends after two days. `waiting` counts for the places that are left, and so does
 * `offered`, which holds one. Once an offer has expired, the entry is `lapsed`, until she joins again or gets
 * another offer.
 */
export type WaitingState = 'unconfirmed' | 'waiting' | 'offered' | 'lapsed' | 'took';

/** When the day of a moment begins in UTC: an address gets one letter a day, however often it is put on the list. */
export function startOfDay(moment: Date): Date {
  return new Date(new Date(moment).setUTCHours(0, 0, 0, 0));
}

const CONFIRM_WITHIN_MS = UNCONFIRMED_KEPT_DAYS * 24 * 60 * 60 * 1000;

/** When an entry that is not confirmed ends. */
export function confirmableUntil({ joinedAt }: Pick<WaitingRecord, 'joinedAt'>): Date {
  return new Date(joinedAt.getTime() + CONFIRM_WITHIN_MS);
}

export function waitingStateOf(
  { offer, took, isConfirmed }: Pick<WaitingRecord, 'offer' | 'took' | 'isConfirmed'>,
  now: Date,
): WaitingState {
  if (took !== undefined) return 'took';
  if (!offer) return isConfirmed ? 'waiting' : 'unconfirmed';
  return now < offer.until ? 'offered' : 'lapsed';
}
