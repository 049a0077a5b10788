import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { type RedisSettings, redisAt } from '#server/config/redis-settings.ts';
import { cleanUp, type TestScope } from './clean-up.ts';

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
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  // Kept as a promise: a test that ends while Redis is starting stops it too.
  let child: ReturnType<typeof startRedis> | undefined;
  let pid = 0;
  const redis: TestRedis = {
    url,
    settings: redisAt(url),
    pid: () => pid,
    async stop() {
      const running = await child;
      child = undefined;
      await running?.stop();
    },
    async start() {
      child = startRedis({ port, folder, settings: { ...PROMPT, ...settings } });
      pid = (await child).pid ?? 0;
    },
  };
  if (running) await redis.start();
  cleanUp(t, async () => {
    await redis.stop();
    await rm(folder, { recursive: true });
  });
  return redis;
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
