import type { DeclineReason, PlaceNews } from '#shared/place.ts';
import type { Edition } from './edition.ts';
import type { RefundLine } from './tuition.ts';

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
  | CancellingStanding
  | CancelledStanding;

/** She cancelled, and the worker has not worked it off. */
export interface CancellingStanding {
  kind: 'cancelling';
  cancelled: Cancelling;
  /** Until when it can be taken back; absent once that is over. */
  undoUntil?: Date;
  refund: PlaceRefund;
}

/** It is worked off. */
export interface CancelledStanding {
  kind: 'cancelled';
  cancelled: Cancelling;
  state:
    | 'in-work'
    /** On its way to her card. */
    | 'pending'
    | 'refunded'
    /** Her card did not take it: the office sends a check. */
    | 'failed'
    | 'check-due'
    | 'check-sent'
    /** By the policies nothing comes back. */
    | 'nothing';
  /** Absent where what came back is not what the policies alone bring. */
  refund?: PlaceRefund;
  /** US cents that come back, or came. */
  cents: number;
  /** When the refund was made, or the check sent. */
  at?: Date;
}

/** When she cancelled in writing, and whether on her page or by the office. */
export interface Cancelling {
  at: Date;
  onPage: boolean;
}

/** What cancelling brings back, and why. */
export interface PlaceRefund {
  /** US cents. */
  cents: number;
  by: 'card' | 'check';
  /** What paid the balance; absent where that is not known, or nothing was paid by card. */
  card?: Pick<ShownCard, 'brand' | 'last4'>;
  /** Their sum is what comes back. */
  lines: readonly PlaceRefundLine[];
}

export interface PlaceRefundLine {
  of: RefundLine['of'];
  /** US cents that she paid of it. */
  paidCents: number;
  /** US cents that come back; what came back before is negative. */
  cents: number;
  /** The balance was paid after she had cancelled: all of it comes back. */
  afterCancelling: boolean;
}

/** What went back to her before, or is on its way. */
export interface PlaceRepayment {
  /** US cents. */
  cents: number;
  by: 'card' | 'check';
  at: Date;
  /** Stripe has not told yet whether it arrived. */
  pending: boolean;
}

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

/** How the balance stands, in words. */
export interface StandingWords {
  title: string;
  paragraphs: readonly string[];
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
  registrant: {
    firstName: string;
    lastName: string;
    email: string;
    /** Without its last digits: by these she proves herself. */
    maskedPhone: string;
    timeZone: string;
  };
  /** An address that she asked for and has not confirmed, such as `w…@example.org`. */
  askedAddress?: string;
  standing: PlaceStanding;
  /** A letter to her address came back: no other one is sent there. */
  unreachable?: true;
  /** She disputes a charge: nothing is charged or refunded by itself. */
  disputed: boolean;
  payments: readonly PlacePayment[];
  waivedCents: number;
  repayments: readonly PlaceRepayment[];
  /** What she gets back if she cancels at this moment; absent where she cannot do so on her page. */
  offer?: PlaceRefund;
  /** What the balance is charged to; absent where nothing is to be charged any more. */
  card?: ShownCard & { expired: boolean; expiresBeforeDue: boolean };
  /** Which number she proves herself by before she cancels, or changes the card or her details. */
  secondFactor: 'postal-code' | 'phone';
  letters: readonly PlaceLetter[];
  /** The terms that she agreed to, at the address where they stay. */
  termsPath?: string;
  /** What the video room is open to her for, and where it is, if that is configured. */
  room?: { openFor: 'test-session' | 'retreat'; url?: string };
  /** The recordings are there; with where they are, once nothing is left to pay. */
  recordings?: { url?: string };
}

/** What she sent, when it was not taken. */
export interface Sent {
  /** What she typed, by the fields' names. */
  typed: Readonly<Record<string, string>>;
  /** What is wrong with it. */
  errors: Readonly<Record<string, string>>;
  /** She, or somebody else, tried too often today to prove that it is she. */
  proofsSpent?: boolean;
}
