import { resolve } from 'node:path';
import { registerIn, sampleLinkSecret, sampleOffice, sandboxKeys } from '#scripts/product/environment.ts';
import { copiesIn, readSettings, sampleDetails } from './settings.ts';

// By default, the support program works on what `npm start` runs.
const { ports, dataFolder, needsRedis } = readSettings(process.env);
const { PORT, REDIS_PORT, SANDBOX_PORT, MAILBOX_SMTP_PORT } = ports;
if (!process.env.DATABASE_URL_FILE) process.env.DATABASE_URL ||= registerIn(resolve(dataFolder));
if (needsRedis) process.env.REDIS_URL = `redis://127.0.0.1:${REDIS_PORT}`;
process.env.PUBLIC_URL ||= `http://127.0.0.1:${PORT}`;
const unasked = {
  ...sampleOffice,
  ...sampleDetails,
  ...sampleLinkSecret,
  REGISTRATION: 'auto',
  BACKUP_DIR: copiesIn(dataFolder),
  SMTP_URL: `smtp://127.0.0.1:${MAILBOX_SMTP_PORT}`,
};
for (const [name, value] of Object.entries(unasked))
  if (!process.env[`${name}_FILE`]) process.env[name] ||= value;
if (!process.env.STRIPE_SECRET_KEY) {
  process.env.STRIPE_SECRET_KEY = sandboxKeys.STRIPE_SECRET_KEY;
  process.env.STRIPE_API_BASE ||= `http://127.0.0.1:${SANDBOX_PORT}`;
  process.env.PAYMENTS ||= 'sandbox';
  process.env.CLOCK ||= 'sandbox';
}
// The program expects its own arguments directly after its name, without the command that bootstrap.mjs was
// given.
process.argv.splice(2, 1);
await import('#server/office/terminal/main.ts');
