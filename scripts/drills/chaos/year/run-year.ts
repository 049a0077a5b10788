import type { DrillRun } from '#scripts/drills/drill.ts';
import { leaks } from '../judge.ts';
import { lostLocksIn } from '../judge-mails.ts';
import { createRandom } from '../plan-faults.ts';
import { readAccount, type Story, storiesOf } from './account.ts';
import { judgeLetters, type LetterCount } from './judge-letters.ts';
import { judgeMoney, type MoneyCount } from './judge-money.ts';
import { live } from './live.ts';
import { drawPeople } from './lives.ts';
import { openYear } from './stage.ts';
import { Storm } from './storm.ts';

/** How large a run is; its seed draws people and what fails at Stripe. */
interface YearOptions extends DrillRun {
  registrations: number;
}

/** What came of a year. */
export interface YearResult {
  stories: readonly Story[];
  money: MoneyCount;
  letters: LetterCount;
  /** How often what went wrong. */
  faults: ReadonlyMap<string, number>;
  /** How often the clock was moved. */
  steps: number;
  seconds: number;
  logLines: readonly string[];
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/** Lets people live through the year while everything fails, and judges what came of it. */
export async function runYear({ registrations, seed, folder, say }: YearOptions): Promise<YearResult> {
  const startMs = performance.now();
  const random = createRandom(seed);
  const people = drawPeople(random, registrations);
  say('Building and starting the product …');
  const stage = await openYear(folder, random);
  try {
    const storm = new Storm(stage);
    say(`${people.length} registrations through the year …`);
    const { registrants, problems, steps } = await live(people, stage, storm, say);
    const account = await readAccount(stage.stripe);
    const stories = storiesOf(registrants, account, stage);
    const money = judgeMoney(stories, account);
    const circumstances = { faults: storm.happened, lostLocks: lostLocksIn(stage.lines) };
    const letters = judgeLetters(stories, circumstances);
    return {
      ...{ stories, money, letters, steps },
      faults: new Map([...storm.counts, ...stage.troubles.met]),
      seconds: (performance.now() - startMs) / 1000,
      logLines: stage.lines,
      problems: [
        ...stage.crashes,
        ...leaks(stage.lines),
        ...problems,
        ...money.problems,
        ...letters.problems,
      ],
    };
  } finally {
    await stage.close();
  }
}
