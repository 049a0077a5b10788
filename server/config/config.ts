import type * as v from 'valibot';
import { environmentProblems } from './environment-problems.ts';
import { launchProblems } from './launch.ts';
import { readEnvironment } from './read-environment.ts';
import { schemas } from './variables.ts';

type AppEnvironment = v.InferOutput<typeof schemas.app>;
type WorkerEnvironment = v.InferOutput<typeof schemas.worker>;

/** The configuration of the app, read once at start. */
export type AppConfig = Readonly<ReturnType<typeof shapeOfApp>>;
/** The configuration of the worker, read once at start. */
export type WorkerConfig = Readonly<ReturnType<typeof shapeOfWorker>>;

/** The environment is wrong. The message names every bad key at once and what to do about it. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration needs attention:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Parses the app's part of the environment; `NAME_FILE` names a file that holds a value. An empty value counts as
 * absent, as compose files and .env files write it.
 * @throws {ConfigError} naming every key that is missing or wrong
 */
export function readAppConfig(env: NodeJS.ProcessEnv = process.env): AppConfig {
  return read(schemas.app, env, shapeOfApp);
}

/** Parses the worker's part of the environment, as `readAppConfig` does. */
export function readWorkerConfig(env: NodeJS.ProcessEnv = process.env): WorkerConfig {
  return read(schemas.worker, env, shapeOfWorker);
}

function read<Entries extends v.ObjectEntries, Config extends object>(
  schema: v.ObjectSchema<Entries, undefined>,
  env: NodeJS.ProcessEnv,
  shape: (environment: v.InferOutput<typeof schema>) => Config,
): Config {
  const { given, output, problems } = readEnvironment(schema, env);
  problems.push(...environmentProblems(given, env), ...launchProblems(given));
  if (!output || problems.length > 0) throw new ConfigError(problems);
  return shape(output);
}

function shapeOfBoth(env: AppEnvironment | WorkerEnvironment) {
  return {
    production: env.NODE_ENV === 'production',
    logLevel: env.LOG_LEVEL,
    publicUrl: env.PUBLIC_URL,
    ops: { host: env.OPS_HOST, port: env.OPS_PORT, password: env.OPS_PASSWORD },
    database: { url: env.DATABASE_URL },
    redisUrl: env.REDIS_URL,
    registration: env.REGISTRATION ?? (env.NODE_ENV === 'production' ? ('auto' as const) : ('open' as const)),
    payments: env.PAYMENTS,
    /** Where the payment sandbox publishes its date; without it, business dates use this machine's clock. */
    clockUrl: env.CLOCK === 'sandbox' ? new URL('/sandbox/clock', env.STRIPE_API_BASE).href : undefined,
    /** The first secret signs links; links signed with any of them are accepted. */
    linkSecrets: env.LINK_SECRET,
    /** Where the office opens its pages; letters to it link there. */
    officeUrl: env.OFFICE_URL,
    mail: { from: env.MAIL_FROM, perSecond: env.MAIL_PER_SECOND },
    office: {
      email: env.OFFICE_EMAIL,
      phone: env.OFFICE_PHONE,
      fax: env.OFFICE_FAX,
      postalAddress: env.OFFICE_POSTAL_ADDRESS,
      legalName: env.OFFICE_LEGAL_NAME,
    },
    stripe: { secretKey: env.STRIPE_SECRET_KEY, apiBase: env.STRIPE_API_BASE },
  };
}

function shapeOfApp(env: AppEnvironment) {
  const both = shapeOfBoth(env);
  return {
    ...both,
    listen: { host: env.HOST, port: env.PORT },
    /** Who may sign in to the office's pages. */
    users: env.OPS_USERS,
    /** How long the app goes on serving after it was told to stop. */
    drainSeconds: env.DRAIN_SECONDS,
    trustProxy: env.TRUST_PROXY,
    limits: {
      perAddress: env.RATE_LIMIT_PER_ADDRESS,
      overall: env.RATE_LIMIT_OVERALL,
    },
    stripe: {
      ...both.stripe,
      publishableKey: env.STRIPE_PUBLISHABLE_KEY,
      webhookSecret: env.STRIPE_WEBHOOK_SECRET,
      /** The sandbox has a Stripe.js of its own. */
      scriptUrl: env.PAYMENTS === 'sandbox' ? new URL('/stripe.js', env.STRIPE_API_BASE).href : undefined,
    },
    pixelId: env.META_PIXEL_ID,
    mail: {
      ...both.mail,
      /** How providers sign their events about letters; each of the secrets is accepted. */
      eventsSecrets: env.MAIL_EVENTS_SECRET ?? [],
    },
  };
}

function shapeOfWorker(env: WorkerEnvironment) {
  const both = shapeOfBoth(env);
  return {
    ...both,
    /** Where copies of an SQLite register are written; without it there are none. */
    backupFolder: env.BACKUP_DIR,
    mail: { ...both.mail, transport: mailTransportOf(env) },
  };
}

/** The variables of the chosen transport are set: `environmentProblems` has checked that before. */
function mailTransportOf(env: WorkerEnvironment) {
  if (env.MAIL_TRANSPORT === 'smtp') return { kind: 'smtp', url: env.SMTP_URL ?? '' } as const;
  return {
    kind: 'email-service',
    url: env.EMAIL_SERVICE_URL ?? '',
    userId: env.EMAIL_SERVICE_USER_ID ?? '',
    serviceId: env.EMAIL_SERVICE_SERVICE_ID ?? '',
    templateId: env.EMAIL_SERVICE_TEMPLATE_ID ?? '',
  } as const;
}
