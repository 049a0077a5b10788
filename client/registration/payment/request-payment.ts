import * as v from 'valibot';
import { replacePayment } from '#client/registration/progress/progress.ts';
import { endWait, waitVisibly } from '#client/registration/steps/step-footer.tsx';
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
  PROVIDER_BUSY,
  REGISTER_AWAY,
  RETREAT_FULL,
} from '#shared/registration.ts';
import { ownTimeZone } from '#shared/zoned-time.ts';
import { NetworkError, postUntilAnswered, RequestFailedError } from './http-client.ts';

/** What the contact step submits. */
interface ContactSubmit {
  contact: Contact;
  /** The honeypot's value. */
  website: string;
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
  { contact, website }: ContactSubmit,
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
    const answer = await ask(CREATE_PAYMENT_PATH, createPaymentResponseSchema, { json, idempotencyKey });
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
  /** Ends the waiting for a turn. */
  signal?: AbortSignal;
}

/**
 * Posts an idempotent request to the site, waits for its turn, and returns the valid answer.
 * @throws {RegistrationRefused} when the server refuses, having made nothing
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
    return v.parse(answerSchema, await inTurn(send, signal));
  } catch (error) {
    throw refusalIn(error) ?? error;
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

/** How long the page retries by itself. */
const RETRY_LIMIT_MS = 20 * 60_000;

/** The wait if the answer has no `Retry-After`. */
const DEFAULT_WAIT_S = 10;

/**
 * Sends a request, and retries while the server answers that it cannot take it now (`PROVIDER_BUSY`,
 * `REGISTER_AWAY`): nothing is charged then, and what was made is found again under the same key. After the first wait a lost
 * connection is retried too, since a phone may go offline while waiting. All other errors are thrown at once.
 */
async function inTurn<Answer>(send: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  signal?.addEventListener('abort', endWait, { once: true });
  let hasWaited = false;
  const endMs = Date.now() + RETRY_LIMIT_MS;
  try {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        const goesOn = isBusy(error) || (hasWaited && error instanceof NetworkError);
        if (!goesOn || signal?.aborted || Date.now() > endMs) throw error;
        await waitVisibly((isBusy(error) && error.retryAfterS) || DEFAULT_WAIT_S, signal);
        if (signal?.aborted) throw error;
        hasWaited = true;
      }
    }
  } finally {
    // After an abort, the wait that is shown may be another request's.
    if (!signal?.aborted) endWait();
  }
}

function isBusy(error: unknown): error is RequestFailedError {
  if (!(error instanceof RequestFailedError) || error.status !== 503) return false;
  const { success, output } = v.safeParse(errorResponseSchema, error.body);
  return success && [PROVIDER_BUSY, REGISTER_AWAY].includes(output.error.code);
}
