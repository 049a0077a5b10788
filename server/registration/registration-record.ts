import type {
  ActRow,
  AttemptRow,
  DisputeRow,
  PaymentRow,
  RefundRow,
  RegistrationRow,
} from '#server/database/database.ts';
import type { BalanceTerms, Edition } from '#shared/content/edition.ts';
import type { ActFacts, Agreement, Answer, Corrections, Note, paidAsOf, ReceivedOnRecord } from './acts.ts';
import type { Bounced, EndedLetter } from './bounces.ts';
import type { Decisions } from './decisions.ts';
import type { CardOnFile, PaidCard } from './declines.ts';
import type { LedgerContext } from './installments.ts';
import type { Ledger } from './ledger.ts';
import type { Registrant } from './registrations.ts';

export interface DepositStanding {
  deposit: 'unpaid' | 'paid' | 'closed';
  /** US cents that were received. */
  depositCents: number;
  /** What the deposit is without a card fee, in US cents; absent once a card paid it. */
  depositDueCents?: number | undefined;
  paidAt?: Date | undefined;
}

/** What the register and Stripe have on record of a registration. Its state, and what is due, is derived from this alone. */
export interface RegistrationRecord extends DepositStanding {
  id: string;
  version: number;
  edition: Edition;
  offer?: string | undefined;
  begunAt: Date;
  /** When she last submitted a step after that. */
  submittedAt?: Date | undefined;
  source: RegistrationRow['source'];
  /** Before she pays, no letter goes to her present address: there were too many to such addresses. */
  letterWaits: boolean;
  /** Her address has a place in the edition, under another name or by a repeated registration. */
  addressHasPlace?: true | undefined;
  /** Nobody reminds her: the address has a place, or has begun to register again since; or the edition is full. */
  isNotReminded?: true | undefined;
  registrant: Registrant;
  /** The payment of the deposit by card; absent until one is made. */
  depositPayment?: Pick<PaymentRow, 'id' | 'status' | 'cents' | 'paidAt'> | undefined;
  /** Of the card that paid the deposit, unless somebody else has the place since. */
  postalCode?: string | undefined;
  isProcessing?: true | undefined;
  /** The Checkout session or the payment that she may have open at Stripe, and for how long that counts. */
  atStripe?: { id: string; until: Date } | undefined;
  /** The office has not said yet whether one person has paid for two places. */
  paidTwice?: PaidTwice | undefined;
  agreement?: Agreement | undefined;
  agreed?: BalanceTerms | undefined;
  decisions: Decisions;
  received: ReceivedOnRecord;
  endedLetters: readonly EndedLetter[];
  customerId?: string | undefined;
  /** Links to her page that name an earlier number do not work. */
  linksEpoch: number;
  card?: CardOnFile | undefined;
  /** The last one that she gave herself, which her bank may have renewed since. */
  givenCard?: CardOnFile | undefined;
  depositCard?: PaidCard | undefined;
  /** Payments of her balance that count, see `balancesInForce`; tries of her card, in their order. */
  balances: readonly BalancePayment[];
  attempts: readonly Omit<AttemptRow, 'registration'>[];
  /** Of each installment, the last notice of its charge that a mail server accepted. */
  notices: readonly Noticed[];
  bounced?: Bounced | undefined;
  bouncedBefore?: Bounced | undefined;
  acts: readonly ActRow[];
  ledger: Ledger;
  context: LedgerContext;
  /** Refunds to her card, also pending and failed ones, the oldest first; in the same second, those of the deposit. */
  refunds: readonly RefundOnRecord[];
  /** The worker has carried out the cancellation: what goes back by card and by check, in US cents, and its result. */
  cancelled?:
    | { at: Date; cents: number; checkCents: number; refund?: RefundRow['status'] | undefined }
    | undefined;
  disputes: readonly DisputeOnRecord[];
  disputed: boolean;
  corrections: Corrections;
  /** Her name and address when she paid the deposit, or got the place, see `isHandedOver`; absent before. */
  paidAs?: ReturnType<typeof paidAsOf> | undefined;
  handedOver?: ActFacts<'handed-over'> | undefined;
  agreementBefore?: Agreement | undefined;
  /** The names of all who had it before, the last one first; absent once they are forgotten. */
  namesBefore?: string | undefined;
  /** When users of the office took links that show her page, and who, the oldest first. */
  officeLinks: readonly ActFacts<'office-link'>[];
  notes: readonly Note[];
  answers: readonly Answer[];
  addressAsked?: { to: string; at: Date } | undefined;
  /** When the last day of so many wrong proofs on her page that she is told had the one that she is told of. */
  proofFailedAt?: Date | undefined;
  forgottenAt?: Date | undefined;
}

interface PaidTwice {
  /** The other place: the older one, if there is one. */
  other: string;
  isYounger: boolean;
}

export type Whose = Pick<RegistrationRecord, 'id'>;

/** A refund that Stripe knows of, made by the site or on Stripe's dashboard. */
export interface RefundOnRecord extends Pick<RefundRow, 'id' | 'payment' | 'cents' | 'status'> {
  of: 'deposit' | 'balance';
  at: Date;
  /** The act or the entry that ordered it, see `PayoutRow`; absent for a refund made at Stripe's dashboard. */
  orderedBy?: string | undefined;
}

export interface BalancePayment {
  id: string;
  number: number;
  status: 'open' | 'cancelled' | 'paid';
  cents: number;
  beforeFeeCents: number;
  paidAt?: Date | undefined;
  paidWith?: PaidCard | undefined;
}

/** A letter that announced the charge of an installment, and when the mail server accepted it. */
export type Noticed = Pick<EndedLetter, 'at'> & NonNullable<EndedLetter['notice']>;

export interface DisputeOnRecord extends Pick<DisputeRow, 'id' | 'cents' | 'reason' | 'status'> {
  charge: string;
  of: 'deposit' | 'balance';
  at: Date;
  isOver: boolean;
  evidenceDue?: Date | undefined;
}
