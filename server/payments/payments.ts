import Stripe from 'stripe';
import type { Database } from '#server/database/database.ts';
import type { AppError } from '#server/http/app-error.ts';
import type { KeptMailKind, RegistrationMail } from '#server/mail/job.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import {
  type Announcement,
  type AnnouncementKind,
  type Announcements,
  announce,
  readAnnouncements,
} from './announcements.ts';
import type { LetterEvent } from './bounce-mark.ts';
import { catchUp } from './catch-up.ts';
import { beginCardChange, recordCard, renewCard } from './change-card.ts';
import { type ChargeOutcome, chargeBalance } from './charge-balance.ts';
import { cancelUnpaid, closeUnpaid } from './close-unpaid.ts';
import {
  askForAddress,
  confirmAddress,
  correctAddress,
  correctDetails,
  type Details,
  dropAddress,
} from './correct-details.ts';
import { createDeposit, type HoldPlace } from './create-deposit.ts';
import { decide } from './decide.ts';
import type { Decision, DecisionKind, Withdrawal } from './decisions.ts';
import { type DepositPayment, paymentOf } from './deposit.ts';
import { findByAddress } from './find-by-address.ts';
import { type DisputeOnRecord, findDisputes } from './find-disputes.ts';
import { type FoundRegistrant, findRegistration, findWithFactor } from './find-registration.ts';
import { findLeftovers, forget, type Leftover } from './forget.ts';
import { type DepositFailure, limitAttempts } from './limit-attempts.ts';
import { makeDueRefunds, type RefundOutcome } from './make-due-refunds.ts';
import { writeMirror } from './mirror.ts';
import { fitBalance } from './open-balance.ts';
import { findDue, findMail, markLookedAt, type OwedLetter } from './outbox.ts';
import { findOwnPaid } from './own-deposit.ts';
import { createPatientClient, LOCKED, type Patience } from './patient-client.ts';
import { type BalanceToPay, payBalance } from './pay-balance.ts';
import { toAppError } from './provider-errors.ts';
import { eventReader, type ReceivedEvent } from './read-event.ts';
import { type BounceRecorded, clearBounce, recordBounce } from './record-bounce.ts';
import { type Consent, recordConsent } from './record-consent.ts';
import type { RegistrationRecord } from './registration-record.ts';
import type { Deposit, RegistrationKey } from './registrations.ts';
import { renewLinks } from './renew-links.ts';
import { confirmRestored, isRestored, type Restored, readRestored } from './restored.ts';
import { createTurns } from './turns.ts';
import { continueDeposit, updateDeposit } from './update-deposit.ts';

export type { DepositPayment } from './deposit.ts';
export type { RegistrationKey } from './registrations.ts';

/** Stripe's defaults are 80 s and two retries: too long for a visitor who waits. */
const REQUEST_TIMEOUT_MS = 10_000;
const NETWORK_RETRIES = 1;

export interface StripeSettings {
  secretKey: string;
  /** For `eventReader` only. */
  webhookSecret?: string;
  /** Another API host, or undefined for Stripe's own. */
  apiBase?: string | undefined;
  /** How long one request to Stripe may take, in milliseconds. */
  timeoutMs?: number;
  /** How requests that Stripe throttles are retried; without it they are not retried. */
  patience?: Patience;
}

/** Is notified of the results of calls to Stripe. */
export interface CallWatcher {
  /** `operation` is the method and the path without ids, such as `POST customers`. */
  answered(call: { operation: string; status: number; seconds: number; clockAheadS?: number }): void;
  /** Stripe asked for fewer requests, see `createPatientClient`. */
  throttled(reason: string): void;
  /** No answer came, after all tries. */
  unreachable(): void;
}

