import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as v from 'valibot';
import { certificate, choice, list, privateKey, text, url } from './environment-values.ts';
import type { Given } from './read-environment.ts';

export interface RedisAddress {
  host: string;
  port: number;
}

interface Credentials {
  username?: string | undefined;
  password?: string | undefined;
}

/** How a client connects to the servers: credentials and TLS. */
export interface RedisAccess extends Credentials {
  /** Present where connections are encrypted, also those to sentinels; certificates and key are PEM. */
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined } | undefined;
}

/** How Redis is run, and how to connect to it. */
export type RedisSettings =
  | { kind: 'server'; address: RedisAddress; database: number; access: RedisAccess }
  | {
      kind: 'sentinel';
      sentinels: readonly RedisAddress[];
      /** What the sentinels call the master and its replicas. */
      name: string;
      access: RedisAccess;
      sentinelAccess: Credentials;
    }
  | { kind: 'cluster'; nodes: readonly RedisAddress[]; access: RedisAccess };

const REDIS_URL_HINT = 'the address of Redis, such as redis://redis:6379';
const DEFAULT_PORT = '6379';

const redisUrl = v.pipe(
  url(REDIS_URL_HINT, 'redis:', 'rediss:'),
  v.check((value) => {
    const { pathname, search, hash } = new URL(value);
    return /^\/?\d{0,4}$/.test(pathname) && search === '' && hash === '';
  }, 'must end with the port, or with / and the number of a database'),
);

/** Servers, separated by commas. */
function addresses(hint: string) {
  return v.pipe(
    list(hint),
    v.check((all) => all.every((one) => addressOf(one) !== undefined), `must be ${hint}`),
    v.transform((all) => all.flatMap((one) => addressOf(one) ?? [])),
  );
}

/** An IPv6 address is in brackets, as in a URL. */
function addressOf(words: string): RedisAddress | undefined {
  if (!/^(\[[^\]]+\]|[^:/?#@[\]]+):\d+$/.test(words) || !URL.canParse(`redis://${words}`)) return undefined;
  const address = hostAndPort(new URL(`redis://${words}`));
  return address.port > 0 ? address : undefined;
}

function hostAndPort({ hostname, port }: URL): RedisAddress {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) };
}

/** The variables that say how Redis is run; `.env.example` explains each. */
export const redisEntries = {
  REDIS_URL: v.optional(redisUrl),
  REDIS_SENTINELS: v.optional(addresses('the sentinels, such as one:26379,two:26379,three:26379')),
  REDIS_SENTINEL_NAME: v.optional(text('what the sentinels call the master')),
  REDIS_SENTINEL_USERNAME: v.optional(text('the user name at the sentinels')),
  REDIS_SENTINEL_PASSWORD: v.optional(text("the sentinels' password")),
  REDIS_CLUSTER: v.optional(addresses('some nodes of the cluster, such as one:6379,two:6379')),
  REDIS_USERNAME: v.optional(text('the user name at Redis')),
  REDIS_PASSWORD: v.optional(text('the password of Redis')),
  REDIS_TLS: v.optional(choice('on', 'off'), 'off'),
  REDIS_TLS_CA: v.optional(certificate),
  REDIS_TLS_CERT: v.optional(certificate),
  REDIS_TLS_KEY: v.optional(privateKey),
};

export const redisSchema = v.object(redisEntries);

/** The settings, from variables that are known to be valid, also in combination. */
export function redisSettingsOf(env: v.InferOutput<typeof redisSchema>): RedisSettings {
  const files = { ca: env.REDIS_TLS_CA, cert: env.REDIS_TLS_CERT, key: env.REDIS_TLS_KEY };
  const credentials = { username: env.REDIS_USERNAME, password: env.REDIS_PASSWORD };
  const access = { ...credentials, ...(env.REDIS_TLS === 'on' && { tls: files }) };
  if (env.REDIS_SENTINELS) {
    const { REDIS_SENTINEL_USERNAME: username, REDIS_SENTINEL_PASSWORD: password } = env;
    const name = env.REDIS_SENTINEL_NAME ?? '';
    const sentinelAccess = { username, password };
    return { kind: 'sentinel', sentinels: env.REDIS_SENTINELS, name, access, sentinelAccess };
  }
  if (env.REDIS_CLUSTER) return { kind: 'cluster', nodes: env.REDIS_CLUSTER, access };
  const { access: ofUrl, ...server } = redisAt(env.REDIS_URL ?? '');
  return { ...server, access: { ...credentials, ...ofUrl, ...(ofUrl.tls && { tls: files }) } };
}

