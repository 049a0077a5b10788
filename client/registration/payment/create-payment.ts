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

/** Longer than the server waits for Stripe in any but the worst case; who tries again after it finds her payment. */
const TIMEOUT_MS = 60_000;

/**
 * Asks the server for the deposit's payment (R4.1). The same key and details make it once (R4.5).
 * @throws {RegistrationRefused} when the server says no, having made nothing
 * @throws {HttpError} when no answer came, or none that tells whether the payment was made
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

/** What the server said no with; undefined where no answer came, or none in its words. */
export function refusalIn(error: unknown): RegistrationRefused | undefined {
  if (!(error instanceof RequestFailedError) || error.status >= 500) return undefined;
  const { success, output } = v.safeParse(errorResponseSchema, error.body);
  return success ? new RegistrationRefused(output.error) : undefined;
}

/** The endpoint said no, and made nothing: why, in its words for the visitor, and by field. */
export class RegistrationRefused extends Error {
  /** Stable word for programs. */
  readonly code: string;
  readonly fields: Record<string, string>;

  constructor({ code, message, fields = {} }: ErrorResponse['error']) {
    super(message);
    this.name = 'RegistrationRefused';
    this.code = code;
    this.fields = fields;
  }
}
