import ipaddr from 'ipaddr.js';
import { isLoopback } from './environment-values.ts';
import type { Given } from './read-environment.ts';
import { hasWeakHash } from './users.ts';
import { DEFAULT_HOST, DEFAULT_OPS_PORT, DEFAULT_PORT, EMAIL_SERVICE_HINT, SMTP_HINT } from './variables.ts';

/** Of a password that nothing else accompanies. @see https://pages.nist.gov/800-63-4/sp800-63b.html */
const LEAST_PASSWORD = 15;

/** Stripe's own keys: secret or restricted, live or test. The sandbox's keys have no such random tail. */
const STRIPE_KEYS: readonly [string, RegExp][] = [
  ['STRIPE_SECRET_KEY', /^(sk|rk)_(live|test)_[A-Za-z0-9]{20,}$/],
  ['STRIPE_PUBLISHABLE_KEY', /^pk_(live|test)_[A-Za-z0-9]{20,}$/],
  ['STRIPE_WEBHOOK_SECRET', /^whsec_[A-Za-z0-9+/=]{20,}$/],
];

/** Whether something is wrong, and the sentence that says so. */
type Rule = readonly [isWrong: unknown, problem: string];

/**
 * Problems between variables that are each valid by themselves: one sentence per problem.
 * @param env has a key for each variable that the process reads, also for those that are not set
 * @param machine where it runs: on Kubernetes pods may be on several nodes, which cannot share a file
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
export function environmentProblems(env: Given, machine: NodeJS.ProcessEnv): string[] {
  const isProduction = env.NODE_ENV === 'production';
  const rules = [
    ...transportRules(env),
    ...opsRules(env, isProduction),
    ...clockRules(env, isProduction),
    ...(isProduction ? productionRules(env, machine) : []),
  ];
  return rules.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}

/** The variables of the chosen mail transport; the e-mail service's own words for its ids (R5.2). */
function transportRules(env: Given): Rule[] {
  if (!('MAIL_TRANSPORT' in env)) return [];
  if (env.MAIL_TRANSPORT !== 'email-service') return [[!env.SMTP_URL, `SMTP_URL is missing: ${SMTP_HINT}`]];
  const ids = ['user', 'service', 'template'].map((id): Rule => {
    const name = `EMAIL_SERVICE_${id.toUpperCase()}_ID`;
    const where = "Find it in the e-mail service's dashboard";
    return [!env[name], `${name} is missing: The ${id} ID is required. ${where}`];
  });
  return [[!env.EMAIL_SERVICE_URL, `EMAIL_SERVICE_URL is missing: ${EMAIL_SERVICE_HINT}`], ...ids];
}

/** Two ports may both be 0: then the system chooses a different port for each. */
function opsRules({ OPS_PASSWORD, ...env }: Given, isProduction: boolean): Rule[] {
  const { PORT = DEFAULT_PORT, OPS_PORT = DEFAULT_OPS_PORT, OPS_HOST = DEFAULT_HOST } = env;
  return [
    ['PORT' in env && PORT === OPS_PORT && PORT !== '0', "OPS_PORT is the site's port: choose another"],
    [
      !OPS_PASSWORD && (isProduction || !isLoopback(OPS_HOST)),
      'OPS_PASSWORD is missing: /metrics needs one in production, and wherever OPS_HOST is not loopback',
    ],
    [
      isProduction && OPS_PASSWORD && OPS_PASSWORD.length < LEAST_PASSWORD,
      `OPS_PASSWORD must have at least ${LEAST_PASSWORD} characters, such as openssl rand -hex 32 makes`,
    ],
  ];
}

/** A movable date is for trying the site out: where real money is charged, the date must be real too. */
function clockRules(env: Given, isProduction: boolean): Rule[] {
  const isReal = isProduction || STRIPE_KEYS.some(([name, pattern]) => pattern.test(env[name] ?? ''));
  const isOfSandbox = env.PAYMENTS === 'sandbox' && env.STRIPE_API_BASE;
  const isMoved = env.CLOCK === 'sandbox';
  return [
    [isMoved && isReal, 'CLOCK must not be sandbox in production, nor with the keys of a Stripe account'],
    [
      isMoved && !isReal && !isOfSandbox,
      'CLOCK=sandbox needs PAYMENTS=sandbox, and the address of the sandbox in STRIPE_API_BASE',
    ],
  ];
}

