import { connect } from 'node:net';
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls';
import { AbstractConnector, type RedisOptions as AllOptions, type CommonRedisOptions, Redis } from 'ioredis';
import type { RedisAccess, RedisAddress, RedisSettings } from '#server/config/redis-settings.ts';
import { openCluster } from './open-cluster.ts';
import type { RedisClient } from './redis-client.ts';

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
