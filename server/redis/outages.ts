import { Cluster, type Redis } from 'ioredis';
import type { Logger } from '#server/service/logger.ts';
import { mastersOf, type RedisClient } from './redis-client.ts';

/** How often an idle connection is used, so that a connection dropped by a firewall is noticed. */
const PULSE_MS = 5_000;

export type OutageLog = ReturnType<typeof createOutageLog>;

/** Logs once when Redis becomes unavailable and once when it is back, not at every attempt in between. */
export function createOutageLog(logger: Logger) {
  let isAway: boolean | undefined;
  return {
    began(error: Error): void {
      if (!isAway) logger.error({ err: error }, 'Redis is not available');
      isAway = true;
    },
    ended(): void {
      if (isAway !== false) logger.info('Redis is connected');
      isAway = false;
    },
    /** One server of a cluster is gone; if all are gone, the cluster reports that itself. */
    serverGone: (server: string): void => logger.warn({ server }, 'A server of Redis is away'),
  };
}

/** Reports the events of a connection to the log, and uses the connection regularly while it is idle. */
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
          // The connection itself reports that it is lost.
        });
    }
  }, PULSE_MS).unref();
  redis.on('end', () => clearInterval(pulse));
  return redis;
}
