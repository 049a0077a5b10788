import { Cluster, type CommonRedisOptions } from 'ioredis';
import type { RedisAddress } from '#server/config/redis-settings.ts';
import type { RedisClient } from './redis-client.ts';

/** The delay between retries of a command while a slot is being moved, or a replica takes over. */
const RETRY_MS = 100;
/**
 * For how long a client that does not wait for Redis forever retries: a letter of the app is then queued
 * late, instead of a minute later.
 */
const LATEST_RETRY_MS = 5_000;
/**
 * How often the slot map is refreshed from the other servers: a server that hangs does not report that its
 * slots have moved.
 */
const LOOK_EVERY_MS = 2_000;

/** Options for the connection to each server. */
type ServerOptions = Omit<CommonRedisOptions, 'replyMapping' | 'retryStrategy'> & {
  /** How long to wait before the next attempt when all servers are unavailable; null stops the attempts. */
  retryStrategy: (attempt: number) => number | null;
};

/** A connection to a cluster, which discovers all servers from some of them. */
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
    // A delay for servers that disagree and redirect a command to each other, which would otherwise loop
    // without a pause.
    retryDelayOnMoved: 10,
    slotsRefreshInterval: LOOK_EVERY_MS,
    // Keeps host names instead of resolving them: certificates are issued for names.
    dnsLookup: (host, found) => found(null, host),
    redisOptions: options,
  });
  // By default a server is connected with the first command, and refuses further commands until it is
  // connected.
  const connectAll = (): void => {
    if (cluster.status !== 'ready') return;
    for (const server of cluster.nodes('master')) {
      if (server.status === 'wait') server.connect().catch(() => {}); // It is told by `-node`.
    }
  };
  cluster.on('ready', connectAll);
  cluster.on('+node', connectAll);
  return cluster;
}

/**
 * Calls a listener when Redis is connected, and whenever Redis may have lost data: after a reconnect, and
 * when a server of a cluster is gone, whose replica may not have everything that it had.
 * @returns a function that stops listening
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
