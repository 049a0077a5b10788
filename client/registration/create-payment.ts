import * as v from 'valibot';
import {
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  type CreatePaymentResponse,
  createPaymentResponseSchema,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
} from '#shared/registration.ts';
import { PaymentRefused } from './payment-refused.ts';

/**
 * Asks the server for the deposit's payment (R4.1). The same key and details make it once (R4.5).
 * @throws {PaymentRefused} when registration has closed meanwhile
 * @throws {Error} when the server cannot be reached, refuses, or answers with something else
 */
export async function createPayment(
  request: CreatePaymentRequest,
  idempotencyKey: string,
): Promise<CreatePaymentResponse> {
  const response = await fetch(CREATE_PAYMENT_PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: idempotencyKey },
    body: JSON.stringify(request),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return v.parse(createPaymentResponseSchema, body);

  const refusal = v.safeParse(errorResponseSchema, body);
  if (refusal.success && refusal.output.error.code === 'registration_closed') {
    throw new PaymentRefused(refusal.output.error.message);
  }
  throw new Error(`POST ${CREATE_PAYMENT_PATH} failed with status code ${response.status}`);
}
