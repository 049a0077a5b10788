import Stripe from 'stripe';
import type { Database } from '#server/database/database.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import {
  announce,
  announceConfiguredRoom,
  findTest,
  readAnnouncements,
  readMessageLetters,
  readMessages,
  sendMessage,
  stopMessage,
  testMessage,
} from '#server/registration/announcements.ts';
import { clearBounce, recordBounce } from '#server/registration/bounces.ts';
import {
  closeLinks,
  findByAddress,
  findRegistration,
  recordOfficeLink,
  recordWrongProof,
  renewLinks,
} from '#server/registration/find-registration.ts';
import { holdRegister, readHeld, releaseRegister } from '#server/registration/held-register.ts';
import { exportOf } from '#server/registration/her-data.ts';
import { changeNotes } from '#server/registration/notes.ts';
import { readBookkeeping } from '#server/stripe/bookkeeping.ts';
import { findMail, findOwedLetter, markLookedAt } from '#server/worker/due.ts';
import { beginCardChange, limitAttempts, recordCard, renewCard } from './cards.ts';
import { chargeBalance } from './charge-balance.ts';
import { recordConsent } from './consent.ts';
import { decide, recordReceived, takeBackReceived } from './decide.ts';
import {
  continueDeposit,
  createDeposit,
  findOwn,
  findOwnPaid,
  type OwnDeposit,
  updateDeposit,
} from './deposit.ts';
import { cancelUnpaid, closeUnpaid, endRegistration, endUnpaid, findLeftovers, forget } from './forget.ts';
import { acceptHandOver, beginTakersCard, giveCustomer } from './hand-over.ts';
import {
  answerQuestions,
  askForAddress,
  chooseTimeZone,
  confirmAddress,
  correctDetails,
  dropAddress,
} from './her-details.ts';
import { makeDueRefunds } from './make-due-refunds.ts';
import { fitBalance, payBalance, recordReturn } from './open-balance.ts';
import type { Records } from './record-payments.ts';
import { toAppError } from './stripe-calls.ts';
import { catchUp, eventReader } from './stripe-events.ts';
import { type ClientWatcher, createWatchedClient } from './watched-client.ts';

export type { RegistrationKey } from '#server/registration/registrations.ts';
export type { DepositPayment } from './deposit.ts';

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
  timeoutMs?: number | undefined;
}

/** Is notified of the results of calls to Stripe. */
export interface CallWatcher extends ClientWatcher {
  /** No answer came, after all tries. */
  unreachable(): void;
}

/** Connects to Stripe (or to another host that speaks its API), and to the register. Opens no connection by itself. */
export function createPayments(
  settings: StripeSettings,
  database: Database,
  watcher: CallWatcher = { answered() {}, unreachable() {} },
) {
  let reachable: boolean | undefined;
  let awaySince: Date | undefined;
  let clockAheadS = 0;
  const client = createWatchedClient({
    answered(answer) {
      reachable = true;
      awaySince = undefined;
      clockAheadS = answer.clockAheadS ?? clockAheadS;
      watcher.answered(answer);
    },
  });
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
      awaySince ??= new Date();
      watcher.unreachable();
    }
    return toAppError(error);
  };
  const records: Records = { stripe, database, letterLog: createLetterLog(database) };
  const on =
    <Given extends unknown[], Result>(
      operation: (records: Records, ...given: Given) => Promise<Result>,
    ): ((...given: Given) => Promise<Result>) =>
    (...given) =>
      operation(records, ...given).catch(explain);
  /** The same for whoever proves by its client secret that a deposit is hers: for nobody else is Stripe called. */
  const proven = <Given extends unknown[], Result>(
    operation: (records: Records, own: OwnDeposit, ...given: Given) => Promise<Result>,
  ) =>
    on(async (_, clientSecret: string, ...given: Given) =>
      operation(records, await findOwn(records, clientSecret), ...given),
    );
  return {
    createDeposit: on(createDeposit),
    updateDeposit: proven(updateDeposit),
    continueDeposit: on(continueDeposit),
    recordConsent: proven(recordConsent),
    cancelUnpaid: on(cancelUnpaid),
    limitAttempts: on(limitAttempts),
    catchUp: on(catchUp),
    readHeld: on(readHeld),
    holdRegister: on(holdRegister),
    releaseRegister: on(releaseRegister),
    closeUnpaid: on(closeUnpaid),
    endUnpaid: on(endUnpaid),
    chargeBalance: on(chargeBalance),
    makeDueRefunds: on(makeDueRefunds),
    fitBalance: on(fitBalance),
    renewLinks: on(renewLinks),
    recordOfficeLink: on(recordOfficeLink),
    changeNotes: on(changeNotes),
    exportOf: on(exportOf),
    closeLinks: on(closeLinks),
    recordWrongProof: on(recordWrongProof),
    findOwedLetter: on(findOwedLetter),
    findMail: on(findMail),
    recordBounce: on(recordBounce),
    clearBounce: on(clearBounce),
    markLookedAt: on(markLookedAt),
    correctDetails: on(correctDetails),
    askForAddress: on(askForAddress),
    dropAddress: on(dropAddress),
    chooseTimeZone: on(chooseTimeZone),
    confirmAddress: on(confirmAddress),
    answerQuestions: on(answerQuestions),
    findRegistration: on(findRegistration),
    findByAddress: on(findByAddress),
    findOwnPaid: on(findOwnPaid),
    forget: on(forget),
    findLeftovers: on(findLeftovers),
    beginTakersCard: on(beginTakersCard),
    acceptHandOver: on(acceptHandOver),
    giveCustomer: on(giveCustomer),
    payBalance: on(payBalance),
    recordReturn: on(recordReturn),
    beginCardChange: on(beginCardChange),
    recordCard: on(recordCard),
    renewCard: on(renewCard),
    endRegistration: on(endRegistration),
    decide: on(decide),
    recordReceived: on(recordReceived),
    takeBackReceived: on(takeBackReceived),
    readAnnouncements: on(readAnnouncements),
    announce: on(announce),
    announceConfiguredRoom: on(announceConfiguredRoom),
    readBookkeeping: on(readBookkeeping),
    readMessages: on(readMessages),
    readMessageLetters: on(readMessageLetters),
    sendMessage: on(sendMessage),
    stopMessage: on(stopMessage),
    testMessage: on(testMessage),
    findTest: on(findTest),
    /** Checks the signature header of a webhook request; the returned function checks and reads its body. */
    eventReader(signature: string) {
      const read = eventReader(records, signature, settings.webhookSecret ?? '');
      return (rawBody: Buffer) => read(rawBody).catch(explain);
    },
    /** Whether Stripe answered the last request; undefined before the first one. */
    isReachable: () => reachable,
    /** When it first gave no answer, until it answers again. */
    awaySince: () => awaySince,
    /** By how much the machine's clock is ahead of Stripe's, in seconds: 0 before the first answer. */
    clockAheadS: () => clockAheadS,
  };
}

/**
 * What is done with registrations and their payments, each explained at the function of its name. Every one throws an
 * AppError when Stripe refuses or cannot be reached, or when the register is away.
 */
export type Payments = ReturnType<typeof createPayments>;

/** The SDK's settings for another API host. */
export function hostOf(apiBase: string | undefined): Stripe.StripeConfig {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const secure = protocol === 'https:';
  return { host: hostname, port: port || (secure ? 443 : 80), protocol: secure ? 'https' : 'http' };
}
