import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisCluster, startRedisCluster } from '#scripts/product/redis-cluster.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import type { TestRedis } from './test-redis.ts';

/** A real Redis Cluster for one test; it is removed after the test. */
export interface TestCluster extends TestRedis {
  cluster: RedisCluster;
}

/** Starts three masters, each with a replica, as one cluster. */
export async function testCluster(t: TestScope): Promise<TestCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-cluster-'));
  const cluster = await startRedisCluster(folder);
  cleanUp(t, async () => {
    await cluster.close();
    await rm(folder, { recursive: true });
  });
  const nodes = cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const notAtOnce = () => Promise.reject(new Error('A cluster has servers: stop and start one of them.'));
  return {
    cluster,
    url: `redis://127.0.0.1:${nodes[0]?.port}`,
    settings: { kind: 'cluster', nodes: nodes.slice(0, 2), access: {} },
    pid: () => 0,
    start: notAtOnce,
    stop: notAtOnce,
  };
}