/** Stripe, as this site uses it. Every method throws an AppError when Stripe refuses or cannot be reached. */
export interface Payments {
  /** Registers somebody, with a customer and the PaymentIntent of the deposit; the same key does so once (R4.5). */
  createDeposit(deposit: Deposit, key: RegistrationKey, hold: HoldPlace): Promise<DepositPayment>;
  /**
   * Writes edited contact details, and today's price, to the registration that the client secret proves to be
   * the caller's; a paid one stays as it was paid. Waits for `onProven` before it writes.
   */
  updateDeposit(
    deposit: Deposit,
    clientSecret: string,
    onProven: (registration?: string) => Promise<void>,
  ): Promise<DepositPayment>;
  /** The same for a deposit that is known to be the caller's, unless it is paid or cancelled. */
  continueDeposit(paymentIntentId: string, deposit: Deposit): Promise<DepositPayment | 'paid' | 'closed'>;
  /** Cancels a deposit unless it is paid or being paid. */
  cancelUnpaid(paymentIntentId: string): Promise<'paid' | 'closed'>;
  /**
   * Records, after `onProven`, which terms the registrant of an unpaid deposit agreed to; the first time is
   * kept.
   */
  recordConsent(
    consent: Consent,
    onProven?: (edition: Facts, registration: string) => Promise<void>,
  ): Promise<void>;
  /** Closes a deposit's payment on which too many attempts failed; says whether it did so now. */
  limitAttempts(failure: DepositFailure): Promise<boolean>;
  /**
   * Brings the register to what Stripe says now, as if every webhook had come; returns the errors of the events that
   * cannot be taken.
   */
  catchUp(now: Date): Promise<AppError[]>;
  /** Writes to her customer at Stripe what was decided; returns whether there is one. */
  writeMirror(depositId: string): Promise<boolean>;
  /** Whether the register was restored and nobody has confirmed it yet. */
  isRestored(): Promise<boolean>;
  /** What Stripe has added to a register that was restored; undefined where nothing waits for a confirmation. */
  readRestored(): Promise<Restored | undefined>;
  /** Has everything go out again. */
  confirmRestored(by: string, now: Date): Promise<void>;
  /**
   * Removes the contact details of a registration that is still unpaid, and cancels it; returns whether it
   * did.
   */
  closeUnpaid(paymentIntentId: string): Promise<boolean>;
  /**
   * Charges the balance of a registration to the card on file, if it is due; repeated calls charge it once.
   */
  chargeBalance(depositId: string, now: Date): Promise<ChargeOutcome>;
  /**
   * Refunds by card what was decided for a registration, and completes a cancellation; repeated calls refund
   * it once.
   */
  makeDueRefunds(depositId: string, now: Date): Promise<RefundOutcome>;
  /** Cancels an open payment of a balance that does not match what is left to pay; returns whether it did. */
  fitBalance(depositId: string): Promise<boolean>;
  /** Makes all links to a registration's page that were sent until now stop working. */
  renewLinks(record: Pick<RegistrationRecord, 'id'>): Promise<number>;
  /** A letter that is owed, as it is to be sent now; undefined when it is not to be sent any more. */
  findDue(owed: OwedLetter, now: Date): Promise<RegistrationMail | undefined>;
  /** Records that a letter bounced, or that its reader complained; a repeated event is recorded once. */
  recordBounce(event: LetterEvent, now: Date): Promise<BounceRecorded>;
  /** Records that letters reach her address again, or that a complaint was looked at. */
  clearBounce(record: Pick<RegistrationRecord, 'id' | 'registrant'>, by: string, now: Date): Promise<void>;
  /** Records that a person handles a payment that does not match what this site creates. */
  markLookedAt(paymentIntentId: string, by: string, now: Date): Promise<void>;
  /** A mail of a registration, as it is true now; undefined when there is none. */
  findMail(paymentIntentId: string, kind: KeptMailKind, now: Date): Promise<RegistrationMail | undefined>;
  /**
   * Writes a corrected name and phone number to a registration, and returns which mails are now due;
   * undefined when there is no such registration, or it is closed or forgotten.
   */
  correctDetails(
    record: Pick<RegistrationRecord, 'id'>,
    details: Details,
    by: string,
    now: Date,
  ): Promise<RegistrationMail[] | undefined>;
  /** The same for her e-mail address, so that later mails go there too. */
  correctAddress(
    paymentIntentId: string,
    email: string,
    by: string,
    now: Date,
  ): Promise<RegistrationMail[] | undefined>;
  /** Records which new address she requests. */
  askForAddress(record: Pick<RegistrationRecord, 'id'>, email: string, now: Date): Promise<void>;
  /** Drops a requested address. */
  dropAddress(record: Pick<RegistrationRecord, 'id'>): Promise<void>;
  /** Makes the requested address hers; not if she requested it too long ago, or another one since. */
  confirmAddress(
    record: Pick<RegistrationRecord, 'id'>,
    to: string,
    now: Date,
  ): Promise<'confirmed' | 'gone'>;
  /** A registration by its deposit or its balance, as Stripe has it now; undefined when there is none. */
  findRegistration(paymentIntentId: string): Promise<RegistrationRecord | undefined>;
  /** The same, with the second factor by which the registrant proves her identity. */
  findWithFactor(depositId: string): Promise<FoundRegistrant | undefined>;
  /** The disputes of a registration's payments, the oldest first. */
  findDisputes(record: RegistrationRecord): Promise<DisputeOnRecord[]>;
  /**
   * Removes a person's data from the register and all that this site may change at Stripe; a second call finishes an
   * interrupted one.
   */
  forget(record: RegistrationRecord, by: string, now: Date): Promise<void>;
  /** Her personal data that this site cannot remove from Stripe, before or after `forget`. */
  findLeftovers(record: RegistrationRecord): Promise<Leftover[]>;
  /** The paid registrations at an e-mail address. */
  findByAddress(email: string): Promise<RegistrationRecord[]>;
  /** The deposit that a client secret proves to be the caller's; undefined while it is not paid. */
  findOwnPaid(clientSecret: string): Promise<RegistrationRecord | undefined>;
  /** Opens the payment of a balance for its registrant's browser. */
  payBalance(record: RegistrationRecord, shownCents: number, now: Date): Promise<BalanceToPay>;
  /** Begins to store another card; returns the client secret for it. */
  beginCardChange(record: RegistrationRecord): Promise<string>;
  /** Writes a card that was stored to its registration. */
  recordCard(record: RegistrationRecord, setupIntentId: string): Promise<void>;
  /** Records what a bank has changed of a card on file; returns whether that was news. */
  renewCard(cardId: string, at: Date): Promise<boolean>;
  /**
   * Records a decision about a registration, or its withdrawal; never overwrites one that `record` does not
   * contain.
   */
  decide<Kind extends DecisionKind>(
    record: RegistrationRecord,
    kind: Kind,
    decision: Decision<Kind> | Withdrawal,
  ): Promise<void>;
  /** What the office has announced to everyone who attends an edition. */
  readAnnouncements(edition: Edition): Promise<Announcements>;
  /** Records an announcement; never overwrites one that `seen` does not contain. */
  announce<Kind extends AnnouncementKind>(
    edition: Edition,
    kind: Kind,
    announcement: Announcement<Kind>,
    seen: Announcements,
  ): Promise<void>;
  /** By how much the machine's clock is ahead of Stripe's, in seconds: 0 before the first answer. */
  clockAheadS(): number;
  /** Whether Stripe answered the last request; undefined before the first one. */
  isReachable(): boolean | undefined;
  /** Checks the signature header of a webhook request; the returned function checks and reads its body. */
  eventReader(signature: string): (rawBody: Buffer) => Promise<ReceivedEvent>;
}

