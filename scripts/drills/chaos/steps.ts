import { watch } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DrillRun } from '#scripts/drills/drill.ts';
import type { Verdict } from '#scripts/drills/oracle/count.ts';
import { type Plan, play, type Scene } from '#scripts/drills/stage/lives.ts';
import type { Stage } from '#scripts/drills/stage/stage.ts';
import type { Storm } from '#scripts/drills/stage/storm.ts';
import { DAY_MS, HOUR_MS, onSale } from '#scripts/world/editions.ts';
import { LIVES } from '#scripts/world/lives.ts';
import { peopleLiving } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { redisIsLost } from './scenes.ts';

/** When no further step is taken for so long, there is nothing left to do. */
const STEP_WITHIN_MS = 4_000;

/**
 * Resolves to true at the n-th step from now that app and worker take and that can be seen from outside: a request to
 * Stripe before it is carried out, and its answer; a commit, which writes to the register's log; a job that enters a queue
 * or leaves it; a mail before its OK, and after it. Resolves to false once nothing happens any more.
 */
async function reachesStep(stage: Stage, n: number): Promise<boolean> {
  const { moments, mailServer, redisUrl, env } = stage;
  const { hostname, port } = new URL(redisUrl);
  const redis = connect(Number(port), hostname);
  // It ends when Redis does.
  redis.on('error', () => {});
  redis.setEncoding('utf8').write('MONITOR\r\n');
  const files = watch(dirname(fileURLToPath(env.DATABASE_URL ?? '')));
  const over = new AbortController();
  let left = n;
  const reached = new Promise<boolean>((resolve) => {
    let idle = setTimeout(resolve, STEP_WITHIN_MS, false);
    const step = (): void => {
      left -= 1;
      clearTimeout(idle);
      if (left <= 0) resolve(true);
      else idle = setTimeout(resolve, STEP_WITHIN_MS, false);
    };
    for (const name of ['request', 'answer', 'mail']) moments.on(name, step);
    mailServer.events.on('answered', step);
    files.on('change', (_event, name) => String(name).endsWith('-wal') && step());
    redis.on('data', (text: string) => {
      for (const _ of text.matchAll(/"event" "(?:added|completed)"/g)) step();
    });
    over.signal.addEventListener('abort', () => {
      clearTimeout(idle);
      for (const name of ['request', 'answer', 'mail']) moments.off(name, step);
      mailServer.events.off('answered', step);
    });
  });
  return reached.finally(() => {
    over.abort();
    files.close();
    redis.destroy();
  });
}

/** A process is killed at its first step, once it is back at its second, and so on, while there is something to do. */
const diesAtEachStep = (at: number, name: 'app' | 'worker', most: number): Scene => ({
  at,
  name: `the ${name} dies at each step`,
  async play(storm: Storm) {
    for (let n = 1; n <= most && (await reachesStep(storm.stage, n)); n += 1) {
      await storm.strike(`${name}-killed`);
      // Then nothing has to wait until the lock of a killed worker expires.
      if (name === 'worker') await redisIsLost(storm);
    }
  },
});

const { moments } = onSale;
const CANCELLED = moments.charge + 3 * HOUR_MS;

/** How many live each life. */
const EACH = 3;

/** Registrants whose balance is charged, of whom some cancel then and get a refund, and some who are asked to pay it. */
const PEOPLE = peopleLiving(
  EACH,
  (['charged', 'charged-cancels', 'no-consent'] as const).map((name) => ({
    name,
    life: LIVES[name],
    beganAt: moments.opens,
  })),
);

const STOPS = PEOPLE.flatMap(({ deeds }) => deeds.filter(({ stops }) => stops).map(({ at }) => at));
const STEPS = [
  moments.opens,
  moments.opens + HOUR_MS,
  moments.notice,
  moments.notice + DAY_MS,
  moments.notice + 4 * DAY_MS,
  moments.reminder,
  moments.charge,
  moments.charge + HOUR_MS,
  CANCELLED,
  CANCELLED + 26 * HOUR_MS,
  CANCELLED + 27 * HOUR_MS,
  CANCELLED + 2 * DAY_MS,
  ...STOPS,
];
const PLAN: Plan = {
  steps: [...new Set(STEPS)].toSorted((one, other) => one - other),
  scenes: [
    diesAtEachStep(moments.opens, 'app', 12),
    diesAtEachStep(moments.opens + HOUR_MS, 'worker', 6),
    diesAtEachStep(moments.notice, 'worker', 6),
    diesAtEachStep(moments.charge, 'worker', 14),
    diesAtEachStep(CANCELLED + 26 * HOUR_MS, 'worker', 10),
  ],
};

/**
 * App and worker of a product of its own die at each step of registrations, letters, charges and refunds, while nothing else
 * goes wrong.
 */
export async function dieAtEachStep({ folder, seed, say }: DrillRun, verdict: Verdict): Promise<void> {
  say(`${PEOPLE.length} pay, and some cancel, while app and worker die at each step …`);
  const at = { folder: join(folder, 'steps'), startsAt: moments.opens, random: createRandom(seed) };
  await play(at, PEOPLE, PLAN, verdict, say);
}
