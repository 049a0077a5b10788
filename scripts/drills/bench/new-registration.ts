import { randomBytes } from 'node:crypto';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';

/** The address under which a registration of this bench looks for earlier ones tells its key. */
const EMAIL = /^wilma-(.+)-\d+@example\.org$/;

/** The key of the registration that an e-mail address belongs to; undefined when it is none of this bench. */
export function keyInEmail(email: string): string | undefined {
  return EMAIL.exec(email)?.[1];
}

/** A request of a visitor who was never there before: its key, headers and body. */
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
  return { key, headers: { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: key }, text };
}
