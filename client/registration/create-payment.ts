import * as v from 'valibot';
import {
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  type CreatePaymentResponse,
  createPaymentResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
} from '#shared/registration.ts';

/**
 * Asks the server for the deposit's payment (R4.1). The same key and details make it once (R4.5).
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
  if (!response.ok) throw new Error(`POST ${CREATE_PAYMENT_PATH} failed with status code ${response.status}`);
  return v.parse(createPaymentResponseSchema, await response.json());
}
