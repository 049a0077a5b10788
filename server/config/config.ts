import * as v from 'valibot';
import { registrationModes } from '#shared/content/registration-window.ts';
import {
  DEFAULT_HOST,
  DEFAULT_OPS_PORT,
  DEFAULT_PORT,
  EMAIL_SERVICE_HINT,
  environmentProblems,
  SMTP_HINT,
} from './environment-problems.ts';
import {
  choice,
  count,
  dialled,
  ecKey,
  httpUrl,
  line,
  port,
  publicUrl,
  seconds,
  secrets,
  sender,
  text,
  url,
  webhookSecrets,
} from './environment-values.ts';
import { launchProblems } from './launch-check.ts';
import { readEnvironment } from './read-environment.ts';
import { redisEntries, redisSettingsOf } from './redis-settings.ts';
import { trustProxy } from './trust-proxy.ts';
import { users } from './users.ts';

/** Every variable; `.env.example` explains each. */
export const environmentSchema = v.object({
  NODE_ENV: v.optional(choice('development', 'production'), 'development'),
  HOST: v.optional(text('the address to listen on'), DEFAULT_HOST),
  PORT: v.optional(port, DEFAULT_PORT),
  OPS_HOST: v.optional(text('the address the ops page listens on'), DEFAULT_HOST),
  OPS_PORT: v.optional(port, DEFAULT_OPS_PORT),
  OPS_USER: v.optional(text('the user name of /metrics'), 'ops'),
  OPS_PASSWORD: v.optional(text('the password of /metrics')),
  OPS_USERS: v.optional(users, ''),
  DRAIN_SECONDS: v.optional(seconds, '0'),
  PUBLIC_URL: publicUrl("the site's own address, such as https://retreat.example"),
  LOG_LEVEL: v.optional(choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info'),
  TRUST_PROXY: v.optional(trustProxy, '0'),
  RATE_LIMIT_PER_ADDRESS: v.optional(count, '5'),
  RATE_LIMIT_OVERALL: v.optional(count, '30'),
  ...redisEntries,
  REGISTRATION: v.optional(choice(...registrationModes)),
  PAYMENTS: v.optional(choice('stripe', 'sandbox'), 'stripe'),
  CLOCK: v.optional(choice('system', 'sandbox'), 'system'),
  STRIPE_SECRET_KEY: text('the secret or restricted API key of the Stripe dashboard'),
  STRIPE_PUBLISHABLE_KEY: text('the publishable API key of the Stripe dashboard'),
  STRIPE_WEBHOOK_SECRET: text("the signing secret of the Stripe dashboard's webhook endpoint"),
  STRIPE_API_BASE: v.optional(httpUrl('the address of another Stripe API host')),
  STRIPE_SCRIPT_URL: v.optional(httpUrl('the address of another Stripe.js')),
  LINK_SECRET: secrets('the secret that links to registrations are made with'),
  VIDEO_ROOM_URL: v.optional(httpUrl('the address of the video room')),
  META_PIXEL_ID: v.optional(
    v.pipe(v.string(), v.regex(/^\d{5,20}$/, 'must be digits only: the id of the pixel')),
  ),
  META_PIXEL_SCRIPT_URL: v.optional(httpUrl("the address of another pixel's script")),
  MAIL_TRANSPORT: v.optional(choice('smtp', 'email-service'), 'smtp'),
  SMTP_URL: v.optional(url(SMTP_HINT, 'smtp:', 'smtps:')),
  EMAIL_SERVICE_URL: v.optional(httpUrl(EMAIL_SERVICE_HINT)),
  EMAIL_SERVICE_USER_ID: v.optional(text('the user ID of the e-mail service')),
  EMAIL_SERVICE_SERVICE_ID: v.optional(text('the service ID of the e-mail service')),
  EMAIL_SERVICE_TEMPLATE_ID: v.optional(text('the template ID of the e-mail service')),
  MAIL_CONCURRENCY: v.optional(count, '5'),
  MAIL_PER_SECOND: v.optional(count, '10'),
  MAIL_EVENTS_SENDGRID_KEY: v.optional(ecKey("the verification key of SendGrid's Event Webhook")),
  MAIL_EVENTS_SECRET: v.optional(webhookSecrets('the secret that a mail provider signs its webhooks with')),
  MAIL_FROM: sender('the sender of every mail, such as Retreat Office <office@retreat.example>'),
  OFFICE_EMAIL: v.pipe(text("the retreat office's e-mail address"), v.email('must be an e-mail address')),
  OFFICE_PHONE: text("the retreat office's phone number"),
  OFFICE_FAX: v.optional(dialled("the retreat office's fax number, such as +1 (555) 555-0101")),
  OFFICE_POSTAL_ADDRESS: v.optional(
    line("the retreat office's postal address, its parts separated by commas"),
  ),
  OFFICE_LEGAL_NAME: v.optional(line('the legal name of who runs the retreat')),
  OFFICE_URL: v.optional(
    publicUrl("the address of the office's pages, such as https://office.retreat.example"),
  ),
});

type Environment = v.InferOutput<typeof environmentSchema>;

/** The configuration of the two processes. Frozen; read once at start. */
export type Config = Readonly<ReturnType<typeof shape>>;

/** The environment is wrong. The message names every bad key at once and what to do about it. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration needs attention:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Parses the environment; `NAME_FILE` names a file that holds a value. An empty value counts as absent, as compose
 * files and .env files write it.
 * @throws {ConfigError} naming every key that is missing or wrong
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const { given, output, problems } = readEnvironment(environmentSchema, env);
  problems.push(...environmentProblems(given), ...launchProblems(given));
  if (!output || problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(shape(output));
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}

function shape(env: Environment) {
  return {
    production: env.NODE_ENV === 'production',
    logLevel: env.LOG_LEVEL,
    publicUrl: env.PUBLIC_URL,
    listen: { host: env.HOST, port: env.PORT },
    ops: { host: env.OPS_HOST, port: env.OPS_PORT, user: env.OPS_USER, password: env.OPS_PASSWORD },
    /** Who may sign in to the office's pages. */
    users: env.OPS_USERS,
    /** How long the app goes on serving after it was told to stop. */
    drainSeconds: env.DRAIN_SECONDS,
    trustProxy: env.TRUST_PROXY,
    limits: {
      perAddress: env.RATE_LIMIT_PER_ADDRESS,
      overall: env.RATE_LIMIT_OVERALL,
      officePhone: env.OFFICE_PHONE,
    },
    redis: redisSettingsOf(env),
    registration: env.REGISTRATION ?? (env.NODE_ENV === 'production' ? ('auto' as const) : ('open' as const)),
    payments: env.PAYMENTS,
    /** Where the payment sandbox publishes its date; without it, business dates use this machine's clock. */
    clockUrl: env.CLOCK === 'sandbox' ? new URL('/sandbox/clock', env.STRIPE_API_BASE).href : undefined,
    stripe: {
      secretKey: env.STRIPE_SECRET_KEY,
      publishableKey: env.STRIPE_PUBLISHABLE_KEY,
      webhookSecret: env.STRIPE_WEBHOOK_SECRET,
      apiBase: env.STRIPE_API_BASE,
      scriptUrl: env.STRIPE_SCRIPT_URL,
    },
    /** The first secret signs links; links signed with any of them are accepted. */
    linkSecrets: env.LINK_SECRET,
    videoRoomUrl: env.VIDEO_ROOM_URL,
    pixel: env.META_PIXEL_ID ? { id: env.META_PIXEL_ID, scriptUrl: env.META_PIXEL_SCRIPT_URL } : undefined,
    /** Where the office opens its pages; letters to it link there. */
    officeUrl: env.OFFICE_URL,
    mail: {
      from: env.MAIL_FROM,
      transport: mailTransportOf(env),
      concurrency: env.MAIL_CONCURRENCY,
      perSecond: env.MAIL_PER_SECOND,
      /** How providers sign their events about letters; each of the secrets is accepted. */
      events: { sendgridKey: env.MAIL_EVENTS_SENDGRID_KEY, secrets: env.MAIL_EVENTS_SECRET ?? [] },
    },
    office: {
      email: env.OFFICE_EMAIL,
      phone: env.OFFICE_PHONE,
      fax: env.OFFICE_FAX,
      postalAddress: env.OFFICE_POSTAL_ADDRESS,
      legalName: env.OFFICE_LEGAL_NAME,
    },
  };
}

/** The variables of the chosen transport are set: `environmentProblems` has checked that before. */
function mailTransportOf(env: Environment) {
  if (env.MAIL_TRANSPORT === 'smtp') return { kind: 'smtp', url: env.SMTP_URL ?? '' } as const;
  return {
    kind: 'email-service',
    url: env.EMAIL_SERVICE_URL ?? '',
    userId: env.EMAIL_SERVICE_USER_ID ?? '',
    serviceId: env.EMAIL_SERVICE_SERVICE_ID ?? '',
    templateId: env.EMAIL_SERVICE_TEMPLATE_ID ?? '',
  } as const;
}
