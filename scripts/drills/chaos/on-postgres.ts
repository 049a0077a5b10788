import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DrillRun } from '#scripts/drills/drill.ts';
import type { Verdict } from '#scripts/drills/oracle/count.ts';
import { perform } from '#scripts/drills/stage/lives.ts';
import { openStage } from '#scripts/drills/stage/stage.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startPostgres } from '#scripts/product/postgres.ts';
import { drawVisitors } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { administer } from '#server/testing/test-database.ts';

const VISITORS = 40;
const EVERY_MS = 300;
const CALM_MS = 4_000;
/** For so long nothing answers after a power cut. */
const AWAY_MS = 1_000;
/** A commit is answered once a standby has it, so that it loses nothing when it takes over. */
const SYNCHRONOUS = { synchronous_commit: 'on' };
const ALL_STANDBYS = "alter system set synchronous_standby_names = '*'";

/**
 * Lets visitors register on PostgreSQL, with a product of their own, while its server is restarted, and then lost: its
 * synchronous standby takes over.
 */
export async function registerOnPostgres({ folder, seed, say }: DrillRun, verdict: Verdict): Promise<void> {
  const random = createRandom(seed);
  const visitors = drawVisitors(random, VISITORS);
  say(`${visitors.length} register on PostgreSQL, which fails …`);
  const start = (name: string, port: number, standbyOf?: string) =>
    startPostgres({
      port,
      folder: join(folder, 'postgres', name),
      settings: SYNCHRONOUS,
      ...(standbyOf && { standbyOf }),
    });
  const [port, otherPort] = [await findFreePort(), await findFreePort()];
  let server = await start('server', port);
  const url = server.url('postgres');
  try {
    const stage = await openStage({
      folder: join(folder, 'postgres', 'site'),
      random,
      env: { DATABASE_URL: url },
    });
    await perform(stage, visitors, verdict, async (lives, { stage: { count, lines } }) => {
      const arriving = lives.arrive(visitors, EVERY_MS, { random });
      await pause(CALM_MS);
      await server.stop();
      server = await start('server', port);
      count('PostgreSQL restarted');

      const standby = await start('standby', otherPort, url);
      for (const statement of [ALL_STANDBYS, 'select pg_reload_conf()']) await administer(url, statement);
      await pause(CALM_MS);
      await server.kill();
      await standby.stop();
      await pause(AWAY_MS);
      server = await start('standby', port);
      await administer(url, 'select pg_promote()');
      count('PostgreSQL failed over');
      await arriving;
      await lives.recover();
      await lives.loseRedis([]);
      if (lines.some((line) => line.includes('The register is held')))
        verdict.problems.push('The standby is taken for an older register');
    });
  } finally {
    await server.stop();
  }
}
