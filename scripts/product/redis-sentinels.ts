import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Child } from './child.ts';
import { findFreePort } from './ports.ts';
import { startRedis, startRedisProgram, until, withClient } from './redis.ts';

const HOST = '127.0.0.1';
/** The name under which the sentinels monitor the master. */
export const MASTER_NAME = 'mymaster';
const SENTINELS = 3;
/**
 * A master that is silent for this long is down. In production it is longer: an unnecessary failover loses
 * writes.
 */
const DOWN_AFTER_MS = 5_000;
/**
 * How long a replica may take to become master before its promotion is given up. Sentinels that did not agree which of
 * them does the failover retry after twice this time.
 */
const FAILOVER_TIMEOUT_MS = 10_000;
/** How often sentinels exchange information at first; with the defaults they take seconds to discover each other. */
const WHILE_DISCOVERING = 'INFO-PERIOD 200 PUBLISH-PERIOD 200 PING-PERIOD 200 ASK-PERIOD 200';
/**
 * And from then on: the defaults, but for INFO, which shows sooner that a failover has ended. A sentinel that has not
 * heard of a failover for four publish periods makes the new master a replica again, so a short one undoes failovers on
 * a busy machine.
 */
const AFTERWARDS = 'INFO-PERIOD 1000 PUBLISH-PERIOD 2000 PING-PERIOD 1000 ASK-PERIOD 1000';

/** A master, its replica, and three sentinels that let the replica take over. */
export interface SentinelGroup {
  readonly sentinelPorts: readonly number[];
  /** The port of the present master, according to the sentinels. */
  masterPort(): Promise<number>;
  /** Ends the server or the sentinel at a port at once, as a power cut does. */
  kill(port: number): Promise<void>;
  /** Asks for a failover as for maintenance; resolves when the other server is the master, and the old one its replica. */
  failOver(): Promise<void>;
  /** Resolves when another server than this one is the master. */
  untilMasterIsNot(port: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts the servers and the sentinels on free ports. */
export async function startSentinels(folder: string): Promise<SentinelGroup> {
  const [first, second] = [await findFreePort(), await findFreePort()];
  const children = new Map<number, Child>();
  const startServer = async (port: number, more: Record<string, string> = {}) => {
    const settings = { 'repl-diskless-sync-delay': '0', 'repl-timeout': '5', ...more };
    children.set(port, await startRedis({ port, folder: join(folder, String(port)), settings }));
  };
  await startServer(first);
  await startServer(second, { replicaof: `${HOST} ${first}` });
  const ports = await Promise.all(Array.from({ length: SENTINELS }, findFreePort));
  for (const port of ports) children.set(port, await startSentinel(port, first, folder));
  const askLiving = (words: string) => ask(ports.find((port) => children.has(port)) ?? 0, words);
  const masterPort = async () => Number(fieldsOf(await askLiving(`MASTER ${MASTER_NAME}`)).port);
  const untilMasterIsNot = (port: number) =>
    until('another server is the master', async () => (await masterPort()) !== port);
  await until('the sentinels know each other and the replica', async () => {
    const answers = await Promise.all(ports.map((port) => ask(port, `MASTER ${MASTER_NAME}`)));
    return answers
      .map(fieldsOf)
      .every((one) => Number(one['num-other-sentinels']) === SENTINELS - 1 && one['num-slaves'] === '1');
  });
  await Promise.all(ports.map((port) => ask(port, `DEBUG ${AFTERWARDS}`)));
  return {
    sentinelPorts: ports,
    masterPort,
    untilMasterIsNot,
    async kill(port) {
      const child = children.get(port);
      children.delete(port);
      await child?.stop(0);
    },
    async failOver() {
      const before = await masterPort();
      await askLiving(`FAILOVER ${MASTER_NAME}`);
      await untilMasterIsNot(before);
      const role = () => withClient(before, async (client) => (await client.role())[0]);
      await until('the old master is a replica', async () => (await role()) === 'slave');
    },
    async close() {
      for (const child of [...children.values()].toReversed()) await child.stop(0);
    },
  };
}

async function startSentinel(port: number, masterPort: number, folder: string): Promise<Child> {
  const own = join(folder, String(port));
  await mkdir(own, { recursive: true });
  const file = join(own, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    `bind ${HOST}`,
    `dir ${own}`,
    `sentinel monitor ${MASTER_NAME} ${HOST} ${masterPort} 2`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER_NAME} ${FAILOVER_TIMEOUT_MS}`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const child = await startRedisProgram('sentinel', port, { args: [file, '--sentinel'], onLine: () => {} });
  await ask(port, `DEBUG ${WHILE_DISCOVERING}`);
  return child;
}

/** One command to a sentinel, on a connection of its own. */
function ask(port: number, words: string): Promise<unknown> {
  return withClient(port, (client) => client.call('SENTINEL', ...words.split(' ')));
}

/** Parses a reply that consists of names and values in turn. */
function fieldsOf(reply: unknown): Record<string, string> {
  const words = Array.isArray(reply) ? reply.map(String) : [];
  return Object.fromEntries(words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1] ?? '']] : [])));
}
