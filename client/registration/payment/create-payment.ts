import * as v from 'valibot';
import {
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  type CreatePaymentResponse,
  createPaymentResponseSchema,
  type ErrorResponse,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
} from '#shared/registration.ts';
import { RequestFailedError } from './http-client.ts';
import { inTurn } from './in-turn.ts';
import { postUntilAnswered } from './post-until-answered.ts';

/**
 * Longer than the server waits for Stripe in all but the worst case; a retry after it finds the same payment.
 */
const TIMEOUT_MS = 60_000;

/**
 * Asks the server to create the deposit's payment (R4.1). The same key and details create it only once
 * (R4.5).
 * @throws {RegistrationRefused} when the server refuses, having made nothing
 * @throws {HttpError} when no answer came, or none that says whether the payment was made
 */
export async function createPayment(
  request: CreatePaymentRequest,
  idempotencyKey: string,
): Promise<CreatePaymentResponse> {
  try {
    const headers = { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey };
    const answer = await inTurn(() =>
      postUntilAnswered(CREATE_PAYMENT_PATH, { headers, json: request, timeoutMs: TIMEOUT_MS }),
    );
    return v.parse(createPaymentResponseSchema, answer);
  } catch (error) {
    throw refusalIn(error) ?? error;
  }
}

/** The server's refusal in an error; undefined if no answer came, or one not in the server's error format. */
export function refusalIn(error: unknown): RegistrationRefused | undefined {
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
