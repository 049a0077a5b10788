import type { DeclineReason } from '#shared/own-page.ts';
import type { StoredContact } from '#shared/registration.ts';
import type { AgreedTerms, Edition } from './edition.ts';
import type { OwnPageNews } from './own-page-form-words.ts';
import type { Question } from './questions.ts';
import type { BackLine, PartOfPlan, PaymentLine, Reduction, RefundLine, WayBesideCard } from './tuition.ts';

export interface ShownCard {
  /** As Stripe names it, such as `visa`. */
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

export interface CardToCharge extends ShownCard {
  expired: boolean;
  expiresBeforeDue: boolean;
}

export interface HandOverShown {
  name: string;
  email: string;
  isAgreed: boolean;
  decidedAt: Date;
  until: Date;
}

/** The state of a registrant's balance, from her point of view. All sums in US cents. */
export type OwnPageState =
  | { kind: 'charged-later'; cents: number; dueAt: Date; wasPostponed: boolean }
  /** She is asked to pay. With `chargedAt`, her card is charged then unless she has paid. */
  | { kind: 'to-pay'; cents: number; payBy?: Date; chargedAt?: Date }
  | { kind: 'by-check'; cents: number; payBy?: Date }
  | { kind: 'being-charged'; cents: number }
  | { kind: 'processing' }
  | { kind: 'retrying'; cents: number; reason: DeclineReason; nextAt: Date }
  /** Her card was refused and is not retried: she must act. `newCard`: when another card would be charged, if at all. */
  | {
      kind: 'action-needed';
      cents: number;
      reason: DeclineReason;
      newCard?: 'at-once' | 'when-due' | undefined;
    }
  | { kind: 'settled' }
  | HeldState
  | { kind: 'over'; cents: number }
  | CancellingState
  | CancelledState;

/** The office holds her place until the deposit has come, or held it until then. */
export interface HeldState {
  kind: 'held';
  /** By card, with the card fee. */
  cents: number;
  /** By check or transfer. */
  beforeFeeCents: number;
  way: 'card' | WayBesideCard;
  until: Date;
  isOver: boolean;
  isPayable: boolean;
  isProcessing?: true | undefined;
  balance: { cents: number; dueAt: Date };
  /** What came of it by check or transfer. */
  receivedCents: number;
}

export interface CancellingState {
  kind: 'cancelling';
  cancelled: Cancelling;
  undoUntil?: Date;
  refund: OwnPageRefund;
}

export interface CancelledState {
  kind: 'cancelled';
  cancelled: Cancelling;
  repayment: 'in-work' | 'pending' | 'refunded' | 'failed' | 'check-due' | 'check-sent' | 'nothing';
  refund?: OwnPageRefund;
  cents: number;
  at?: Date;
}

export interface Cancelling {
  whole?: true;
  at: Date;
  onPage: boolean;
}

export interface OwnPagePlan {
  parts: readonly OwnPagePart[];
  /** When she agreed to it, by her page or the office; absent while she has not agreed to it as it is now. */
  agreedOn?: Date;
  isPaused: boolean;
  decidedAt: Date;
}

export interface OwnPagePart extends PartOfPlan {
  /** By card, with the card fee and without it, in US cents: what is still left of it, or what was paid. */
  cents: number;
  beforeFeeCents: number;
  dueAt: Date;
  /** `open` is one that she has missed, `next` the first one that is not, and `later` any after it. */
  state: 'paid' | 'next' | 'later' | 'open';
}

export interface OwnPageRefund {
  cents: number;
  checkCents: number;
  /** The card that paid the balance; absent if it is not known, or nothing was paid by card. */
  card?: Pick<ShownCard, 'brand' | 'last4'>;
  lines: readonly RefundLine[];
}

export interface OwnPageLetter {
  kind: string;
  subject: string;
  state: 'sent' | 'waiting' | 'failed';
  at?: Date;
  id?: string | undefined;
}

export interface OwnPageAnswer {
  question: string;
  asked: string;
  answer: string;
}

export interface StateWords {
  title: string;
  paragraphs: readonly string[];
}

export const says = (title: string, ...paragraphs: string[]): StateWords => ({ title, paragraphs });

export interface OwnPageView {
  /** The registration's: `reg_…`. */
  id: string;
  edition: Edition;
  now: Date;
  mayAct: boolean;
  token: string;
  told?: OwnPageNews | undefined;
  registrant: Omit<StoredContact, 'phoneNumber'> & {
    /** Without its last digits, which may be her proof of identity. */
    maskedPhone: string;
    timeZone: string;
  };
  /** A new address that she has not confirmed yet, such as `w…@example.org`. */
  askedAddress?: string | undefined;
  state: OwnPageState;
  handOver?: HandOverShown | undefined;
  canHandOverUntil?: Date | undefined;
  /** How what is left to pay is divided; absent without a plan, once all is paid, and once the retreat is over. */
  plan?: OwnPagePlan | undefined;
  unreachable?: boolean;
  disputed: boolean;
  payments: readonly PaymentLine[];
  reduced?: Reduction | undefined;
  receivedCents: number;
  repayments: readonly BackLine[];
  offer?: OwnPageRefund | undefined;
  /** The card that the balance is charged to; absent if nothing more is to be charged. */
  card?: CardToCharge | undefined;
  /** Her proof of identity before she cancels, or changes the card or her details. */
  secondFactor: 'postal-code' | 'phone';
  letters: readonly OwnPageLetter[];
  /** What her edition asks of her, whether she can answer now, and what she answered; absent where there is nothing of it. */
  questions?: { asked: readonly Question[]; isOpen: boolean; answers: readonly OwnPageAnswer[] } | undefined;
  termsPath?: string | undefined;
  /** What the video room is open to her for; with its address, once that is announced. */
  room?: { openFor: 'test-session' | 'retreat'; url?: string } | undefined;
  /** Set once the recordings are available; with their address if nothing is left to pay. */
  recordings?: { url?: string } | undefined;
}

export interface Sent {
  typed: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, string>>;
  /** Too many failed proofs of identity today, by her or by somebody else. */
  proofsSpent?: boolean;
}

export interface TakeView {
  edition: Edition;
  from: string;
  name: string;
  email: string;
  maskedPhone: string;
  payments: readonly PaymentLine[];
  waivedCents: number;
  /** US cents that are left to pay, when they, or the next part of a payment plan, are due, and how. */
  left: { cents: number; dueAt: Date; how: 'charged' | 'asked' | 'by-check'; byPlan: boolean };
  terms: AgreedTerms;
  until: Date;
  link: string;
  card?: ShownCard | undefined;
  session?: string | undefined;
  error?: string | undefined;
}

/** Of an offer to somebody on the waiting list. */
export interface OfferView
  extends Pick<TakeView, 'edition' | 'name' | 'email' | 'maskedPhone' | 'until' | 'error'> {
  postTo: string;
}
