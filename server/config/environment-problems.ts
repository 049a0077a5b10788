import { isLoopback, isPrivateHost } from './environment-values.ts';
import type { Given } from './read-environment.ts';
import { FEW_CHARACTERS, weakLines } from './users.ts';
import { DEFAULT_HOST, DEFAULT_OPS_PORT, DEFAULT_PORT, EMAIL_SERVICE_HINT, SMTP_HINT } from './variables.ts';

/**
 * Problems between variables that are each valid by themselves: one sentence per problem.
 * @param env has a key for each variable that the process reads, also for those that are not set
 */
export function environmentProblems(env: Given): string[] {
  return [...transportProblems(env), ...opsProblems(env), ...clockProblems(env), ...productionProblems(env)];
}

/**
 * A file that several nodes share loses data.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
export function kubernetesProblems(env: NodeJS.ProcessEnv, { NODE_ENV, DATABASE_URL = '' }: Given): string[] {
  const isThere = NODE_ENV === 'production' && env.KUBERNETES_SERVICE_HOST;
  if (!isThere || !DATABASE_URL.startsWith('file:')) return [];
  return ['DATABASE_URL is a file, which pods on several nodes cannot share: use PostgreSQL on Kubernetes'];
}

/** Two ports may both be 0: then the system chooses a different port for each. */
function opsProblems({ NODE_ENV, OPS_PASSWORD, ...env }: Given): string[] {
  const { PORT = DEFAULT_PORT, OPS_PORT = DEFAULT_OPS_PORT, OPS_HOST = DEFAULT_HOST } = env;
  const problems: string[] = [];
  if ('PORT' in env && PORT === OPS_PORT && PORT !== '0')
    problems.push("OPS_PORT is the site's port: choose another");
  if (!OPS_PASSWORD && (NODE_ENV === 'production' || !isLoopback(OPS_HOST))) {
    problems.push(
      'OPS_PASSWORD is missing: /metrics needs one in production, and wherever OPS_HOST is not loopback',
    );
  }
  if (OPS_PASSWORD && NODE_ENV === 'production' && OPS_PASSWORD.length < LEAST_PASSWORD) {
    problems.push(
      `OPS_PASSWORD must have at least ${LEAST_PASSWORD} characters, such as openssl rand -hex 32 makes`,
    );
  }
  return problems;
}

/** Of a password that nothing else accompanies. @see https://pages.nist.gov/800-63-4/sp800-63b.html */
const LEAST_PASSWORD = 15;

/** Random ones, separated by commas. */
const RANDOM = ['LINK_SECRET', 'MAIL_EVENTS_SECRET'];
/** Of these one repeated character is surely wrong. */
const OTHER_SECRETS = ['OPS_PASSWORD', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'EMAIL_SERVICE_USER_ID'];
const WITH_PASSWORD = ['DATABASE_URL', 'REDIS_URL', 'SMTP_URL'];
/** What every key of its kind begins with, and the padding of base64. */
const NOT_SECRET = /^(?:whsec|[a-z]{2}_(?:live|test))_|=+$/g;

function secretProblems(env: Given): string[] {
  const secretsIn = (name: string): (string | undefined)[] => {
    if (RANDOM.includes(name)) return env[name]?.split(',').map((one) => one.trim()) ?? [];
    return [WITH_PASSWORD.includes(name) ? parsed(env[name])?.password : env[name]];
  };
  return [...RANDOM, ...OTHER_SECRETS, ...WITH_PASSWORD]
    .filter((name) => {
      const few = RANDOM.includes(name) ? FEW_CHARACTERS : 1;
      return secretsIn(name).some((one) => one && new Set(one.replace(NOT_SECRET, '')).size <= few);
    })
    .map(
      (name) =>
        `${name} can be guessed: it has few different characters, unlike what openssl rand -base64 32 makes`,
    );
}

function parsed(url = ''): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Whoever is on the way between two networks reads what is sent there unencrypted. */
function plainProblems(env: Given): string[] {
  const [redis, database] = [parsed(env.REDIS_URL), parsed(env.DATABASE_URL)];
  const isPlainDatabase = database?.searchParams.get('sslmode') === 'disable';
  return [
    ...(redis?.protocol === 'redis:' && !isPrivateHost(redis.hostname)
      ? ['REDIS_URL leads over other networks without TLS: begin it with rediss://']
      : []),
    ...(isPlainDatabase && !isPrivateHost(database.hostname)
      ? ['DATABASE_URL leads over other networks without TLS: end it with ?sslmode=verify-full']
      : []),
  ];
}

/** The ids that the e-mail service requires, with its own error messages (R5.2). */
const EMAIL_SERVICE_IDS = [
  ['EMAIL_SERVICE_USER_ID', 'The user ID is required'],
  ['EMAIL_SERVICE_SERVICE_ID', 'The service ID is required'],
  ['EMAIL_SERVICE_TEMPLATE_ID', 'The template ID is required'],
] as const;