/** The settings of one server, with nothing but what its address contains. */
export function redisAt(address: string) {
  const parsed = new URL(address);
  const { protocol, username, password, pathname } = parsed;
  const access: RedisAccess = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
  return {
    kind: 'server',
    address: hostAndPort(parsed),
    database: Number(pathname.slice(1)),
    access,
  } as const satisfies RedisSettings;
}

/** The ways to run Redis: exactly one of these variables must be set. */
const WAYS = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER'] as const;

/** Used with sentinels only. */
const OF_SENTINELS = ['REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'];
const OF_TLS = ['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'];
/** In each pair, the first variable needs the second. */
const PAIRS = [
  ['REDIS_USERNAME', 'REDIS_PASSWORD'],
  ['REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'],
  ['REDIS_TLS_CERT', 'REDIS_TLS_KEY'],
  ['REDIS_TLS_KEY', 'REDIS_TLS_CERT'],
] as const;

/** Whether the environment says where Redis is, directly or in a file. */
export function saysWhereRedisIs(env: Given): boolean {
  return WAYS.some((name) => env[name] || env[`${name}_FILE`]);
}

/** Problems between the variables of Redis that are each valid by themselves: one sentence per problem. */
export function redisProblems(env: Given): string[] {
  return [...wayProblems(env), ...accessProblems(env), ...tlsProblems(env)];
}

/** The hosts to which Redis's variables lead without TLS, and what to do instead. */
export function plainRedis(env: Given): { name: string; hosts: string[]; instead: string }[] {
  if (env.REDIS_TLS === 'on') return [];
  return WAYS.filter((name) => env[name]).map((name) => {
    const [before, instead] =
      name === 'REDIS_URL' ? ['', 'begin it with rediss://'] : ['redis://', 'set REDIS_TLS=on'];
    const addresses = (env[name] ?? '').split(',').map((one) => before + one.trim());
    const urls = addresses.flatMap((one) => (URL.canParse(one) ? new URL(one) : []));
    const plain = urls.filter(({ protocol }) => protocol === 'redis:');
    return { name, hosts: plain.map(({ hostname }) => hostname), instead };
  });
}

function wayProblems(env: Given): string[] {
  const problems: string[] = [];
  const ways = WAYS.filter((name) => env[name]);
  if (ways.length === 0)
    problems.push(`REDIS_URL is missing: ${REDIS_URL_HINT}; or set REDIS_SENTINELS or REDIS_CLUSTER`);
  if (ways.length > 1)
    problems.push(`${ways.join(' and ')} are set: keep the one that says how Redis is run`);
  if (env.REDIS_SENTINELS && !env.REDIS_SENTINEL_NAME)
    problems.push('REDIS_SENTINEL_NAME is missing: what the sentinels call the master, such as mymaster');
  if (!env.REDIS_SENTINELS) problems.push(...unusedProblems(env, OF_SENTINELS, 'REDIS_SENTINELS'));
  return problems;
}

function accessProblems(env: Given): string[] {
  const problems = PAIRS.filter(([name, other]) => env[name] && !env[other]).map(
    ([name, other]) => `${other} is missing: ${name} needs it`,
  );
  const { username, password } = credentialsIn(env.REDIS_URL);
  for (const [name, inUrl] of [
    ['REDIS_USERNAME', username],
    ['REDIS_PASSWORD', password],
  ] as const) {
    if (inUrl && env[name] && env[name] !== inUrl)
      problems.push(`${name} is set, and REDIS_URL holds another one: keep it in one place`);
  }
  return problems;
}

function tlsProblems(env: Given): string[] {
  const isOn = env.REDIS_TLS === 'on';
  if (env.REDIS_URL && isOn)
    return ['REDIS_TLS is for sentinels and clusters: begin REDIS_URL with rediss://'];
  if (!isOn && !env.REDIS_URL?.startsWith('rediss:'))
    return unusedProblems(env, OF_TLS, 'TLS: begin REDIS_URL with rediss://, or set REDIS_TLS=on');
  return isKeyOfCertificate(env.REDIS_TLS_CERT, env.REDIS_TLS_KEY)
    ? []
    : ['REDIS_TLS_KEY is not the key of REDIS_TLS_CERT'];
}

function unusedProblems(env: Given, names: readonly string[], without: string): string[] {
  return names.filter((name) => env[name]).map((name) => `${name} has no effect without ${without}`);
}

function credentialsIn(url = ''): { username?: string; password?: string } {
  if (!URL.canParse(url)) return {};
  const { username, password } = new URL(url);
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    // The check of the URL itself reports what cannot be decoded.
    return {};
  }
}

/** False only where both can be read; unreadable ones are reported by their own checks. */
function isKeyOfCertificate(cert: string | undefined, key: string | undefined): boolean {
  if (!cert || !key) return true;
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return true;
  }
}
