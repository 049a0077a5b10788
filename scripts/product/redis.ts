import { mkdir } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { type Child, type ChildOptions, startChild, until } from './child.ts';
import { ensureProgram, programs } from './system-package.ts';

/**
 * Starts a Redis on loopback, only for this process; durable and never evicting, as the mail queue needs it.
 */
export async function startRedis(
  port: number,
  folder: string,
  { settings: own = {}, onCrash }: { settings?: Record<string, string> } & Pick<ChildOptions, 'onCrash'> = {},
): Promise<Child> {
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
  const child = startChild({ name: 'Redis', command: ensureProgram(programs.redis), args, onCrash });
  const answers = async (): Promise<boolean> => {
    const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null });
    client.on('error', () => {
      // Expected until it listens.
    });
    const answer = await client.ping().finally(() => client.disconnect());
    return answer === 'PONG';
  };
  await until(`Redis answers at port ${port}`, answers, child);
  return child;
}