/** The missing variables of the chosen mail transport. */
function transportProblems(env: Given): string[] {
  if (!('MAIL_TRANSPORT' in env)) return [];
  if (env.MAIL_TRANSPORT !== 'email-service') {
    return env.SMTP_URL ? [] : [`SMTP_URL is missing: ${SMTP_HINT}`];
  }
  const problems = env.EMAIL_SERVICE_URL ? [] : [`EMAIL_SERVICE_URL is missing: ${EMAIL_SERVICE_HINT}`];
  for (const [name, words] of EMAIL_SERVICE_IDS) {
    if (!env[name]) problems.push(`${name} is missing: ${words}. Find it in the e-mail service's dashboard`);
  }
  return problems;
}

/** Stripe's own keys: secret or restricted, live or test. The sandbox's keys have no such random tail. */
const STRIPE_KEYS: readonly [string, RegExp][] = [
  ['STRIPE_SECRET_KEY', /^(sk|rk)_(live|test)_[A-Za-z0-9]{20,}$/],
  ['STRIPE_PUBLISHABLE_KEY', /^pk_(live|test)_[A-Za-z0-9]{20,}$/],
  ['STRIPE_WEBHOOK_SECRET', /^whsec_[A-Za-z0-9+/=]{20,}$/],
];

/** `live` or `test`. */
function modeOf(key = ''): string | undefined {
  return key.split('_')[1];
}

/** A movable date is for trying the site out: where real money is charged, the date must be real too. */
function clockProblems(env: Given): string[] {
  if (env.CLOCK !== 'sandbox') return [];
  const isReal = STRIPE_KEYS.some(([name, pattern]) => pattern.test(env[name] ?? ''));
  if (env.NODE_ENV === 'production' || isReal) {
    return ['CLOCK must not be sandbox in production, nor with the keys of a Stripe account'];
  }
  if (env.PAYMENTS === 'sandbox' && env.STRIPE_API_BASE) return [];
  return ['CLOCK=sandbox needs PAYMENTS=sandbox, and the address of the sandbox in STRIPE_API_BASE'];
}

function productionProblems(env: Given): string[] {
  if (env.NODE_ENV !== 'production') return [];
  const ofPayments =
    env.PAYMENTS === 'sandbox'
      ? sandboxProblems(env)
      : [
          ...httpProblems('PUBLIC_URL', env, 'visitors send their details there'),
          ...stripeProblems(env),
          ...userProblems(env),
        ];
  return [
    ...proxyProblems(env),
    ...secretProblems(env),
    ...plainProblems(env),
    ...httpProblems('OFFICE_URL', env, 'the office signs in there'),
    ...ofPayments,
  ];
}

/**
 * The site does not speak TLS itself: an https address means that a proxy is in front of it, and the proxy's address
 * would count as that of every visitor.
 */
function proxyProblems(env: Given): string[] {
  const { PUBLIC_URL = '', TRUST_PROXY = '0' } = env;
  if (!('TRUST_PROXY' in env) || TRUST_PROXY !== '0' || !URL.canParse(PUBLIC_URL)) return [];
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (protocol !== 'https:' || isLoopback(hostname)) return [];
  return [
    'TRUST_PROXY is missing or 0, but with an https PUBLIC_URL there is a proxy in front of the site, and all visitors would count as one: set the number of proxies, such as 1, or their addresses, or none if there is no proxy',
  ];
}

/** The users of a trial site have hashes that are fast to compute, and so too weak for production. */
function userProblems({ OPS_USERS = '' }: Given): string[] {
  const lines = weakLines(OPS_USERS);
  if (lines.length === 0) return [];
  return [
    `OPS_USERS has hashes or codes that are too weak for production: make line ${lines.join(', ')} again with \`support users\``,
  ];
}

function httpProblems(name: string, env: Given, why: string): string[] {
  const { protocol, hostname } = parsed(env[name]) ?? {};
  if (protocol !== 'http:' || isLoopback(hostname ?? '')) return [];
  return [`${name} must begin with https:// in production: ${why}`];
}

/** The sandbox must not charge a card: it needs a host of its own, and no live keys. */
function sandboxProblems(env: Given): string[] {
  const problems = env.STRIPE_API_BASE
    ? []
    : ['STRIPE_API_BASE is missing: PAYMENTS=sandbox needs the address of the sandbox'];
  for (const [name] of STRIPE_KEYS) {
    if (env[name]?.includes('_live_')) problems.push(`${name} is a live key, which PAYMENTS=sandbox refuses`);
  }
  return problems;
}

function stripeProblems(env: Given): string[] {
  const hint = '(to try the site out without charging a card, set PAYMENTS=sandbox)';
  const problems: string[] = [];
  for (const [name, pattern] of STRIPE_KEYS) {
    const value = env[name];
    if (value && !pattern.test(value)) problems.push(`${name} is not a real Stripe key ${hint}`);
  }
  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY } = env;
  if ('STRIPE_PUBLISHABLE_KEY' in env && modeOf(STRIPE_SECRET_KEY) !== modeOf(STRIPE_PUBLISHABLE_KEY)) {
    problems.push('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys or both be test keys');
  }
  if (env.STRIPE_API_BASE) problems.push(`STRIPE_API_BASE must not be set in production ${hint}`);
  return problems;
}