/** Connects to Stripe (or to another host that speaks its API). Opens no connection by itself. */
export function createPayments(
  settings: StripeSettings,
  database: Database,
  watcher: CallWatcher = { answered() {}, throttled() {}, unreachable() {} },
): Payments {
  let reachable: boolean | undefined;
  let clockAheadS = 0;
  const turns = createTurns();
  const { patience } = settings;
  const client = createPatientClient(
    {
      answered({ method, path, ...answer }) {
        reachable = true;
        clockAheadS = answer.clockAheadS ?? clockAheadS;
        watcher.answered({ operation: `${method} ${operationOf(path)}`, ...answer });
      },
      throttled(reason) {
        watcher.throttled(reason);
        if (reason !== LOCKED) turns.throttled();
      },
    },
    patience,
  );
  const stripe = new Stripe(settings.secretKey, {
    timeout: settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
    maxNetworkRetries: NETWORK_RETRIES,
    telemetry: false,
    httpClient: client,
    ...hostOf(settings.apiBase),
  });
  const explain = (error: unknown): never => {
    if (error instanceof Stripe.errors.StripeConnectionError) {
      reachable = false;
      watcher.unreachable();
    }
    return toAppError(error);
  };
  const records = { stripe, database, letterLog: createLetterLog(database) };
  const withLetters = (intent: Stripe.PaymentIntent) => paymentOf(database, intent);
  return {
    isReachable: () => reachable,
    clockAheadS: () => clockAheadS,
    createDeposit: (deposit, key, hold) =>
      turns
        .take(() => createDeposit(records, { ...deposit, key }, hold))
        .then(withLetters)
        .catch(explain),
    updateDeposit: (deposit, secret, onProven) =>
      turns
        .take(() => updateDeposit(records, deposit, secret, onProven))
        .then(withLetters)
        .catch(explain),
    continueDeposit: (id, deposit) =>
      turns
        .take(() => continueDeposit(records, id, deposit))
        .then(async (found) => (typeof found === 'string' ? found : await withLetters(found)))
        .catch(explain),
    cancelUnpaid: (id) => cancelUnpaid(stripe, id).catch(explain),
    recordConsent: (consent, onProven = async () => {}) =>
      turns.take(() => recordConsent(records, consent, onProven)).catch(explain),
    limitAttempts: (failure) => limitAttempts(records, failure).catch(explain),
    catchUp: (now) => catchUp(records, now).catch(explain),
    writeMirror: (id) => writeMirror(records, id).catch(explain),
    isRestored: () => isRestored(database).catch(explain),
    readRestored: () => readRestored(database).catch(explain),
    confirmRestored: (by, now) => confirmRestored(database, by, now).catch(explain),
    closeUnpaid: (id) => closeUnpaid(records, id).catch(explain),
    chargeBalance: (id, now) => chargeBalance(records, id, now).catch(explain),
    makeDueRefunds: (id, now) => makeDueRefunds(records, id, now).catch(explain),
    fitBalance: (id) => fitBalance(records, id).catch(explain),
    renewLinks: (record) => renewLinks(database, record).catch(explain),
    findDue: (owed, now) => findDue(records, owed, now).catch(explain),
    recordBounce: (event, now) => recordBounce(database, event, now).catch(explain),
    clearBounce: (record, by, now) => clearBounce(database, record, by, now).catch(explain),
    markLookedAt: (id, by, now) => markLookedAt(database, id, by, now).catch(explain),
    findMail: (id, kind, now) => findMail(records, id, kind, now).catch(explain),
    correctDetails: (record, details, by, now) =>
      correctDetails(records, record, details, by, now).catch(explain),
    correctAddress: (id, email, by, now) => correctAddress(records, id, email, by, now).catch(explain),
    askForAddress: (record, email, now) => askForAddress(records, record, email, now).catch(explain),
    dropAddress: (record) => dropAddress(records, record).catch(explain),
    confirmAddress: (record, to, now) => confirmAddress(records, record, to, now).catch(explain),
    findRegistration: (id) => findRegistration(records, id).catch(explain),
    findWithFactor: (id) => findWithFactor(records, id).catch(explain),
    findDisputes: (record) => findDisputes(stripe, record).catch(explain),
    forget: (record, by, now) => forget(records, record, by, now).catch(explain),
    findLeftovers: (record) => findLeftovers(stripe, record).catch(explain),
    findByAddress: (email) => findByAddress(records, email).catch(explain),
    findOwnPaid: (clientSecret) => findOwnPaid(records, clientSecret).catch(explain),
    payBalance: (record, shownCents, now) => payBalance(records, record, shownCents, now).catch(explain),
    beginCardChange: (record) => beginCardChange(stripe, record).catch(explain),
    recordCard: (record, setupIntentId) => recordCard(records, record, setupIntentId).catch(explain),
    renewCard: (cardId, at) => renewCard(records, cardId, at).catch(explain),
    decide: (record, kind, decision) => decide(records, record, kind, decision).catch(explain),
    readAnnouncements: (edition) => readAnnouncements(database, edition).catch(explain),
    announce: (edition, kind, announcement, seen) =>
      announce(database, edition, kind, announcement, seen).catch(explain),
    eventReader: (signature) => {
      const read = eventReader(records, signature, settings.webhookSecret ?? '');
      return (rawBody) => read(rawBody).catch(explain);
    },
  };
}

/** `/v1/payment_intents/pi_1/cancel?…` is `payment_intents/cancel`: no ids. */
function operationOf(path: string): string {
  const [, , resource = '', ...rest] = path.split('?', 1)[0]?.split('/') ?? [];
  return [resource, ...rest.slice(1)].join('/');
}

function hostOf(apiBase: string | undefined): Stripe.StripeConfig {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const secure = protocol === 'https:';
  return { host: hostname, port: port || (secure ? 443 : 80), protocol: secure ? 'https' : 'http' };
}
