import Stripe from 'stripe';
import type { MailJob, MailKind } from '#server/mail/queue.ts';
import { createDeposit } from './create-deposit.ts';
import type { Deposit, DepositPayment } from './deposit.ts';
import { limitAttempts } from './limit-attempts.ts';
import { correctAddress, findMail, markSent, owedMails } from './outbox.ts';
import { type DepositFailure, type PaymentEvent, paymentEventOf } from './payment-event.ts';
import { invalidSignature, toAppError } from './provider-errors.ts';
import { updateDeposit } from './update-deposit.ts';

export type { DepositPayment } from './deposit.ts';

/** Stripe's defaults are 80 s and two retries: too long for a visitor who waits. */
const REQUEST_TIMEOUT_MS = 10_000;
const NETWORK_RETRIES = 1;

/** How old a webhook may be: Stripe's own recommendation against replays. */
const SIGNATURE_TOLERANCE_S = 300;

export interface StripeSettings {
  secretKey: string;
  /** For `readEvent` only. */
  webhookSecret?: string;
  /** Another API host, or undefined for Stripe's own. */
  apiBase?: string | undefined;
  /** How long one request to Stripe may take, in milliseconds. */
  timeoutMs?: number;
}

/** Stripe, as this site uses it. Every method throws an AppError when Stripe refuses or cannot be reached. */
export interface Payments {
  /** Makes the customer and the PaymentIntent for a package's deposit; the same key makes them once (R4.5). */
  createDeposit(deposit: Deposit, idempotencyKey: string): Promise<DepositPayment>;
  /**
   * Writes edited contact details to the customer and intent that the client secret proves to be the caller's;
   * what is paid stays as it was paid.
   */
  updateDeposit(deposit: Deposit, clientSecret: string): Promise<DepositPayment>;
  /** Closes a deposit's payment on which too many attempts failed; says whether it did so now. */
  limitAttempts(failure: DepositFailure): Promise<boolean>;
  /** The mails that registrations begun since a moment owe, by what stands with their payments. */
  owedMails(since: Date): AsyncIterable<MailJob>;
  /** Records with its payment that a mail was sent. */
  markSent(job: MailJob): Promise<void>;
  /** A mail of a registration, as its payment has it; undefined when there is no such registration. */
  findMail(paymentIntentId: string, kind: MailKind): Promise<MailJob | undefined>;
  /** Writes a corrected e-mail address to a registration, so that later mails go there too. */
  correctAddress(paymentIntentId: string, email: string): Promise<void>;
  /** The event of a webhook request, checked against its signature. */
  readEvent(rawBody: Buffer, signature: string): PaymentEvent;
}

/** Connects to Stripe (or to another host that speaks its API). Opens no connection by itself. */
export function createPayments(settings: StripeSettings): Payments {
  const stripe = new Stripe(settings.secretKey, {
    timeout: settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
    maxNetworkRetries: NETWORK_RETRIES,
    telemetry: false,
    ...hostOf(settings.apiBase),
  });
  return {
    createDeposit: (deposit, idempotencyKey) =>
      createDeposit(stripe, { ...deposit, idempotencyKey }).catch(toAppError),
    updateDeposit: (deposit, secret) => updateDeposit(stripe, deposit, secret).catch(toAppError),
    limitAttempts: (failure) => limitAttempts(stripe, failure).catch(toAppError),
    owedMails: (since) => explained(owedMails(stripe, since)),
    markSent: (job) => markSent(stripe, job).catch(toAppError),
    findMail: (id, kind) => findMail(stripe, id, kind).catch(toAppError),
    correctAddress: (id, email) => correctAddress(stripe, id, email).catch(toAppError),
    readEvent: (rawBody, signature) => readEvent(stripe, rawBody, signature, settings.webhookSecret ?? ''),
  };
}

async function* explained<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    toAppError(error);
  }
}

function hostOf(apiBase: string | undefined): Stripe.StripeConfig {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const secure = protocol === 'https:';
  return { host: hostname, port: port || (secure ? 443 : 80), protocol: secure ? 'https' : 'http' };
}

function readEvent(stripe: Stripe, rawBody: Buffer, signature: string, secret: string): PaymentEvent {
  let event: Stripe.Event;
  try {
    event = stripe.webhooks.constructEvent(rawBody, signature, secret, SIGNATURE_TOLERANCE_S);
  } catch (error) {
    throw invalidSignature(error);
  }
  return paymentEventOf(event);
}
