import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { type Child, type ChildOptions, createService, type Service, startChild, until } from './child.ts';
import { findFreePort } from './ports.ts';
import { ensureProgram, redisProgram } from './system-package.ts';

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
  return startRedisProgram('Redis', port, { args, onCrash });
}

/** Starts a Redis or a sentinel by its arguments; resolves once it answers at its port. */
async function startRedisProgram(
  name: string,
  port: number,
  options: Omit<ChildOptions, 'name' | 'command'>,
): Promise<Child> {
  const child = startChild({ ...options, name, command: ensureProgram(redisProgram) });
  const answers = async (): Promise<boolean> => {
    const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null });
    client.on('error', () => {
      // Expected until it listens.
    });
    const answer = await client.ping().finally(() => client.disconnect());
    return answer === 'PONG';
  };
  await until(`${name} answers at port ${port}`, answers, child);
  return child;
}

const HOST = '127.0.0.1';
const RECONNECT_MS = 20;
/** A suspended server does not answer; a busy one does within this time. */
const ANSWER_WITHIN_MS = 10_000;

const MASTERS = 3;
/** After this time without an answer a server of a cluster is treated as failed, and its replica takes over. */
const NODE_TIMEOUT_MS = 3_000;

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

/** One server or sentinel of several. */
export interface GroupServer extends Service {
  readonly port: number;
  /** A client for the test's own commands; it is connected to this server only. */
  readonly redis: Redis;
}

/** A Redis Cluster on loopback: three masters that share the slots, each with a replica, which all agree. */
export async function startRedisCluster(folder: string) {
  const settings = async () => ({
    'cluster-enabled': 'yes',
    'cluster-port': String(await findFreePort()),
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    // A replica that was away for long may take over too.
    'cluster-replica-validity-factor': '0',
  });
  const servers = await Promise.all(
    Array.from({ length: 2 * MASTERS }, async () => openServer(folder, await settings())),
  );
  const addresses = servers.map(({ port }) => `${HOST}:${port}`);
  const cli = ensureProgram(redisProgram).replace(/-server$/, '-cli');
  const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes'];
  await promisify(execFile)(cli, create);
  for (const { port, redis } of servers.slice(MASTERS)) {
    const isLinked = async () => (await redis.info('replication')).includes('master_link_status:up');
    await until(`the replica at ${port} has its master's data`, isLinked);
  }
  for (const { port, redis } of servers) {
    const replicas = async () => String(await redis.call('CLUSTER', 'NODES')).match(/slave/g)?.length;
    // A replica may take over only once all servers know that it is one.
    await until(`the server at ${port} knows the replicas`, async () => (await replicas()) === MASTERS);
    // Until then it turns clients away, which look for another server meanwhile.
    const answers = async () => String(await redis.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
    await until(`the server at ${port} answers for the cluster`, answers);
  }

  /** The master that owns the slot of a key at this moment: no other server answers what is asked about it. */
  const ownerOf = (key: string): Promise<GroupServer> =>
    // Between the end of a master and the next one there is none.
    until(`the slot of ${key} has an owner`, () =>
      Promise.any(servers.map((one) => one.redis.exists(key).then(() => one))),
    );
  return {
    servers,
    ownerOf,
    /** Moves the slot of a key to another server as `redis-cli --cluster reshard` does; returns how many keys it has. */
    async moveSlot(key: string, to: GroupServer): Promise<number> {
      const from = await ownerOf(key);
      const slot = Number(await to.redis.cluster('KEYSLOT', key));
      const setSlot = async ({ redis }: GroupServer, state: string, other: GroupServer): Promise<void> => {
        const id = String(await other.redis.call('CLUSTER', 'MYID'));
        await redis.call('CLUSTER', 'SETSLOT', String(slot), state, id);
      };
      await setSlot(to, 'IMPORTING', from);
      await setSlot(from, 'MIGRATING', to);
      let moved = 0;
      for (;;) {
        const [next] = await from.redis.cluster('GETKEYSINSLOT', slot, 1);
        if (!next) break;
        await from.redis.migrate(HOST, to.port, next, 0, 60_000);
        moved += 1;
      }
      // A replica refuses this command, and learns the new owner from the others.
      for (const server of [to, from, ...servers]) await setSlot(server, 'NODE', to).catch(() => {});
      return moved;
    },
    close: () => closeAll(servers),
  };
}

/** A master, its replica, and three sentinels that let the replica take over; all of them know each other. */
export async function startSentinels(folder: string) {
  const settings = { 'repl-timeout': '5' };
  const master = await openServer(folder, settings);
  const replica = await openServer(folder, { ...settings, replicaof: `${HOST} ${master.port}` });
  const sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, () => openSentinel(folder, master.port)),
  );
  const servers = [master, replica];
  await until('the sentinels know each other and the replica', async () => {
    const answers = await Promise.all(sentinels.map(({ redis }) => redis.info('sentinel')));
    return answers.every((text) => text.includes(`slaves=1,sentinels=${SENTINELS}`));
  });
  for (const { redis } of sentinels) await redis.call('SENTINEL', 'DEBUG', ...AFTERWARDS.split(' '));

  const masterNow = async (): Promise<GroupServer | undefined> => {
    const living = sentinels.find(({ pid }) => pid !== undefined);
    const [, port] = Object(await living?.redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME));
    return servers.find((one) => one.port === Number(port));
  };
  /** Resolves when another server than this one is the master. */
  const untilMasterIsNot = (server: GroupServer) =>
    until('another server is the master', async () => ![server, undefined].includes(await masterNow()));
  return {
    sentinels,
    untilMasterIsNot,
    master: () => until('the sentinels know the master', masterNow),
    /** Asks for a failover as for maintenance; resolves when the other server is the master, and the old one its replica. */
    async failOver(): Promise<void> {
      await sentinels[0]?.redis.call('SENTINEL', 'FAILOVER', MASTER_NAME);
      await untilMasterIsNot(master);
      await until('the old master is a replica', async () => (await master.redis.role())[0] === 'slave');
    },
    close: () => closeAll([...sentinels, ...servers]),
  };
}

async function openServer(folder: string, settings: Record<string, string>): Promise<GroupServer> {
  const port = await findFreePort();
  const own = { 'repl-diskless-sync-delay': '0', ...settings };
  return open(port, () => startRedis(port, join(folder, String(port)), { settings: own }));
}

async function openSentinel(folder: string, masterPort: number): Promise<GroupServer> {
  const port = await findFreePort();
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
  const sentinel = await open(port, () =>
    startRedisProgram('sentinel', port, { args: [file, '--sentinel'] }),
  );
  await sentinel.redis.call('SENTINEL', 'DEBUG', ...WHILE_DISCOVERING.split(' '));
  return sentinel;
}

async function open(port: number, launch: () => Promise<Child>): Promise<GroupServer> {
  const service = createService(launch);
  await service.start();
  const redis = new Redis(port, HOST, {
    retryStrategy: () => RECONNECT_MS,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_WITHIN_MS,
  });
  redis.on('error', () => {
    // Expected while the server is down.
  });
  return Object.assign(service, { port, redis });
}

async function closeAll(servers: readonly GroupServer[]): Promise<void> {
  for (const { redis, kill } of servers) {
    redis.disconnect();
    await kill();
  }
}
