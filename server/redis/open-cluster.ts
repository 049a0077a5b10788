import { Cluster, type CommonRedisOptions, type Redis } from 'ioredis';
import type { RedisAddress } from '#server/config/redis-settings.ts';
import type { RedisClient } from './redis-client.ts';

/** While a slot is being moved, or a replica takes over, a command is tried again so often. */
const RETRY_MS = 100;
/** For so long in all from who does not wait for Redis for ever: the app's letter is queued late rather than by the next walk. */
const LATEST_RETRY_MS = 5_000;
/** A server that hangs says of nothing that it is elsewhere now: the others are asked so often. */
const LOOK_EVERY_MS = 2_000;

/** Of the connection to each server. */
type ServerOptions = Omit<CommonRedisOptions, 'replyMapping' | 'retryStrategy'> & {
  /** How long to wait before the next attempt when all servers are away; null ends it. */
  retryStrategy: (attempt: number) => number | null;
};

/** A connection to a cluster, which finds all of its servers by some of them. */
export function openCluster(nodes: readonly RedisAddress[], options: ServerOptions): Cluster {
  const { retryStrategy, enableOfflineQueue = true, lazyConnect = false } = options;
  const waitsForEver = options.maxRetriesPerRequest === null;
  const cluster = new Cluster([...nodes], {
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue,
    lazyConnect,
    maxRedirections: waitsForEver ? Number.POSITIVE_INFINITY : LATEST_RETRY_MS / RETRY_MS,
    retryDelayOnFailover: RETRY_MS,
    retryDelayOnClusterDown: RETRY_MS,
    retryDelayOnTryAgain: RETRY_MS,
    // Two servers that send a command to each other, while they disagree, are not asked without end at once.
    retryDelayOnMoved: 10,
    slotsRefreshInterval: LOOK_EVERY_MS,
    // A certificate is for the name: it is not to be replaced by an address.
    dnsLookup: (host, found) => found(null, host),
    redisOptions: options,
  });
  // By default a server is connected to with the first command, and refuses the next ones until it is.
  cluster.on('+node', (server: Redis) => {
    if (!server.options.readOnly) server.connect().catch(() => {}); // It is told by `-node`.
  });
  return cluster;
}

/**
 * Calls a listener once Redis is there, and whenever it may know less than before: when it is back, and when a server of a
 * cluster went, whose replica need not have all that it had.
 * @returns what ends that
 */
export function onRedisBack(redis: RedisClient, listener: () => void): () => void {
  const onServerGone = (): void => {
    if (redis.status === 'ready') listener();
  };
  redis.on('ready', listener);
  if (redis instanceof Cluster) redis.on('-node', onServerGone);
  if (redis.status === 'ready') listener();
  return () => {
    redis.off('ready', listener);
    if (redis instanceof Cluster) redis.off('-node', onServerGone);
  };
}
