import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Child } from './child.ts';
import { findFreePort } from './ports.ts';
import { startRedis } from './redis.ts';

const HOST = '127.0.0.1';
const SLOTS = 16_384;
/** After this time without an answer a server is treated as failed, and its replica takes over. */
const NODE_TIMEOUT_MS = 3_000;
/** Redis does not report when its servers agree, so it is polled at this interval. */
const ASK_EVERY_MS = 20;
const AGREE_TIMEOUT_MS = 60_000;

/** One server of a cluster. */
export interface ClusterServer {
  readonly port: number;
  /** The id by which the other servers know it. */
  readonly id: string;
  /** A client for the test's own commands; it is connected to this server only. */
  readonly redis: Redis;
  /** Ends the server at once, as a power cut does. */
  kill(): Promise<void>;
  /** Starts the server again, on the data that it had. */
  start(): Promise<void>;
  /** Suspends the server until `thaw`, like a machine that hangs. */
  freeze(): void;
  thaw(): void;
}

/** A Redis Cluster on loopback, only for this process. */
export interface RedisCluster {
  readonly servers: readonly ClusterServer[];
  /** The master that owns a slot at this moment. */
  ownerOf(slot: number): Promise<ClusterServer>;
  /** Moves a slot to another server as `redis-cli --cluster reshard` does, but key by key; calls back between two keys. */
  moveSlot(slot: number, to: ClusterServer, between?: () => Promise<void>): Promise<number>;
  close(): Promise<void>;
}

/** Starts three masters that share the slots, each with a replica; resolves when all of them agree. */
export async function startRedisCluster(folder: string): Promise<RedisCluster> {
  const servers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => openServer(join(folder, String(at)))),
  );
  const masters = servers.slice(0, 3);
  const replicas = servers.slice(3);
  const [first] = servers;
  if (!first) throw new Error('There is no server.');
  for (const [at, { redis }] of masters.entries()) {
    const [from, to] = [at, at + 1].map((part) => Math.floor((SLOTS * part) / masters.length));
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(Number(to) - 1));
    await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
  }
  for (const { port, busPort } of servers.slice(1)) {
    await first.redis.call('CLUSTER', 'MEET', HOST, String(port), String(busPort));
  }
  await agreed(servers, async ({ redis }) => {
    const nodes = await redis.call('CLUSTER', 'NODES');
    return servers.every(({ port }) => String(nodes).includes(`${HOST}:${port}@`)) && (await isOk(redis));
  });
  for (const [at, { redis }] of replicas.entries()) {
    await redis.call('CLUSTER', 'REPLICATE', masters[at]?.id ?? '');
  }
  await agreed(replicas, async ({ redis }) =>
    (await redis.info('replication')).includes('master_link_status:up'),
  );
  // A replica may take over only once all servers know that it is one.
  await agreed(servers, async ({ redis }) => {
    const nodes = String(await redis.call('CLUSTER', 'NODES'));
    return nodes.match(/slave/g)?.length === replicas.length;
  });

  const running = async () => {
    const asked = await Promise.all(
      servers.map(async (server) => ((await server.answers()) ? [server] : [])),
    );
    return asked.flat();
  };
  const ownerOf = async (slot: number, tries = AGREE_TIMEOUT_MS / ASK_EVERY_MS): Promise<ClusterServer> => {
    if (tries === 0) throw new Error(`No server has slot ${slot}.`);
    for (const { redis } of await running()) {
      const owner = masterIn(await redis.cluster('SLOTS'), slot);
      const server = servers.find(({ port }) => port === owner);
      if (server && (await server.answers())) return server;
    }
    // A replica is about to take it over.
    await delay(ASK_EVERY_MS);
    return ownerOf(slot, tries - 1);
  };
  return {
    servers,
    ownerOf: (slot) => ownerOf(slot),
    async moveSlot(slot, to, between = async () => {}) {
      const from = await ownerOf(slot);
      const name = String(slot);
      await to.redis.call('CLUSTER', 'SETSLOT', name, 'IMPORTING', from.id);
      await from.redis.call('CLUSTER', 'SETSLOT', name, 'MIGRATING', to.id);
      let moved = 0;
      for (;;) {
        const [key] = await from.redis.cluster('GETKEYSINSLOT', slot, 1);
        if (!key) break;
        await from.redis.migrate(HOST, to.port, key, 0, 60_000);
        moved += 1;
        await between();
      }
      for (const { redis } of [to, from, ...(await running())]) {
        // A replica refuses this command, and learns the new owner from the others.
        await redis.call('CLUSTER', 'SETSLOT', name, 'NODE', to.id).catch(() => {});
      }
      return moved;
    },
    async close() {
      for (const server of servers) await server.close();
    },
  };
}

async function openServer(folder: string) {
  const [port, busPort] = [await findFreePort(), await findFreePort()];
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    // A replica that was away for long may take over too.
    'cluster-replica-validity-factor': '0',
    'repl-diskless-sync-delay': '0',
  };
  let child: Child | undefined = await startRedis({ port, folder, settings });
  const redis = new Redis({ port, host: HOST, retryStrategy: () => ASK_EVERY_MS, maxRetriesPerRequest: 0 });
  redis.on('error', () => {
    // Expected while the server is down.
  });
  let isFrozen = false;
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid !== undefined) process.kill(child.pid, name);
  };
  return {
    ...{ port, busPort, redis },
    id: String(await redis.call('CLUSTER', 'MYID')),
    /** Whether the server runs and answers. */
    answers: async () => child !== undefined && !isFrozen && redis.ping().then(Boolean, () => false),
    async kill() {
      signal('SIGKILL');
      await child?.ended;
      child = undefined;
    },
    async start() {
      child = await startRedis({ port, folder, settings });
    },
    freeze() {
      isFrozen = true;
      signal('SIGSTOP');
    },
    thaw() {
      isFrozen = false;
      signal('SIGCONT');
    },
    async close() {
      redis.disconnect();
      signal('SIGCONT');
      await child?.stop();
    },
  };
}

type OpenServer = Awaited<ReturnType<typeof openServer>>;

async function isOk(redis: Redis): Promise<boolean> {
  return String(await redis.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
}

async function agreed(
  servers: readonly OpenServer[],
  isSo: (server: OpenServer) => Promise<boolean>,
): Promise<void> {
  const timeout = AbortSignal.timeout(AGREE_TIMEOUT_MS);
  for (const server of servers)
    while (!(await isSo(server))) await delay(ASK_EVERY_MS, null, { signal: timeout });
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
