import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MASTER_NAME, type SentinelGroup, startSentinels } from '#scripts/product/redis-sentinels.ts';
import { cleanUp, type TestScope } from './clean-up.ts';

/** A master, its replica and three sentinels for one test, and the environment variables to connect to them. */
export async function testSentinels(
  t: TestScope,
): Promise<
  SentinelGroup & { env: { REDIS_URL: string; REDIS_SENTINELS: string; REDIS_SENTINEL_NAME: string } }
> {
  const folder = await mkdtemp(join(tmpdir(), 'sentinels-'));
  cleanUp(t, () => rm(folder, { recursive: true, force: true }));
  const group = await startSentinels(folder);
  cleanUp(t, () => group.close());
  const sentinels = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
  return { ...group, env: { REDIS_URL: '', REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: MASTER_NAME } };
}
