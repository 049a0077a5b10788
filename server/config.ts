import * as v from 'valibot';
import { registrationModes } from '#shared/registration-window.ts';
import { trustProxy } from './trust-proxy.ts';

const port = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/, 'must be a port number'),
  v.transform(Number),
  v.maxValue(65535, 'must be a port number'),
);

function text(hint: string) {
  return v.pipe(v.string(`is missing: ${hint}`), v.trim(), v.nonEmpty(`is empty: ${hint}`));
}

function url(hint: string, ...protocols: string[]) {
  return v.pipe(
    text(hint),
    v.check((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), `must be ${hint}`),
  );
}

/** A positive whole number, small enough to be meant. */
const count = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, 'must be a whole number above 0'),
  v.transform(Number),
);

const httpUrl = (hint: string) => url(hint, 'http:', 'https:');

/** Every variable; `.env.example` explains each. */
export const environmentSchema = v.object({
  NODE_ENV: v.optional(v.string(), 'development'),
  HOST: v.optional(text('the address to listen on'), '127.0.0.1'),
  PORT: v.optional(port, '3000'),
  OPS_HOST: v.optional(text('the address the ops page listens on'), '127.0.0.1'),
  OPS_PORT: v.optional(port, '3001'),
  OPS_USER: v.optional(text('the name that opens the ops page'), 'ops'),
  OPS_PASSWORD: v.optional(text('the password that opens the ops page')),
  PUBLIC_URL: httpUrl("the site's own address, such as https://retreat.example"),
  LOG_LEVEL: v.optional(v.picklist(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  TRUST_PROXY: v.optional(trustProxy, '0'),
  RATE_LIMIT_PER_ADDRESS: v.optional(count, '5'),
  RATE_LIMIT_OVERALL: v.optional(count, '30'),
  REDIS_URL: url('the address of Redis, such as redis://redis:6379', 'redis:', 'rediss:'),
  REGISTRATION: v.optional(v.picklist(registrationModes, 'must be open, closed or auto'), 'open'),
  PAYMENTS: v.optional(v.picklist(['stripe', 'sandbox'], 'must be stripe or sandbox'), 'stripe'),
  STRIPE_SECRET_KEY: text('the secret or restricted API key of the Stripe dashboard'),
  STRIPE_PUBLISHABLE_KEY: text('the publishable API key of the Stripe dashboard'),
  STRIPE_WEBHOOK_SECRET: text("the signing secret of the Stripe dashboard's webhook endpoint"),
  STRIPE_API_BASE: v.optional(httpUrl('the address of another Stripe API host')),
  STRIPE_SCRIPT_URL: v.optional(httpUrl('the address of another Stripe.js')),
  SMTP_URL: url('the mail server, such as smtps://user:password@mail.example', 'smtp:', 'smtps:'),
  MAIL_FROM: text('the sender of every mail, such as Retreat Office <office@retreat.example>'),
  OFFICE_EMAIL: v.pipe(text("the retreat office's e-mail address"), v.email('must be an e-mail address')),
  OFFICE_PHONE: text("the retreat office's phone number"),
});

type Environment = v.InferOutput<typeof environmentSchema>;

/** What the two processes run by. Frozen; read once at start. */
export type Config = Readonly<ReturnType<typeof shape>>;

/** The environment is wrong. The message names every bad key at once and what to do about it. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration needs attention:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Parses the environment. An empty value counts as absent, as compose files and .env files write it.
 * @throws {ConfigError} naming every key that is missing or wrong
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(
    Object.keys(environmentSchema.entries).map((name) => [name, env[name] || undefined]),
  );
  const result = v.safeParse(environmentSchema, given, { abortPipeEarly: true });
  const problems = result.issues?.map((issue) => `${v.getDotPath(issue)} ${issue.message}`) ?? [];
  problems.push(...productionProblems(given));
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return deepFreeze(shape(result.output));
}

/** Stripe's own keys: secret or restricted, live or test. The sandbox's hold no such random tail. */
const STRIPE_KEYS: readonly [string, RegExp][] = [
  ['STRIPE_SECRET_KEY', /^(sk|rk)_(live|test)_[A-Za-z0-9]{20,}$/],
  ['STRIPE_PUBLISHABLE_KEY', /^pk_(live|test)_[A-Za-z0-9]{20,}$/],
  ['STRIPE_WEBHOOK_SECRET', /^whsec_[A-Za-z0-9+/=]{20,}$/],
];
const OTHER_HOSTS = ['STRIPE_API_BASE', 'STRIPE_SCRIPT_URL'];

/** `live` or `test`. */
function modeOf(key = ''): string | undefined {
  return key.split('_')[1];
}

type Given = Record<string, string | undefined>;

function productionProblems(env: Given): string[] {
  if (env.NODE_ENV !== 'production') return [];
  const problems = env.PAYMENTS === 'sandbox' ? sandboxProblems(env) : stripeProblems(env);
  if (!env.OPS_PASSWORD) problems.push('OPS_PASSWORD is missing: production wants one for the ops page');
  return problems;
}

/** The sandbox is to charge no card: it needs a host of its own, and keys that open nobody's account. */
function sandboxProblems(env: Given): string[] {
  const problems = OTHER_HOSTS.filter((name) => !env[name]).map(
    (name) => `${name} is missing: PAYMENTS=sandbox wants the address of the sandbox`,
  );
  for (const [name] of STRIPE_KEYS) {
    if (env[name]?.includes('_live_'))
      problems.push(`${name} is a live key, with which PAYMENTS=sandbox must not run`);
  }
  return problems;
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}

function stripeProblems(env: Given): string[] {
  const hint = '(or set PAYMENTS=sandbox on purpose: no card is charged then)';
  const problems: string[] = [];
  for (const [name, pattern] of STRIPE_KEYS) {
    const value = env[name];
    if (value && !pattern.test(value)) problems.push(`${name} is not a real key of Stripe's ${hint}`);
  }
  if (modeOf(env.STRIPE_SECRET_KEY) !== modeOf(env.STRIPE_PUBLISHABLE_KEY)) {
    problems.push('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY are not of one mode, live or test');
  }
  for (const name of OTHER_HOSTS) {
    if (env[name]) problems.push(`${name} points away from Stripe in production ${hint}`);
  }
  return problems;
}

function shape(env: Environment) {
  return {
    production: env.NODE_ENV === 'production',
    logLevel: env.LOG_LEVEL,
    publicUrl: env.PUBLIC_URL,
    listen: { host: env.HOST, port: env.PORT },
    ops: { host: env.OPS_HOST, port: env.OPS_PORT, user: env.OPS_USER, password: env.OPS_PASSWORD },
    trustProxy: env.TRUST_PROXY,
    limits: { perAddress: env.RATE_LIMIT_PER_ADDRESS, overall: env.RATE_LIMIT_OVERALL },
    redisUrl: env.REDIS_URL,
    registration: env.REGISTRATION,
    payments: env.PAYMENTS,
    stripe: {
      secretKey: env.STRIPE_SECRET_KEY,
      publishableKey: env.STRIPE_PUBLISHABLE_KEY,
      webhookSecret: env.STRIPE_WEBHOOK_SECRET,
      apiBase: env.STRIPE_API_BASE,
      scriptUrl: env.STRIPE_SCRIPT_URL,
    },
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    office: { email: env.OFFICE_EMAIL, phone: env.OFFICE_PHONE },
  };
}
