import { connect } from 'node:net';
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls';
import {
  AbstractConnector,
  type RedisOptions as AllOptions,
  Cluster,
  type CommonRedisOptions,
  Redis,
} from 'ioredis';
import type { RedisAccess, RedisAddress, RedisSettings } from '#server/config/redis-settings.ts';

/** A connection to Redis, however it is run: one server, one behind sentinels, or a cluster. */
export type RedisClient = Redis | Cluster;

/** The servers that hold the keys; for a cluster, those that are known at this moment. */
export function mastersOf(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/** The options of a connection. Replies have ioredis's default format. */
export interface RedisOptions extends Omit<CommonRedisOptions, 'replyMapping' | 'retryStrategy'> {
  /** How long one server may take to accept the connection, including TLS. */
  connectTimeout: number;
  /** How long to wait before the next attempt; null stops the attempts. */
  retryStrategy: (attempt: number) => number | null;
  /** Overrides the default of two seconds, in milliseconds. */
  disconnectTimeout?: number;
}

/** How often a server that is loading its data is asked again. */
const LOADING_RETRY_MS = 2_000;
/** How long a connection that is being closed may take to close. */
const DISCONNECT_TIMEOUT_MS = 2_000;

/** A connection for the way in which Redis is run; `options` say what it does while Redis is unavailable. */
export function openRedis(settings: RedisSettings, options: RedisOptions): RedisClient {
  const access = optionsOf(settings.access);
  const all = {
    maxLoadingRetryTime: LOADING_RETRY_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    ...options,
    ...access,
  };
  const { retryStrategy, connectTimeout } = options;
  switch (settings.kind) {
    case 'server': {
      const { address, database } = settings;
      const Connector = connectorToMaster(address, access.tls, all.disconnectTimeout);
      return new Redis({ ...all, ...address, db: database, Connector });
    }
    case 'sentinel': {
      const { sentinels, name, sentinelAccess } = settings;
      const tls = access.tls && { enableTLSForSentinelMode: true, sentinelTLS: access.tls };
      return new Redis({
        ...all,
        sentinels: [...sentinels],
        name,
        sentinelRetryStrategy: retryStrategy,
        ...tls,
        // A sentinel that accepts the connection and does not answer is skipped too.
        sentinelCommandTimeout: connectTimeout,
        ...(sentinelAccess.username && { sentinelUsername: sentinelAccess.username }),
        ...(sentinelAccess.password && { sentinelPassword: sentinelAccess.password }),
      });
    }
    case 'cluster':
      return openCluster(settings.nodes, all);
  }
}

function optionsOf({
  username,
  password,
  tls,
}: RedisAccess): Pick<AllOptions, 'username' | 'password' | 'tls'> {
  return { ...(username && { username }), ...(password && { password }), ...(tls && { tls: pemOf(tls) }) };
}

function pemOf({ ca, cert, key }: NonNullable<RedisAccess['tls']>): TlsOptions {
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/**
 * Connects to one server, and accepts only a master as ready, as ioredis does with sentinels: a server that
 * was made a replica refuses every write, and its name may soon lead to the new master.
 */
function connectorToMaster(
  address: RedisAddress,
  tls: TlsOptions | undefined,
  disconnectTimeout: number,
): new () => AbstractConnector {
  return class extends AbstractConnector {
    constructor() {
      super(disconnectTimeout);
    }

    override async connect() {
      const stream = tls ? connectTls({ ...tls, ...address }) : connect({ ...address });
      stream.once('error', (error: Error) => {
        this.firstError = error;
      });
      this.connecting = true;
      this.stream = stream;
      return stream;
    }

    override check({ role }: { role?: string }): boolean {
      return role === undefined || role === 'master';
    }
  };
}

/** For messages: the addresses of Redis, without credentials. */
export function nameOf(settings: RedisSettings): string {
  const written = (addresses: readonly { host: string; port: number }[]) =>
    addresses
      .map(({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`))
      .join(', ');
  switch (settings.kind) {
    case 'server':
      return `Redis at ${written([settings.address])}`;
    case 'sentinel':
      return `Redis ${settings.name} of the sentinels at ${written(settings.sentinels)}`;
    case 'cluster':
      return `The Redis cluster at ${written(settings.nodes)}`;
  }
}

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
