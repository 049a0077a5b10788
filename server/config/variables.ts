import * as v from 'valibot';
import { registrationModes } from '#shared/content/moments.ts';
import {
  choice,
  count,
  databaseUrl,
  dialled,
  folder,
  httpUrl,
  line,
  port,
  publicUrl,
  redisUrl,
  seconds,
  secrets,
  sender,
  text,
  trustProxy,
  url,
  webhookSecrets,
} from './environment-values.ts';
import { users } from './users.ts';

export const SMTP_HINT = 'the mail server, such as smtps://user:password@mail.example';
export const EMAIL_SERVICE_HINT = 'the address of the e-mail service, such as https://api.mail.example';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = '3000';
export const DEFAULT_OPS_PORT = '3001';

/** The variables of both processes; `.env.example` explains each. Support's program reads some of them in a worker. */
const ofBoth = {
  NODE_ENV: v.optional(choice('development', 'production'), 'development'),
  OPS_HOST: v.optional(text('the address the ops page listens on'), DEFAULT_HOST),
  OPS_PORT: v.optional(port, DEFAULT_OPS_PORT),
  OPS_PASSWORD: v.optional(text('the password of /metrics')),
  PUBLIC_URL: publicUrl("the site's own address, such as https://retreat.example"),
  LOG_LEVEL: v.optional(choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info'),
  DATABASE_URL: databaseUrl(
    'where the register is, such as file:/data/register.sqlite or postgresql://user:password@host/name?sslmode=verify-full',
  ),
  REDIS_URL: redisUrl,
  REGISTRATION: v.optional(choice(...registrationModes)),
  PAYMENTS: v.optional(choice('stripe', 'sandbox'), 'stripe'),
  CLOCK: v.optional(choice('system', 'sandbox'), 'system'),
  STRIPE_SECRET_KEY: text('the secret or restricted API key of the Stripe dashboard'),
  STRIPE_API_BASE: v.optional(httpUrl('the address of another Stripe API host')),
  LINK_SECRET: secrets('the secret that links to registrations are made with'),
  MAIL_FROM: sender('the sender of every mail, such as Retreat Office <office@retreat.example>'),
  MAIL_PER_SECOND: v.optional(count, '10'),
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
};

const ofApp = {
  HOST: v.optional(text('the address to listen on'), DEFAULT_HOST),
  PORT: v.optional(port, DEFAULT_PORT),
  OPS_USERS: v.optional(users, ''),
  DRAIN_SECONDS: v.optional(seconds, '0'),
  TRUST_PROXY: v.optional(trustProxy, '0'),
  RATE_LIMIT_PER_ADDRESS: v.optional(count, '5'),
  RATE_LIMIT_OVERALL: v.optional(count, '30'),
  STRIPE_PUBLISHABLE_KEY: text('the publishable API key of the Stripe dashboard'),
  STRIPE_WEBHOOK_SECRET: text("the signing secret of the Stripe dashboard's webhook endpoint"),
  META_PIXEL_ID: v.optional(
    v.pipe(v.string(), v.regex(/^\d{5,20}$/, 'must be digits only: the id of the pixel')),
  ),
  MAIL_EVENTS_SECRET: v.optional(webhookSecrets('the secret that a mail provider signs its webhooks with')),
};

const ofWorker = {
  BACKUP_DIR: v.optional(folder('the folder for copies and the mark of the register, such as /backup')),
  MAIL_TRANSPORT: v.optional(choice('smtp', 'email-service'), 'smtp'),
  SMTP_URL: v.optional(url(SMTP_HINT, 'smtp:', 'smtps:')),
  EMAIL_SERVICE_URL: v.optional(httpUrl(EMAIL_SERVICE_HINT)),
  EMAIL_SERVICE_USER_ID: v.optional(text('the user ID of the e-mail service')),
  EMAIL_SERVICE_SERVICE_ID: v.optional(text('the service ID of the e-mail service')),
  EMAIL_SERVICE_TEMPLATE_ID: v.optional(text('the template ID of the e-mail service')),
};

/** The variables that each process reads, and no other: containers get these only. */
export const schemas = {
  app: v.object({ ...ofBoth, ...ofApp }),
  worker: v.object({ ...ofBoth, ...ofWorker }),
};

/** One of the two processes of the product. */
export type ProcessName = keyof typeof schemas;

/** Every variable. */
export const environmentSchema = v.object({ ...ofBoth, ...ofApp, ...ofWorker });

/** Secrets, keys and certificates: a container may get each in a file instead, which `NAME_FILE` names. */
export const secretVariables = [
  'OPS_PASSWORD',
  'OPS_USERS',
  'DATABASE_URL',
  'REDIS_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'LINK_SECRET',
  'MAIL_EVENTS_SECRET',
  'SMTP_URL',
  'EMAIL_SERVICE_USER_ID',
] as const satisfies (keyof typeof environmentSchema.entries)[];
