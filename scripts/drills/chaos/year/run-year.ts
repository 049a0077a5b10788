import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { leaks } from '#scripts/drills/chaos/judge.ts';
import { lostLocksIn } from '#scripts/drills/chaos/judge-mails.ts';
import { createRandom } from '#scripts/drills/chaos/plan-faults.ts';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { readAccount, type Story, storiesOf } from './account.ts';
import { announcements } from './announcements.ts';
import { liveWithoutWorker } from './away.ts';
import { buildNext } from './build-next.ts';
import { drawPeople } from './draw-people.ts';
import { judgeDigests, judgeNaming } from './judge-digests.ts';
import { judgeLetters, type LetterCount, noLetters } from './judge-letters.ts';
import { judgeMoney, type MoneyCount, noMoney } from './judge-money.ts';
import { judgePunctuality } from './judge-punctuality.ts';
import { judgeRefunds, noRefunds, type RefundCount } from './judge-refunds.ts';
import { type Lived, live, planYear } from './live.ts';
import { releaseAt } from './release.ts';
import { unrecordedIn } from './repeats.ts';
import { FEW_SCENES, SCENES } from './scenes.ts';
import { openYear, type YearStage } from './stage.ts';
import { Storm } from './storm.ts';
import { peopleOfBoth, planTwoEditions } from './two-editions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How large a run is; its seed draws people and what fails at Stripe. */
interface YearOptions extends DrillRun {
  registrations: number;
  /** With few faults and larger steps of the clock. */
  isBrief?: boolean;
}

/** The result of a year. */
export interface YearResult {
  stories: Story[];
  money: MoneyCount;
  refunds: RefundCount;
  letters: LetterCount;
  /** The number of digests to the office, one a day. */
  digests: number;
  /** How many registrants no letter reached for a while, so that digests had to name them. */
  unreachable: number;
  /** How often each fault happened. */
  faults: Map<string, number>;
  /** How often the clock was moved. */
  moves: number;
  seconds: number;
  logLines: string[];
  /** What is wrong: nothing, when all is well. */
  problems: string[];
}

/** How many people live each life of the group without a worker, and of the group with two editions. */
const eachOf = (registrations: number) => Math.min(10, Math.ceil(registrations / 100));

/**
 * Lets people live through the year while everything fails; at the same time others live without a worker,
 * and then others while the next edition goes on sale. Judges the result.
 */
export async function runYear(options: YearOptions): Promise<YearResult> {
  const { registrations, isBrief = false, seed, folder, say } = options;
  const startMs = performance.now();
  const random = createRandom(seed);
  const people = drawPeople(random, registrations);
  const result: YearResult = {
    ...{ stories: [], money: noMoney(), refunds: noRefunds(), letters: noLetters(), faults: new Map() },
    ...{ digests: 0, unreachable: 0, moves: 0, seconds: 0, logLines: [], problems: [] },
  };
  await mkdir(folder, { recursive: true });
  await buildWhenStale('production', 'dist');
  const yearRelease = await releaseAt(join(folder, 'year-release'), 'dist');
  const told = announcements(random, yearRelease, isBrief);
  const year = isBrief
    ? planYear(people, [...FEW_SCENES, ...told], 3 * DAY_MS, DAY_MS)
    : planYear(people, [...SCENES, ...told], DAY_MS, DAY_MS / 2);
  const besides = async (): Promise<void> => {
    const each = eachOf(registrations);
    say(`${4 * each} beside them, while the worker is away for forty days …`);
    const [{ edition, build }] = await Promise.all([
      buildNext(join(folder, 'project')),
      play({ folder: join(folder, 'away'), seed }, result, (stage) => liveWithoutWorker(each, stage)),
    ]);
    const release = await releaseAt(join(folder, 'release'), 'dist');
    const both = peopleOfBoth(each, edition);
    const plan = planTwoEditions(release, build);
    say(`${both.length} of two editions …`);
    await play(
      { folder: join(folder, 'both'), seed, build: release.path, isPunctual: true },
      result,
      (stage, storm) => live(both, plan, stage, storm, say),
    );
  };
  say(`${people.length} registrations through the year …`);
  await Promise.all([
    play({ folder: join(folder, 'year'), seed, build: yearRelease.path }, result, (stage, storm) =>
      live(people, year, stage, storm, say),
    ),
    besides(),
  ]);
  result.problems.push(...result.money.problems, ...result.refunds.problems, ...result.letters.problems);
  return { ...result, seconds: (performance.now() - startMs) / 1000 };
}

/** A product in which people live. */
interface Performance {
  folder: string;
  /** Draws what fails at Stripe. */
  seed: number;
  /** The folder of the product's build. */
  build?: string;
  /** Whether nothing prevents the worker from doing everything on time. */
  isPunctual?: boolean;
}

/** Lets people live on a stage of their own, and adds the outcome to the result. */
async function play(
  { folder, seed, build = 'dist', isPunctual = false }: Performance,
  result: YearResult,
  act: (stage: YearStage, storm: Storm) => Promise<Lived>,
): Promise<void> {
  const stage = await openYear(folder, createRandom(seed), build);
  try {
    const storm = new Storm(stage);
    const { registrants, problems, steps } = await act(stage, storm);
    const lines = [...stage.lines, ...stage.secondLines];
    const account = await readAccount(stage.stripe);
    const stories = storiesOf(registrants, account, stage);
    judgeMoney(stories, account, result.money);
    judgeRefunds(stories, account, result.refunds);
    const circumstances = {
      faults: storm.happened,
      lostLocks: lostLocksIn(lines),
      unrecorded: unrecordedIn(lines),
    };
    judgeLetters(stories, steps, circumstances, result.letters);
    for (const edition of new Set(stories.map(({ person }) => person.edition))) {
      const told = judgeDigests(stage.ledger.mails, steps, circumstances, edition);
      result.digests += told.digests;
      result.problems.push(...told.problems);
    }
    const named = judgeNaming(stories, stage.ledger.mails);
    result.unreachable += named.unreachable;
    result.problems.push(...named.problems);
    if (isPunctual) result.problems.push(...judgePunctuality(stories));
    result.stories.push(...stories);
    for (const [what, times] of [...storm.counts, ...stage.troubles.met, ...stage.bounces.told])
      result.faults.set(what, (result.faults.get(what) ?? 0) + times);
    result.moves += steps.length;
    result.logLines.push(...lines);
    result.problems.push(...stage.crashes, ...leaks(lines), ...stage.bounces.problems, ...problems);
  } finally {
    await stage.close();
  }
}
