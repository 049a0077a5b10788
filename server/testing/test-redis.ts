import { Redis } from 'ioredis';
import { createService } from '#scripts/product/child.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { MASTER_NAME, startRedisCluster, startSentinels } from '#scripts/product/redis-groups.ts';
import { type RedisSettings, redisAt } from '#server/config/redis-settings.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { cleanUp, type TestScope, testFolder } from './clean-up.ts';

/** A real Redis for one test, which can be stopped and started again. */
export interface TestRedis {
  url: string;
  /** For the product's own connections. */
  settings: RedisSettings;
  pid(): number;
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface Options {
  /** Whether it is started at once; true by default. */
  running?: boolean;
  /** Of its configuration, in addition to the usual ones. */
  settings?: Record<string, string>;
}

/** Redis shuts down at its next tick; by default there are ten ticks per second. */
const PROMPT = { hz: '200' };

/** Prepares a Redis with its own port and folder; it is removed after the test. */
export async function testRedis(
  t: TestScope,
  { running = true, settings = {} }: Options = {},
): Promise<TestRedis> {
  const folder = await testFolder(t, 'redis');
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  const service = createService(() => startRedis({ port, folder, settings: { ...PROMPT, ...settings } }));
  cleanUp(t, service.stop);
  if (running) await service.start();
  const { start, stop } = service;
  return { url, settings: redisAt(url), pid: () => service.pid ?? 0, start, stop };
}

/** Three masters, each with a replica, as one cluster for one test. */
export async function testCluster(t: TestScope) {
  const cluster = await startRedisCluster(await testFolder(t, 'redis-cluster'));
  cleanUp(t, cluster.close);
  const nodes = cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const settings: RedisSettings = { kind: 'cluster', nodes: nodes.slice(0, 2), access: {} };
  const notAtOnce = () => Promise.reject(new Error('A cluster has servers: stop and start one of them.'));
  const url = `redis://127.0.0.1:${nodes[0]?.port}`;
  return { cluster, url, settings, pid: () => 0, start: notAtOnce, stop: notAtOnce };
}

/** A master, its replica and three sentinels for one test, and the environment variables to connect to them. */
export async function testSentinels(t: TestScope) {
  const group = await startSentinels(await testFolder(t, 'sentinels'));
  cleanUp(t, group.close);
  const sentinels = group.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { ...group, env: { REDIS_URL: '', REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: MASTER_NAME } };
}

/** Makes a Redis refuse further data, as when its memory is used up. */
export function fill(redis: TestRedis): Promise<void> {
  return setMaxMemory(redis, '1');
}

/** Gives a full Redis room again. */
export function makeRoom(redis: TestRedis): Promise<void> {
  return setMaxMemory(redis, '0');
}

async function setMaxMemory({ url }: TestRedis, maxmemory: string): Promise<void> {
  const client = new Redis(url);
  await client.config('SET', 'maxmemory', maxmemory);
  client.disconnect();
}

/** Keys of BullMQ without data of ours, which come and go by themselves. */
const PASSING = /:(?:meta|stalled-check|limiter)$/;

/** All that a Redis holds, as text. */
export async function heldIn(redis: RedisClient): Promise<string> {
  const keys = (await redis.keys('*')).filter((key) => !PASSING.test(key)).toSorted();
  const lines = keys.map(async (key) => `${key}: ${JSON.stringify(await readKey(redis, key))}`);
  return (await Promise.all(lines)).join('\n');
}

async function readKey(redis: RedisClient, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    default:
      return redis.xrange(key, '-', '+');
  }
}
