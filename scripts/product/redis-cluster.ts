import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { createService, type Service } from './child.ts';
import { findFreePort } from './ports.ts';
import { startRedis, until } from './redis.ts';
import { ensureProgram, redisProgram } from './system-package.ts';

const HOST = '127.0.0.1';
const MASTERS = 3;
/** After this time without an answer a server is treated as failed, and its replica takes over. */
const NODE_TIMEOUT_MS = 3_000;
const RECONNECT_MS = 20;

/** One server of a cluster. */
export interface ClusterServer extends Service {
  readonly port: number;
  /** A client for the test's own commands; it is connected to this server only. */
  readonly redis: Redis;
}

/** A Redis Cluster on loopback, only for this process. */
export interface RedisCluster {
  /** The three masters, then their replicas. */
  readonly servers: readonly ClusterServer[];
  /** The master that owns a slot at this moment. */
  ownerOf(slot: number): Promise<ClusterServer>;
  /** Moves a slot to another server as `redis-cli --cluster reshard` does; returns how many keys it has. */
  moveSlot(slot: number, to: ClusterServer): Promise<number>;
  close(): Promise<void>;
}

/** Starts three masters that share the slots, each with a replica; resolves when all of them agree. */
export async function startRedisCluster(folder: string): Promise<RedisCluster> {
  const servers = await Promise.all(
    Array.from({ length: 2 * MASTERS }, (_, at) => openServer(join(folder, String(at)))),
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
  }

  const running = async () => {
    const answering = await Promise.all(servers.map(answers));
    return servers.filter((_, at) => answering[at]);
  };
  const ownerOf = async (slot: number): Promise<ClusterServer> => {
    let found: ClusterServer | undefined;
    // Between the end of a master and the next one there is none.
    await until(`slot ${slot} has an owner`, async () => {
      const living = await running();
      for (const { redis } of living) {
        const owner = masterIn(await redis.cluster('SLOTS'), slot);
        found ??= living.find(({ port }) => port === owner);
      }
      return found !== undefined;
    });
    if (!found) throw new Error(`No server has slot ${slot}.`);
    return found;
  };
  return {
    servers,
    ownerOf,
    async moveSlot(slot, to) {
      const from = await ownerOf(slot);
      const idOf = async ({ redis }: ClusterServer) => String(await redis.call('CLUSTER', 'MYID'));
      const setSlot = async ({ redis }: ClusterServer, state: string, other: ClusterServer) =>
        redis.call('CLUSTER', 'SETSLOT', String(slot), state, await idOf(other));
      await setSlot(to, 'IMPORTING', from);
      await setSlot(from, 'MIGRATING', to);
      let moved = 0;
      for (;;) {
        const [key] = await from.redis.cluster('GETKEYSINSLOT', slot, 1);
        if (!key) break;
        await from.redis.migrate(HOST, to.port, key, 0, 60_000);
        moved += 1;
      }
      // A replica refuses this command, and learns the new owner from the others.
      for (const server of [to, from, ...(await running())])
        await setSlot(server, 'NODE', to).catch(() => {});
      return moved;
    },
    async close() {
      for (const { redis, thaw, stop } of servers) {
        redis.disconnect();
        thaw();
        await stop();
      }
    },
  };
}

async function openServer(folder: string): Promise<ClusterServer> {
  const port = await findFreePort();
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': String(await findFreePort()),
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    // A replica that was away for long may take over too.
    'cluster-replica-validity-factor': '0',
    'repl-diskless-sync-delay': '0',
  };
  const service = createService((onCrash) => startRedis({ port, folder, settings, onCrash }));
  await service.start();
  const redis = new Redis({ port, host: HOST, retryStrategy: () => RECONNECT_MS, maxRetriesPerRequest: 0 });
  redis.on('error', () => {
    // Expected while the server is down.
  });
  return Object.assign(service, { port, redis });
}

/** Whether a server runs and is not suspended. */
async function answers({ redis }: ClusterServer): Promise<boolean> {
  const pong = redis.ping().then(Boolean, () => false);
  return Promise.race([pong, delay(NODE_TIMEOUT_MS, false, { ref: false })]);
}

/** @see https://redis.io/docs/latest/commands/cluster-slots/ each range, and the address of its master */
function masterIn(ranges: readonly unknown[], slot: number): number | undefined {
  for (const range of ranges) {
    if (!Array.isArray(range)) continue;
    const [from, to, master] = range;
    if (from <= slot && slot <= to && Array.isArray(master)) return Number(master[1]);
  }
  return undefined;
}
