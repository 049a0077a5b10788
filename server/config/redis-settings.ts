import * as v from 'valibot';
import { certificate, choice, privateKey, text, url } from './environment-values.ts';

/** The address of a Redis server or of a sentinel. */
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

export const REDIS_URL_HINT = 'the address of Redis, such as redis://redis:6379';
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
    text(hint),
    v.transform((value) => value.split(',').map((one) => one.trim())),
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
