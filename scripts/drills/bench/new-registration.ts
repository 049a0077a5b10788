import { randomBytes } from 'node:crypto';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';

/** A request of a visitor who was never there before: its headers and body. */
export function newRegistration(number: number) {
  const key = `${Date.now().toString(36)}-${randomBytes(16).toString('hex')}`;
  const text = JSON.stringify({
    firstName: 'Wilma',
    lastName: 'Bench',
    email: `wilma-${key}-${number}@example.org`,
    phoneNumber: '+1 (555) 555-0142',
    package: facts.retreatPackage.id,
    timeZone: 'America/Chicago',
  });
  return { headers: { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: key }, text };
}
