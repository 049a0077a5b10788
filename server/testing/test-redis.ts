import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Redis } from 'ioredis';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { cleanUp } from './clean-up.ts';

/** A real Redis for one test, which can be taken away and brought back. */
export interface TestRedis {
  url: string;
  pid(): number;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Prepares a Redis on a port and a folder of its own; it runs unless told otherwise, and is gone after the test. */
export async function testRedis(t: TestContext, { running = true } = {}): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await findFreePort();
  let child: Awaited<ReturnType<typeof startRedis>> | undefined;
  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    pid: () => child?.pid ?? 0,
    async stop() {
      await child?.stop();
      child = undefined;
    },
    async start() {
      child = await startRedis({ port, folder });
    },
  };
  if (running) await redis.start();
  cleanUp(t, async () => {
    await redis.stop();
    await rm(folder, { recursive: true });
  });
  return redis;
}

/** Leaves a Redis no room for anything more, as it is when its memory is used up. */
export function fill(redis: TestRedis): Promise<void> {
  return bound(redis, '1');
}

/** Gives a full Redis room again. */
export function makeRoom(redis: TestRedis): Promise<void> {
  return bound(redis, '0');
}

async function bound({ url }: TestRedis, maxmemory: string): Promise<void> {
  const client = new Redis(url);
  await client.config('SET', 'maxmemory', maxmemory);
  client.disconnect();
}
