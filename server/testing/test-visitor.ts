import { randomUUID } from 'node:crypto';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

/** Sends the contact step of somebody new. */
export function register(siteUrl: string): Promise<Response> {
  const email = `${randomUUID()}@visitors.example`;
  return fetch(`${siteUrl}${CREATE_PAYMENT_PATH}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    body: JSON.stringify({
      firstName: 'Wilma',
      lastName: 'O’Hara',
      email,
      phoneNumber: '5550142',
      package: 'january_2026_retreat',
    }),
  });
}
