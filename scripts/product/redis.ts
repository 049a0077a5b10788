import { mkdir } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { type Child, type ChildOptions, startChild } from './child.ts';
import { ensureProgram, redisProgram } from './system-package.ts';

const START_TIMEOUT_MS = 60_000;

interface RedisOptions extends Partial<Pick<ChildOptions, 'onLine' | 'onCrash'>> {
  port: number;
  /** Where it keeps its append-only file. */
  folder: string;
  /** Settings in addition to the usual ones. */
  settings?: Record<string, string>;
}

/**
 * Starts a Redis on loopback, only for this process; durable and never evicting, as the mail queue needs it.
 */
export async function startRedis({
  port,
  folder,
  settings: own = {},
  onLine = () => {},
  ...options
}: RedisOptions): Promise<Child> {
  await mkdir(folder, { recursive: true });
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    'maxmemory-policy': 'noeviction',
    ...own,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const command = ensureProgram(redisProgram);
  const child = startChild({ ...options, name: 'Redis', command, args, onLine });
  await untilReady(port, child);
  return child;
}

/** Resolves once the Redis or the sentinel that listens on a port answers. */
export async function untilReady(port: number, child: Child): Promise<void> {
  const redis = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50, maxRetriesPerRequest: null });
  redis.on('error', () => {
    // Expected until Redis listens.
  });
  try {
    const ended = child.ended.then((how) => {
      throw new Error(`Redis ${how}.`);
    });
    const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
    const late = new Promise<never>((_, reject) => {
      timeout.addEventListener('abort', () => reject(new Error('Redis does not answer.')));
    });
    await Promise.race([redis.ping(), ended, late]);
  } finally {
    redis.disconnect();
  }
}
