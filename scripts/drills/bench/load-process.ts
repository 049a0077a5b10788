import { randomBytes } from 'node:crypto';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';
import { retreatPackage } from '#shared/retreat-package.ts';
import { type Load, runLoad } from './load.ts';

/** Makes load in a process of its own: `load-process.ts LOAD`, with the load as JSON; prints how it went. */
const load: Load = JSON.parse(process.argv[2] ?? '');
const registers = new URL(load.url).pathname === CREATE_PAYMENT_PATH;
console.log(JSON.stringify(await runLoad(registers ? { ...load, body: registration } : load)));

function registration(number: number) {
  const key = `${Date.now().toString(36)}-${randomBytes(16).toString('hex')}`;
  const text = JSON.stringify({
    firstName: 'Wilma',
    lastName: 'Bench',
    email: `wilma-${key}-${number}@example.org`,
    phoneNumber: '+1 (555) 555-0142',
    package: retreatPackage.id,
    timeZone: 'America/Chicago',
  });
  return { key, headers: { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: key }, text };
}
