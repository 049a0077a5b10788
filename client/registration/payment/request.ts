import * as v from 'valibot';
import type { RegistrationData } from '#client/store/stepper-slice.ts';
import {
  CONTACT_FIELDS,
  type Contact,
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  createPaymentResponseSchema,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  RETREAT_FULL,
} from '#shared/registration.ts';
import { ownTimeZone } from '#shared/zoned-time.ts';
import { postUntilAnswered, RequestFailedError } from './http-client.ts';
import { RegistrationRefused, SiteBusy } from './messages.ts';
import { replacePayment } from './registration-key.ts';

/*
 * One registration, one payment (R4.5). The browser makes one key per registration, and the server makes one payment per key:
 * - an open payment is updated, never replaced by a second one;
 * - details are kept as `unanswered` from when they are sent until an answer says what became of them. If other details are
 *   submitted meanwhile, the unanswered ones are sent again first, unchanged: they may have made the payment;
 * - a new key is taken only when the server says that the old one cannot be used any more.
 */

interface ContactSubmit {
  contact: Contact;
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

async function resolveUnanswered(
  registration: RegistrationData,
  submit: ContactSubmit,
  keep: Keep,
): Promise<RegistrationData> {
  const { unanswered, paymentIntentClientSecret } = registration;
  const isSame = CONTACT_FIELDS.every((field) => unanswered?.[field] === submit.contact[field]);
  if (paymentIntentClientSecret !== undefined || !unanswered || isSame) return registration;
  try {
    return await send(registration, { ...submit, contact: unanswered }, keep);
  } catch (error) {
    if (!(error instanceof RegistrationRefused && NEVER_MADE.has(error.code))) throw error;
    return { ...registration, unanswered: undefined };
  }
}

async function send(
  registration: RegistrationData,
  { contact, website, edited }: ContactSubmit,
  keep: Keep,
): Promise<RegistrationData> {
  const { package: packageId = '', idempotencyKey, paymentIntentClientSecret, unanswered } = registration;
  const json: CreatePaymentRequest = {
    ...contact,
    timeZone: ownTimeZone(),
    website: registration.hiddenFieldFilled ? '' : website,
    package: packageId,
    paymentIntentClientSecret,
  };
  keep({ unanswered: contact });
  try {
    const answer = await ask(CREATE_PAYMENT_PATH, createPaymentResponseSchema, json, {
      idempotencyKey,
      signal: edited,
    });
    const payment = { ...answer, unanswered: undefined };
    keep(payment);
    return { ...registration, ...payment };
  } catch (error) {
    // A refused submit made no payment, but an earlier one of the same details, whose answer was lost, may have.
    if (error instanceof RegistrationRefused)
      keep({
        unanswered: NEVER_MADE.has(error.code) ? undefined : unanswered,
        ...(error.code === 'looks_automated' && { hiddenFieldFilled: true }),
      });
    throw error;
  }
}

/** Longer than the server waits for Stripe in all but the worst case; a retry after it finds the same payment. */
const TIMEOUT_MS = 60_000;

interface AskOptions {
  /** Names the registration (R4.5): the same key and details make one only once. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal;
}

/**
 * Posts an idempotent request to the site, and returns the valid answer. If the site has no room for it and says when it will,
 * it is sent once more: what was made meanwhile is found again under the same key.
 * @throws {RegistrationRefused} when the server refuses, having made nothing
 * @throws {SiteBusy} when it has no room for the request twice
 * @throws {HttpError} when no answer came, or none that says whether it was done
 */
export async function ask<Schema extends v.GenericSchema>(
  path: string,
  answerSchema: Schema,
  json: object,
  { idempotencyKey, signal }: AskOptions,
): Promise<v.InferOutput<Schema>> {
  const headers: Record<string, string> =
    idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey };
  const post = async () => {
    try {
      return v.parse(answerSchema, await postUntilAnswered(path, { headers, json, timeoutMs: TIMEOUT_MS }));
    } catch (error) {
      throw refusalIn(error) ?? error;
    }
  };
  try {
    return await post();
  } catch (error) {
    if (!(error instanceof SiteBusy)) throw error;
    await pause(error.retryAfterS, signal);
    if (signal?.aborted) throw error;
    return post();
  }
}

/** The server's refusal in an error; undefined if no answer came, or one not in the server's error format. */
function refusalIn(error: unknown): RegistrationRefused | SiteBusy | undefined {
  if (!(error instanceof RequestFailedError)) return undefined;
  const { status, body, retryAfterS } = error;
  const { success, output } = v.safeParse(errorResponseSchema, body);
  if (!success) return undefined;
  if (status < 500) return new RegistrationRefused(output.error);
  return status === 503 && retryAfterS !== undefined
    ? new SiteBusy(output.error.message, retryAfterS)
    : undefined;
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    setTimeout(resolve, seconds * 1000);
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
