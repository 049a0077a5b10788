import type { DrillRun } from '#scripts/drills/drill.ts';
import { type Happened, runLane } from './faults.ts';
import { isSettled, judge } from './judge.ts';
import type { ConsentCount } from './judge-consents.ts';
import type { MailCount } from './judge-mails.ts';
import { createRandom, planFaults, type Random } from './plan-faults.ts';
import type { SmtpTrouble } from './smtp-sink.ts';
import { openStage, type Stage } from './stage.ts';
import { supportUntil } from './support.ts';
import { drawVisitors, type Visitor } from './visitors.ts';
import { arrive, type Visit, type Visits } from './visits.ts';

const CALM_SHARE = 0.1;
const LEAST_CALM = 5;
const EVERY_MS = 240;
const SHORTEST_STORM_MS = 16_000;
const REGISTRATIONS_PER_ROUND = 150;

/**
 * Once everything runs again, the mail of a killed worker takes up to twenty seconds; the rest is for slow
 * machines.
 */
const RECOVERY_TIMEOUT_MS = 90_000;

/** How large a run is; its seed draws visitors and faults. */
interface ChaosOptions extends DrillRun {
  registrations: number;
}

/** What came of a run. */
export interface ChaosResult {
  calm: readonly Visit[];
  stormy: readonly Visit[];
  faults: readonly Happened[];
  consents: ConsentCount;
  mails: MailCount;
  /**
   * Mails that were sent after Redis had lost the worker's lock on them, and that were therefore sent again.
   */
  lostLocks: number;
  /** How many mails a trouble of the mail server has affected. */
  met: (trouble: SmtpTrouble) => number;
  /** Mails that support retried. */
  retried: number;
  seconds: number;
  logLines: readonly string[];
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/** Lets visitors register while faults happen, waits for the recovery, and judges the result. */
export async function runChaos({ registrations, seed, folder, say }: ChaosOptions): Promise<ChaosResult> {
  const startMs = performance.now();
  const random = createRandom(seed);
  const visitors = drawVisitors(random, registrations);
  const calmCount = Math.max(LEAST_CALM, Math.round(registrations * CALM_SHARE));
  say('Building and starting the product …');
  const stage = await openStage(folder);
  try {
    say(`${calmCount} registrations without faults …`);
    const calm = await arrive(visitors.slice(0, calmCount), EVERY_MS, stage);
    const { faults, ...stormy } = await storm(visitors.slice(calmCount), random, stage, say);
    say('Everything runs again; waiting for the mails …');
    const visits = [...calm.visits, ...stormy.visits];
    const retried = await supportUntil(() => isSettled(stage, visits), stage, RECOVERY_TIMEOUT_MS);
    const { consents, mails, lostLocks, problems } = await judge(stage, visits, faults);
    return {
      calm: calm.visits,
      stormy: stormy.visits,
      faults,
      consents,
      mails,
      lostLocks,
      met: stage.sink.met,
      retried,
      seconds: (performance.now() - startMs) / 1000,
      logLines: stage.lines,
      problems: [...calm.problems, ...stormy.problems, ...problems],
    };
  } finally {
    await stage.close();
  }
}

/** Visitors come while the faults happen; ends when all of them are answered and everything runs again. */
async function storm(
  visitors: readonly Visitor[],
  random: Random,
  stage: Stage,
  say: (sentence: string) => void,
): Promise<Visits & { faults: Happened[] }> {
  const spanMs = Math.max(SHORTEST_STORM_MS, visitors.length * EVERY_MS);
  const rounds = Math.max(1, Math.round(visitors.length / REGISTRATIONS_PER_ROUND));
  const lanes = planFaults(random, { rounds, spanMs });
  const seconds = Math.round(spanMs / 1000);
  say(`${visitors.length} registrations and ${lanes.flat().length} faults in ${seconds} s …`);
  const [visits, ...happened] = await Promise.all([
    arrive(visitors, spanMs / Math.max(1, visitors.length), stage),
    ...lanes.map((lane) => runLane(lane, stage)),
  ]);
  return { ...visits, faults: happened.flat().toSorted((one, other) => one.fromMs - other.fromMs) };
}
