import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createService } from '#scripts/product/child.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { cleanUp, type TestScope } from './clean-up.ts';

/** A real Redis for one test, which can be stopped and started again. */
export interface TestRedis {
  url: string;
  pid(): number;
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface Options {
  /** Whether it is started at once; true by default. */
  running?: boolean;
  settings?: Record<string, string>;
}

/** Empty servers that no test uses: to start one costs more than most tests. They end with this process. */
const idle: Awaited<ReturnType<typeof makeServer>>[] = [];
process.once('exit', () => {
  for (const { kill } of idle) kill();
});

async function makeServer(settings: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await findFreePort();
  const service = createService(async () => {
    const child = await startRedis(port, folder, { settings });
    child.unref();
    return child;
  });
  /** Waits until it has ended, because it writes files until then. */
  const remove = async (): Promise<void> => {
    await service.stop();
    await rm(folder, { recursive: true });
  };
  /** The same while this process exits, and can wait for nothing. */
  const kill = (): void => {
    try {
      if (service.pid !== undefined) process.kill(service.pid, 'SIGKILL');
    } catch (error) {
      // It has ended already.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, service, remove, kill };
}

/** A Redis that no other test uses meanwhile. */
export async function testRedis(t: TestScope, { running = true, settings }: Options = {}) {
  const server = (running && settings === undefined ? idle.pop() : undefined) ?? (await makeServer(settings));
  const { url, service, remove } = server;
  cleanUp(t, async () => {
    if (settings !== undefined || service.pid === undefined) return remove();
    await emptyServer(url);
    idle.push(server);
  });
  const { start, stop } = service;
  if (running && service.pid === undefined) await start();
  return { url, pid: () => service.pid ?? 0, start, stop };
}

/** Leaves nothing of a test behind: no data, no limit, no connection. */
async function emptyServer(url: string): Promise<void> {
  const client = new Redis(url);
  await client.call('client', 'kill', 'type', 'normal');
  await client.config('SET', 'maxmemory', '0');
  await client.flushall();
  client.disconnect();
}

/** Makes a Redis refuse further data, as when its memory is used up. */
export function fill(redis: TestRedis): Promise<void> {
  return setMaxMemory(redis, '1');
}

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
export async function heldIn(redis: Redis): Promise<string> {
  const keys = (await redis.keys('*')).filter((key) => !PASSING.test(key)).toSorted();
  const lines = keys.map(async (key) => `${key}: ${JSON.stringify(await readKey(redis, key))}`);
  return (await Promise.all(lines)).join('\n');
}

async function readKey(redis: Redis, key: string): Promise<unknown> {
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
