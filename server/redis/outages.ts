import { Cluster, type Redis } from 'ioredis';
import type { Logger } from '#server/service/logger.ts';
import { mastersOf, type RedisClient } from './redis-client.ts';

/** An idle connection is used this often, so that one which a firewall dropped is noticed. */
const PULSE_MS = 5_000;

/** Logs once when Redis goes and once when it is back, not at every attempt in between. */
export interface OutageLog {
  began(error: Error): void;
  ended(): void;
  /** One of a cluster's servers went; that all are away, the cluster says itself. */
  serverGone(address: string): void;
}

export function createOutageLog(logger: Logger): OutageLog {
  let isAway: boolean | undefined;
  return {
    began(error) {
      if (!isAway) logger.error({ err: error }, 'Redis is not available');
      isAway = true;
    },
    ended() {
      if (isAway !== false) logger.info('Redis is connected');
      isAway = false;
    },
    serverGone: (server) => logger.warn({ server }, 'A server of Redis is away'),
  };
}

/** Has the log told of a connection, and the connection used while nobody needs it. */
export function watch<Client extends RedisClient>(redis: Client, log: OutageLog): Client {
  redis.on('ready', log.ended);
  redis.on('error', log.began);
  redis.on('reconnecting', () => log.began(new Error('The connection was lost, or led to a replica')));
  if (redis instanceof Cluster) {
    redis.on('-node', ({ options: { host, port } }: Redis) => {
      if (redis.status === 'ready') log.serverGone(`${host}:${port}`);
    });
  }
  const pulse = setInterval(() => {
    for (const server of mastersOf(redis)) {
      if (server.status === 'ready')
        server.ping().catch(() => {
          // The connection tells that it is lost.
        });
    }
  }, PULSE_MS).unref();
  redis.on('end', () => clearInterval(pulse));
  return redis;
}
