import * as v from 'valibot';
import { replacePayment } from '#client/registration/progress/progress.ts';
import type { RegistrationData } from '#client/store/stepper-slice.ts';
import {
  CONTACT_FIELDS,
  type Contact,
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  createPaymentResponseSchema,
  type ErrorResponse,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  RETREAT_FULL,
} from '#shared/registration.ts';
import { ownTimeZone } from '#shared/zoned-time.ts';
import { postUntilAnswered, RequestFailedError } from './http-client.ts';

interface ContactSubmit {
  contact: Contact;
  /** The honeypot's value. */
  website: string;
  /** Aborted once she edits what was sent: it is not sent a second time. */
  edited: AbortSignal;
}

/** Stores interim results, so that the next submit continues from them, also after a reload. */
type Keep = (progress: RegistrationData) => void;

/** Codes that mean: these details have never made a payment under this key. */
const NEVER_MADE = new Set(['invalid_request', 'registration_changed']);

/** Codes that mean: this key or payment must not be used again; retry with a new key. */
const NEEDS_NEW_KEY = new Set(['registration_changed', 'registration_not_found']);

/** Also needs a new key, but without a retry: the refusal is shown to the visitor. */
const PAYMENT_OVER = new Set(['already_paid', 'payment_canceled', 'payment_closed', RETREAT_FULL]);

/**
 * Creates the payment of a registration, and never a second one (R4.5): an existing payment is updated, and
 * details whose answer was lost are first resent unchanged, before other details are sent.
 * @throws what `ask` throws
 */
export async function requestPayment(
  registration: RegistrationData,
  submit: ContactSubmit,
  keep: Keep,
): Promise<void> {
  try {
    await send(await resolveUnanswered(registration, submit, keep), submit, keep);
  } catch (error) {
    if (!(error instanceof RegistrationRefused)) throw error;
    const isOver = PAYMENT_OVER.has(error.code);
    if (!isOver && !NEEDS_NEW_KEY.has(error.code)) throw error;
    const replaced = replacePayment(registration);
    keep(replaced);
    if (isOver) throw error;
    await send({ ...registration, ...replaced }, submit, keep);
  }
}

/**
 * Resends details whose answer was lost, to learn whether they made a payment before other details are sent.
 */
async function resolveUnanswered(
  registration: RegistrationData,
  submit: ContactSubmit,
  keep: Keep,
): Promise<RegistrationData> {
  const { unanswered, paymentIntentClientSecret } = registration;
  const settled =
    paymentIntentClientSecret !== undefined || !unanswered || isSame(unanswered, submit.contact);
  if (settled) return registration;
  try {
    return await send(registration, { ...submit, contact: unanswered }, keep);
  } catch (error) {
    if (!(error instanceof RegistrationRefused && NEVER_MADE.has(error.code))) throw error;
    return { ...registration, unanswered: undefined };
  }
}

async function send(
  registration: RegistrationData,
  { contact, website, edited: signal }: ContactSubmit,
  keep: Keep,
): Promise<RegistrationData> {
  const { package: packageId = '', idempotencyKey = '', paymentIntentClientSecret } = registration;
  const json: CreatePaymentRequest = {
    ...contact,
    timeZone: ownTimeZone(),
    website: registration.hiddenFieldFilled ? '' : website,
    package: packageId,
    paymentIntentClientSecret,
  };
  keep({ unanswered: contact });
  try {
    const answer = await ask(CREATE_PAYMENT_PATH, createPaymentResponseSchema, {
      json,
      idempotencyKey,
      signal,
    });
    const payment = { offeredTo: undefined, ...answer, unanswered: undefined };
    keep(payment);
    return { ...registration, ...payment };
  } catch (error) {
    if (error instanceof RegistrationRefused) keep(progressAfterRefusal(error, registration));
    throw error;
  }
}

/**
 * A refused submit made no payment, but an earlier one of the same details, whose answer was lost, may have.
 */
function progressAfterRefusal(
  { code }: RegistrationRefused,
  { unanswered }: RegistrationData,
): RegistrationData {
  return {
    unanswered: NEVER_MADE.has(code) ? undefined : unanswered,
    ...(code === 'looks_automated' && { hiddenFieldFilled: true }),
  };
}

function isSame(one: Contact, other: Contact): boolean {
  return CONTACT_FIELDS.every((field) => one[field] === other[field]);
}

/**
 * Longer than the server waits for Stripe in all but the worst case; a retry after it finds the same payment.
 */
const TIMEOUT_MS = 60_000;

interface Question {
  json: object;
  /** Names the registration (R4.5): the same key and details make one only once. */
  idempotencyKey?: string;
  /** Ends the wait before the second try. */
  signal?: AbortSignal;
}

/**
 * Posts an idempotent request to the site, and returns the valid answer.
 * @throws {RegistrationRefused} when the server refuses, having made nothing
 * @throws {SiteBusy} when it has no room for the request twice
 * @throws {HttpError} when no answer came, or none that says whether it was done
 */
export async function ask<Schema extends v.GenericSchema>(
  path: string,
  answerSchema: Schema,
  { json, idempotencyKey, signal }: Question,
): Promise<v.InferOutput<Schema>> {
  const headers = idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey };
  const send = () => postUntilAnswered(path, { headers, json, timeoutMs: TIMEOUT_MS });
  try {
    return v.parse(answerSchema, await sendTwice(send, signal));
  } catch (error) {
    throw busyIn(error) ?? refusalIn(error) ?? error;
  }
}

/** The server's refusal in an error; undefined if no answer came, or one not in the server's error format. */
function refusalIn(error: unknown): RegistrationRefused | undefined {
  if (!(error instanceof RequestFailedError) || error.status >= 500) return undefined;
  const { success, output } = v.safeParse(errorResponseSchema, error.body);
  return success ? new RegistrationRefused(output.error) : undefined;
}

/**
 * The endpoint refused, and made nothing. Holds the reason in words for the visitor, and the errors by field.
 */
export class RegistrationRefused extends Error {
  /** Stable and machine-readable. */
  readonly code: string;
  readonly fields: Record<string, string>;

  constructor({ code, message, fields = {} }: ErrorResponse['error']) {
    super(message);
    this.name = 'RegistrationRefused';
    this.code = code;
    this.fields = fields;
  }
}

function busyIn(error: unknown): SiteBusy | undefined {
  if (!(error instanceof RequestFailedError) || error.status !== 503 || error.retryAfterS === undefined)
    return undefined;
  const { success, output } = v.safeParse(errorResponseSchema, error.body);
  return success ? new SiteBusy(output.error.message, { cause: error }) : undefined;
}

/** The site has no room at this moment, and charged nothing; its words are for the visitor. */
export class SiteBusy extends Error {}

/**
 * Sends a request, and once more if the site has no room for it and says when it will: what was made meanwhile is found
 * again under the same key.
 */
async function sendTwice<Answer>(send: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof RequestFailedError && busyIn(error))) throw error;
    await pause(error.retryAfterS ?? 0, signal);
    if (signal?.aborted) throw error;
    return send();
  }
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    setTimeout(resolve, seconds * 1000);
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
