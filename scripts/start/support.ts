import { resolve } from 'node:path';
import { environmentOf, registerIn } from '#scripts/product/environment.ts';
import { LOOPBACK, productEnvironment, readSettings } from './settings.ts';

// By default, the support program works on what `npm start` runs.
const settings = readSettings(process.env);
const { ports, dataFolder, needsSandbox } = settings;
const at = (port: number, scheme = 'http') => `${scheme}://${LOOPBACK}:${port}`;
const standard = environmentOf({
  siteUrl: at(ports.PORT),
  databaseUrl: registerIn(resolve(dataFolder)),
  redisUrl: at(ports.REDIS_PORT, 'redis'),
  smtpUrl: at(ports.MAILBOX_SMTP_PORT, 'smtp'),
  ...(needsSandbox && { stripeUrl: at(ports.SANDBOX_PORT) }),
});
const mode = process.env.NODE_ENV === 'production' ? 'production' : 'development';
const env = Object.entries(productEnvironment(mode, settings, standard));
for (const [name, value] of env) if (value !== undefined) process.env[name] = value;
// The program expects its own arguments directly after its name, without the command that bootstrap.mjs was
// given.
process.argv.splice(2, 1);
await import('#server/office/terminal/main.ts');
