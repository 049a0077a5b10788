import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { Verdict } from '#scripts/drills/oracle/count.ts';
import { judge } from '#scripts/drills/oracle/judge.ts';
import { table, verdictOf } from '#scripts/drills/report.ts';
import { signIn } from '#scripts/drills/stage/office.ts';
import { openStage } from '#scripts/drills/stage/stage.ts';
import { Storm } from '#scripts/drills/stage/storm.ts';
import { onSale } from '#scripts/world/editions.ts';
import { drawPeople } from '#scripts/world/people.ts';
import { createRandom } from '#scripts/world/random.ts';
import { buildNext } from './build-next.ts';
import { type Lives, live, planYear } from './live.ts';
import { announcements, liveWithoutWorker, peopleOfBoth, planTwoEditions, releaseAt } from './others.ts';
import { FEW_SCENES, SCENES } from './scenes.ts';

/** How large a run is; its seed draws people and what fails at Stripe. */
interface YearOptions extends DrillRun {
  registrations: number;
  /** With few faults and larger steps of the clock. */
  isBrief?: boolean;
}

/** The result of a year. */
export interface YearResult {
  verdict: Verdict;
  report: string;
  logLines: readonly string[];
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/** How many people live each life of the group without a worker, and of the group with two editions. */
const eachOf = (registrations: number) => Math.min(10, Math.ceil(registrations / 100));

/**
 * Lets people live through the year while everything fails; at the same time others live without a worker, and then others
 * while the next edition goes on sale. Judges the result.
 */
export async function runYear(options: YearOptions): Promise<YearResult> {
  const { registrations, isBrief = false, seed, folder, say } = options;
  const startMs = performance.now();
  const random = createRandom(seed);
  const people = drawPeople(random, registrations);
  const verdict = new Verdict();
  const faults = new Map<string, number>();
  const logLines: string[] = [];
  /** Lets people live on a stage of their own. */
  const play = async (
    name: string,
    build: string,
    act: (storm: Storm) => Promise<Lives>,
    isPunctual = false,
  ): Promise<void> => {
    const startsAt = onSale.moments.opens;
    const stage = await openStage({
      folder: join(folder, name),
      random: createRandom(seed),
      build,
      startsAt,
    });
    try {
      const storm = new Storm(stage);
      const { registrants, problems, steps, bounces } = await act(storm);
      const office = await signIn(stage.opsUrl);
      verdict.problems.push(...problems, ...bounces.problems);
      const played = { registrants, faults: storm.happened, office, bounces, steps, isPunctual };
      await judge(stage, played, verdict);
      for (const [what, times] of [...storm.counts, ...stage.troubles.met, ...bounces.met])
        faults.set(what, (faults.get(what) ?? 0) + times);
      logLines.push(...stage.lines);
    } finally {
      await stage.close();
    }
  };
  await mkdir(folder, { recursive: true });
  await buildWhenStale('production', 'dist');
  const yearRelease = await releaseAt(join(folder, 'year-release'), 'dist');
  const scenes = [...(isBrief ? FEW_SCENES : SCENES), ...announcements(random, yearRelease, isBrief)];
  const plan = planYear(people, scenes, isBrief);
  const besides = async (): Promise<void> => {
    const each = eachOf(registrations);
    say(`${4 * each} beside them, while the worker is away for forty days …`);
    const [{ edition, build }] = await Promise.all([
      buildNext(join(folder, 'project')),
      play('away', 'dist', (storm) => liveWithoutWorker(each, storm)),
    ]);
    const release = await releaseAt(join(folder, 'release'), 'dist');
    const both = peopleOfBoth(each, edition);
    say(`${both.length} of two editions …`);
    await play(
      'both',
      release.path,
      (storm) => live(both, planTwoEditions(release, build), storm, say),
      true,
    );
  };
  say(`${people.length} registrations through the year …`);
  await Promise.all([play('year', yearRelease.path, (storm) => live(people, plan, storm, say)), besides()]);
  const { problems } = verdict;
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  const rows = table([...verdict.rows(), ['Seconds', seconds]]);
  const report = [rows, table([['Faults', 'times'], ...faults]), verdictOf(problems)].join('\n');
  return { verdict, report, logLines, problems };
}
