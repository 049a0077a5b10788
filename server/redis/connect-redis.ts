import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { type RedisOptions as AllOptions, Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import type { RedisAccess, RedisSettings } from '#server/config/redis-settings.ts';
import type { Logger } from '#server/service/logger.ts';
import { logServers, openCluster } from './open-cluster.ts';
import type { RedisClient } from './redis-client.ts';

/** Replies come as ioredis gives them by default. */
type RedisOptions = Omit<CommonRedisOptions, 'replyMapping'>;

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 2_000;

const reconnectDelayMs = (attempt: number): number => Math.min(attempt * 200, MAX_RECONNECT_DELAY_MS);

/** The app's connection: it fails fast, so that no visitor waits for a Redis that is away. */
export function connectProducer(settings: RedisSettings, logger: Logger): RedisClient {
  return logState(openRedis(settings, { enableOfflineQueue: false, maxRetriesPerRequest: 1 }), logger);
}

/** The worker's connection: it waits for Redis as long as it takes. */
export function connectWorker(settings: RedisSettings, logger: Logger): RedisClient {
  return logState(openRedis(settings, { maxRetriesPerRequest: null }), logger);
}

/** A connection as Redis is run; `options` say what it does while Redis is away. */
function openRedis(settings: RedisSettings, options: RedisOptions): RedisClient {
  const all: RedisOptions = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
    ...options,
  };
  switch (settings.kind) {
    case 'server':
      return new Redis(settings.url, { ...all, ...letIn(settings.access) });
    case 'sentinel': {
      const { sentinels, name, access, sentinelAccess } = settings;
      return new Redis({
        ...{ ...all, ...letIn(access) },
        ...{ sentinels: [...sentinels], name, sentinelRetryStrategy: reconnectDelayMs },
        ...(sentinelAccess.username && { sentinelUsername: sentinelAccess.username }),
        ...(sentinelAccess.password && { sentinelPassword: sentinelAccess.password }),
        ...(access.tls && { enableTLSForSentinelMode: true }),
        ...(sentinelAccess.tls && { sentinelTLS: pemOf(sentinelAccess.tls) }),
      });
    }
    case 'cluster':
      return openCluster(settings.nodes, {
        redisOptions: { ...all, ...letIn(settings.access) },
        retryStrategy: reconnectDelayMs,
      });
  }
}

/** Only what is given: what is left out stands in the address. */
function letIn({ username, password, tls }: RedisAccess): Pick<AllOptions, 'username' | 'password' | 'tls'> {
  return { ...(username && { username }), ...(password && { password }), ...(tls && { tls: pemOf(tls) }) };
}

function pemOf({ ca, cert, key }: NonNullable<RedisAccess['tls']>): TlsOptions {
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/** Logs once when Redis goes and once when it is back, not at every attempt in between. */
function logState<Client extends RedisClient>(redis: Client, logger: Logger): Client {
  let away = false;
  if (redis instanceof Cluster) logServers(redis, logger);
  redis.on('ready', () => {
    away = false;
    logger.info('Redis is connected');
  });
  redis.on('error', (error: Error) => {
    if (!away) logger.error({ err: error }, 'Redis is not available');
    away = true;
  });
  return redis;
}
