import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { PERSONAL, requestBytes } from './attack.ts';

export const JSON_TYPE = 'Content-Type: application/json';
export const KEY = 'Idempotency-Key: 0123456789abcdef0123456789abcdef';

/** Details that are accepted. */
export const contact = {
  firstName: PERSONAL,
  lastName: PERSONAL,
  email: `a@${PERSONAL}.example`,
  phoneNumber: '5550142',
  package: 'january_2026_retreat',
};

/** A request to the registration's endpoint. */
export function post(body: string | Uint8Array, headers: readonly string[] = [JSON_TYPE, KEY]): Uint8Array {
  return requestBytes({ method: 'POST', path: CREATE_PAYMENT_PATH, headers, body });
}
