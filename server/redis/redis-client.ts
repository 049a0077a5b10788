import { Cluster, type Redis } from 'ioredis';

/** A connection to Redis, however it is run: one server, one behind sentinels, or a cluster. */
export type RedisClient = Redis | Cluster;

/** The servers that hold the keys; for a cluster, those that are known at this moment. */
export function mastersOf(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}
