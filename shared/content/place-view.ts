import type { DeclineReason, PlaceNews } from '#shared/place.ts';
import type { Edition } from './edition.ts';

/** A card as people know it. */
export interface ShownCard {
  /** As Stripe names it, such as `visa`. */
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

/** How her balance stands, in her terms. All sums in US cents. */
export type PlaceStanding =
  /** Her card will be charged. */
  | { kind: 'charged-later'; cents: number; dueAt: Date; wasPostponed: boolean }
  /** She is asked to pay. */
  | { kind: 'to-pay'; cents: number; payBy?: Date /** Otherwise her card is charged. */; chargedAt?: Date }
  /** She said that she pays by check. */
  | { kind: 'by-check'; cents: number; payBy?: Date }
  /** It is due, and being charged. */
  | { kind: 'being-charged'; cents: number }
  | { kind: 'retrying'; cents: number; reason: DeclineReason; nextAt: Date }
  /** Only she can go on. */
  | { kind: 'action-needed'; cents: number; reason: DeclineReason }
  | { kind: 'settled' }
  /** The retreat is over, and something is unpaid. */
  | { kind: 'over'; cents: number }
  /** She cancelled. What comes back: undefined while that is not worked out. */
  | {
      kind: 'cancelled';
      refund: 'in-work' | 'pending' | 'refunded' | 'failed' | 'nothing';
      refundCents?: number;
    };

/** A payment that came in, as its receipt tells it. */
export interface PlacePayment {
  what: 'deposit' | 'balance';
  by: 'card' | 'check';
  /** US cents; the fee is part of the sum. */
  cents: number;
  feeCents: number;
  paidAt: Date;
  /** Stripe's name of it; absent for a check. */
  reference?: string;
}

/** What became of a letter to her. */
export interface PlaceLetter {
  kind: string;
  /** Its subject. */
  subject: string;
  state: 'sent' | 'waiting' | 'failed';
  /** Whether she can have it sent again: what it says holds still. */
  again: boolean;
}

/** All that her page shows, as it is at one moment. */
export interface PlaceView {
  edition: Edition;
  now: Date;
  /** Whether she may act, or only see. */
  mayAct: boolean;
  /** Against forgery: goes with each press. */
  token: string;
  /** What came of her last press; undefined when the page was just opened. */
  told?: PlaceNews;
  registrant: { firstName: string; lastName: string; email: string; timeZone: string };
  standing: PlaceStanding;
  /** She disputes a charge: nothing is charged or refunded by itself. */
  disputed: boolean;
  payments: readonly PlacePayment[];
  waivedCents: number;
  refundedCents: number;
  /** What the balance is charged to; absent where nothing is to be charged any more. */
  card?: ShownCard & { expired: boolean; expiresBeforeDue: boolean };
  /** Which number she proves herself by before she changes the card. */
  secondFactor: 'postal-code' | 'phone';
  letters: readonly PlaceLetter[];
  /** The terms that she agreed to, at the address where they stay. */
  termsPath?: string;
  /** The way into the video room, while that is open to her. */
  roomUrl?: string;
}
