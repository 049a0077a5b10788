import { join } from 'node:path';
import { leaks } from '#scripts/drills/chaos/judge.ts';
import { lostLocksIn } from '#scripts/drills/chaos/judge-mails.ts';
import { createRandom, type Random } from '#scripts/drills/chaos/plan-faults.ts';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { readAccount, type Story, storiesOf } from './account.ts';
import { liveWithoutWorker } from './away.ts';
import { judgeDigests } from './judge-digests.ts';
import { judgeLetters, type LetterCount, noLetters } from './judge-letters.ts';
import { judgeMoney, type MoneyCount, noMoney } from './judge-money.ts';
import { type Lived, live } from './live.ts';
import { drawPeople } from './people.ts';
import { unrecordedIn } from './repeats.ts';
import { FEW_SCENES, SCENES } from './scenes.ts';
import { openYear, type YearStage } from './stage.ts';
import { Storm } from './storm.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How large a run is; its seed draws people and what fails at Stripe. */
interface YearOptions extends DrillRun {
  registrations: number;
  /** With few faults and larger steps of the clock. */
  isBrief?: boolean;
}

/** What came of a year. */
export interface YearResult {
  stories: Story[];
  money: MoneyCount;
  letters: LetterCount;
  /** What the office was told, once a day. */
  digests: number;
  /** How often what went wrong. */
  faults: Map<string, number>;
  /** How often the clock was moved. */
  moves: number;
  seconds: number;
  logLines: string[];
  /** What is wrong: nothing, when all is well. */
  problems: string[];
}

/** How many live each of the lives without a worker: a tenth, as far as there are so many. */
const awayOf = (registrations: number) => Math.min(10, Math.ceil(registrations / 30));

/** Lets people live through the year while everything fails, then others without a worker, and judges what came of it. */
export async function runYear(options: YearOptions): Promise<YearResult> {
  const { registrations, isBrief = false, seed, folder, say } = options;
  const startMs = performance.now();
  const random = createRandom(seed);
  const people = drawPeople(random, registrations);
  const plan = isBrief
    ? { scenes: FEW_SCENES, calmStepMs: 2 * DAY_MS, busyStepMs: DAY_MS }
    : { scenes: SCENES, calmStepMs: DAY_MS, busyStepMs: DAY_MS / 2 };
  const result: YearResult = {
    ...{ stories: [], money: noMoney(), letters: noLetters(), faults: new Map() },
    ...{ digests: 0, moves: 0, seconds: 0, logLines: [], problems: [] },
  };
  say(`${people.length} registrations through the year …`);
  await play(join(folder, 'year'), random, result, (stage, storm) => live(people, plan, stage, storm, say));
  const each = awayOf(registrations);
  say(`${3 * each} more, while the worker is away for forty days …`);
  await play(join(folder, 'away'), random, result, (stage) => liveWithoutWorker(each, stage));
  result.problems.push(...result.money.problems, ...result.letters.problems);
  return { ...result, seconds: (performance.now() - startMs) / 1000 };
}

/** Lets people live on a stage of their own, and adds what came of it to the result. */
async function play(
  folder: string,
  random: Random,
  result: YearResult,
  act: (stage: YearStage, storm: Storm) => Promise<Lived>,
): Promise<void> {
  const stage = await openYear(folder, random);
  try {
    const storm = new Storm(stage);
    const { registrants, problems, steps } = await act(stage, storm);
    const lines = [...stage.lines, ...stage.secondLines];
    const account = await readAccount(stage.stripe);
    const stories = storiesOf(registrants, account, stage);
    judgeMoney(stories, account, result.money);
    const circumstances = {
      faults: storm.happened,
      lostLocks: lostLocksIn(lines),
      unrecorded: unrecordedIn(lines),
    };
    judgeLetters(stories, circumstances, result.letters);
    const told = judgeDigests(stage.ledger.mails, steps, circumstances);
    result.digests += told.digests;
    result.stories.push(...stories);
    for (const [what, times] of [...storm.counts, ...stage.troubles.met])
      result.faults.set(what, (result.faults.get(what) ?? 0) + times);
    result.moves += steps.length;
    result.logLines.push(...lines);
    result.problems.push(...stage.crashes, ...leaks(lines), ...problems, ...told.problems);
  } finally {
    await stage.close();
  }
}
