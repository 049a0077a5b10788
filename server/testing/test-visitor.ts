import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import request from 'supertest';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';

/** What the contact step of one visitor sends. */
export const contactStep = {
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  package: 'january_2026_retreat',
};

/** Sends the contact step, with changes, to an app that need not listen on a port. */
export function submitContact(app: RequestListener, changes: object = {}, key = 'a'.repeat(32)) {
  return request(app)
    .post(CREATE_PAYMENT_PATH)
    .set(IDEMPOTENCY_KEY_HEADER, key)
    .send({ ...contactStep, ...changes });
}

/** Sends the contact step of somebody new to a site, as her browser does. */
export function register(siteUrl: string): Promise<Response> {
  const email = `${randomUUID()}@visitors.example`;
  return fetch(`${siteUrl}${CREATE_PAYMENT_PATH}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: randomUUID() },
    body: JSON.stringify({ ...contactStep, email, timeZone: 'Asia/Kolkata' }),
  });
}
