import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Child, type ChildOptions, startChild } from './child.ts';
import { ensureProgram, redisProgram } from './system-package.ts';

const START_TIMEOUT_MS = 60_000;
/** Guards only against hanging. */
const AGREE_TIMEOUT_MS = 180_000;
/** Redis does not report when its servers agree, so it is polled at this interval. */
const ASK_EVERY_MS = 20;

interface StartOptions extends Partial<Pick<ChildOptions, 'onLine' | 'onCrash'>> {
  port: number;
  /** Where it keeps its append-only file. */
  folder: string;
  /** Settings in addition to the usual ones. */
  settings?: Record<string, string>;
}

/**
 * Starts a Redis on loopback, only for this process; durable and never evicting, as the mail queue needs it.
 */
export async function startRedis({ port, folder, settings: own, ...options }: StartOptions): Promise<Child> {
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
  return startRedisProgram('Redis', port, { args, onLine: () => {}, ...options });
}

/** Starts a Redis or a sentinel by its arguments; resolves once it answers at its port. */
export async function startRedisProgram(
  name: string,
  port: number,
  options: Omit<ChildOptions, 'name' | 'command'>,
): Promise<Child> {
  const child = startChild({ ...options, name, command: ensureProgram(redisProgram) });
  const ended = child.ended.then((how) => {
    throw new Error(`${name} ${how}.`);
  });
  const late = delay(START_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`${name} does not answer.`);
  });
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => {
    // Expected until it listens.
  });
  await Promise.race([client.ping(), ended, late]).finally(() => client.disconnect());
  return child;
}

/**
 * Waits until several servers of Redis agree on something. What cannot be asked now is not so yet.
 * @throws {Error} naming what is not so in time
 */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + AGREE_TIMEOUT_MS;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`Not so in time: ${what}.`);
    await delay(ASK_EVERY_MS);
  }
}
