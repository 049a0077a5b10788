import { randomBytes, scryptSync } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { formatUser, type Role } from '#server/config/users.ts';
import { environmentSchema, type ProcessName, schemas } from '#server/config/variables.ts';

/** The environment variables of app and worker, as `server/config/` defines them. */
export type Environment = { -readonly [Name in keyof typeof environmentSchema.entries]?: string | undefined };

/** The addresses of everything that app and worker use. An absent one is not configured. */
export interface Addresses {
  siteUrl: string;
  databaseUrl: string;
  redisUrl?: string | undefined;
  smtpUrl?: string | undefined;
  stripeUrl?: string | undefined;
}

/** The keys of the payment sandbox, as the product's variables. */
export const sandboxKeys = {
  STRIPE_SECRET_KEY: SANDBOX_KEYS.secretKey,
  STRIPE_PUBLISHABLE_KEY: SANDBOX_KEYS.publishableKey,
  STRIPE_WEBHOOK_SECRET: SANDBOX_KEYS.webhookSecret,
} satisfies Environment;

/** The office of a site that is tried out. */
export const sampleOffice = {
  MAIL_FROM: 'The Retreat <office@retreat.example>',
  OFFICE_EMAIL: 'office@retreat.example',
  OFFICE_PHONE: '+1 (555) 555-0100',
} satisfies Environment;

/** Signs the links of a site that is tried out; they are valid nowhere else. */
export const sampleLinkSecret = {
  LINK_SECRET: 'sample-secret-of-a-site-that-is-tried-out',
} satisfies Environment;

/** Signs the webhooks that the stand-in for a mail provider sends to such a site. */
export const sampleMailEvents = {
  MAIL_EVENTS_SECRET: `whsec_${Buffer.from('sample secret of a site that is tried out').toString('base64')}`,
} satisfies Environment;

/** The minimal environment with which app and worker start; nothing needs to run at these addresses. */
export const leastEnvironment = {
  PUBLIC_URL: 'http://127.0.0.1:3000',
  DATABASE_URL: 'file:/nowhere/register.sqlite',
  REDIS_URL: 'redis://127.0.0.1:6390',
  SMTP_URL: 'smtp://127.0.0.1:1025',
  ...sandboxKeys,
  ...sampleOffice,
  ...sampleLinkSecret,
} satisfies Environment;

/** Where no mail is sent: nothing listens there. */
export const NO_MAIL_SERVER = 'smtp://127.0.0.1:9';

/** Lets one IP address act as many visitors. */
export const noLimits = {
  RATE_LIMIT_PER_ADDRESS: '100000',
  RATE_LIMIT_OVERALL: '100000',
} satisfies Environment;

/** The credentials for `/metrics`. */
export const opsCredentials = { user: 'ops', password: sampleLinkSecret.LINK_SECRET };

/** Who may sign in to the office's pages of a site that is tried out; the password is the name. */
export const sampleUsers = ['office', 'support'] as const satisfies readonly Role[];

/**
 * The sample users' lines in `OPS_USERS`. Their hashes are cheap: production refuses such hashes, except with
 * the sandbox.
 */
export function sampleUserLines(parallel = 1): string {
  const cost = { cost: 1024, blockSize: 8, parallel };
  const lines = sampleUsers.map((name) => {
    const salt = randomBytes(16);
    const hash = scryptSync(name, salt, 32, { cost: 1024, blockSize: 8, parallelization: parallel });
    const password = { ...cost, salt: salt.toString('base64url'), hash: hash.toString('base64url') };
    return formatUser({ name, role: name, password });
  });
  return lines.join('\n');
}

export function registerIn(folder: string): string {
  return pathToFileURL(join(folder, 'register.sqlite')).href;
}

/**
 * The whole environment of app and worker except `OPS_PORT`, in production mode; `changes` take precedence.
 */
export function environmentOf(addresses: Addresses, changes: Environment = {}): Environment {
  const { siteUrl, databaseUrl, redisUrl, smtpUrl, stripeUrl } = addresses;
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: new URL(siteUrl).port,
    PUBLIC_URL: siteUrl,
    REGISTRATION: 'open',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SMTP_URL: smtpUrl,
    ...(stripeUrl && {
      ...sandboxKeys,
      PAYMENTS: 'sandbox',
      STRIPE_API_BASE: stripeUrl,
      OPS_USERS: sampleUserLines(),
    }),
    ...sampleOffice,
    ...sampleLinkSecret,
    ...sampleMailEvents,
    OPS_PASSWORD: opsCredentials.password,
    ...changes,
  };
}

/** An environment without the variables that only the other process reads, as containers get it. */
export function environmentOfProcess(name: ProcessName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isForeign = (variable: string) =>
    variable in environmentSchema.entries && !(variable in schemas[name].entries);
  return Object.fromEntries(
    Object.entries(env).filter(([variable]) => !isForeign(variable.replace(/_FILE$/, ''))),
  );
}