/** The site does not speak TLS itself: with https a proxy is in front of it, whose address would count as every visitor's. */
function productionRules(env: Given, machine: NodeJS.ProcessEnv): Rule[] {
  const { TRUST_PROXY = '0', DATABASE_URL = '' } = env;
  const [site, redis, database] = [env.PUBLIC_URL, env.REDIS_URL, DATABASE_URL].map(parsed);
  const isBehindProxy = site?.protocol === 'https:' && !isLoopback(site.hostname);
  return [
    [
      'TRUST_PROXY' in env && TRUST_PROXY === '0' && isBehindProxy,
      'TRUST_PROXY is missing or 0, but with an https PUBLIC_URL there is a proxy in front of the site, and all visitors would count as one: set the number of proxies, such as 1, or their addresses, or none if there is no proxy',
    ],
    [
      machine.KUBERNETES_SERVICE_HOST && database?.protocol === 'file:',
      'DATABASE_URL is a file, which pods on several nodes cannot share: use PostgreSQL on Kubernetes',
    ],
    [
      redis?.protocol === 'redis:' && !isPrivateHost(redis.hostname),
      'REDIS_URL leads over other networks without TLS: begin it with rediss://',
    ],
    [
      database?.searchParams.get('sslmode') === 'disable' && !isPrivateHost(database.hostname),
      'DATABASE_URL leads over other networks without TLS: end it with ?sslmode=verify-full',
    ],
    [isPlain(env.OFFICE_URL), 'OFFICE_URL must begin with https:// in production: the office signs in there'],
    ...(env.PAYMENTS === 'sandbox' ? sandboxRules(env) : stripeRules(env)),
  ];
}

/** The sandbox must not charge a card: it needs a host of its own, and no live keys. */
function sandboxRules(env: Given): Rule[] {
  return [
    [!env.STRIPE_API_BASE, 'STRIPE_API_BASE is missing: PAYMENTS=sandbox needs the address of the sandbox'],
    ...STRIPE_KEYS.map(
      ([name]): Rule => [
        env[name]?.includes('_live_'),
        `${name} is a live key, which PAYMENTS=sandbox refuses`,
      ],
    ),
  ];
}

/** The users of a trial site have hashes that are fast to compute, and so too weak for production. */
function stripeRules(env: Given): Rule[] {
  const hint = '(to try the site out without charging a card, set PAYMENTS=sandbox)';
  const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY } = env;
  return [
    [
      isPlain(env.PUBLIC_URL),
      'PUBLIC_URL must begin with https:// in production: visitors send their details there',
    ],
    ...STRIPE_KEYS.map(([name, pattern]): Rule => {
      const value = env[name];
      return [value && !pattern.test(value), `${name} is not a real Stripe key ${hint}`];
    }),
    [
      'STRIPE_PUBLISHABLE_KEY' in env && modeOf(STRIPE_SECRET_KEY) !== modeOf(STRIPE_PUBLISHABLE_KEY),
      'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys or both be test keys',
    ],
    [env.STRIPE_API_BASE, `STRIPE_API_BASE must not be set in production ${hint}`],
    [
      hasWeakHash(env.OPS_USERS),
      'OPS_USERS has hashes or codes that are too weak for production: make its lines again with `support users`',
    ],
  ];
}

/** `live` or `test`. */
function modeOf(key = ''): string | undefined {
  return key.split('_')[1];
}

function isPlain(url: string | undefined): boolean {
  const { protocol, hostname = '' } = parsed(url) ?? {};
  return protocol === 'http:' && !isLoopback(hostname);
}

function parsed(url = ''): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

const PRIVATE_RANGES: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'linkLocal'];
/** A container or a service of Kubernetes: no public name server answers for such names. */
const PRIVATE_NAME = /^[a-z][\w-]*(?:\.[\w-]+\.svc(?:\.cluster\.local)?)?$/i;

/** Whether a host is in a network of one's own, where nobody else reads what is sent: also a Unix socket, as in URLs. */
function isPrivateHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(name)) return PRIVATE_RANGES.includes(ipaddr.process(name).range());
  return PRIVATE_NAME.test(name) || /^%2f/i.test(name);
}
