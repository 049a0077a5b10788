import { setTimeout as pause } from 'node:timers/promises';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { Verdict } from '#scripts/drills/oracle/count.ts';
import { judge } from '#scripts/drills/oracle/judge.ts';
import { latencies, type Row, table, verdictOf } from '#scripts/drills/report.ts';
import { signIn, support } from '#scripts/drills/stage/office.ts';
import { watchQuiet } from '#scripts/drills/stage/quiet.ts';
import { type Registrant, register } from '#scripts/drills/stage/registering.ts';
import { openStage, type Stage } from '#scripts/drills/stage/stage.ts';
import { FAULTS, type FaultKind, type Moment, Storm } from '#scripts/drills/stage/storm.ts';
import { lifeOf } from '#scripts/world/life.ts';
import { type Person, personOf } from '#scripts/world/people.ts';
import { between, createRandom, type Random, shuffled } from '#scripts/world/random.ts';

const CALM_SHARE = 0.1;
const LEAST_CALM = 5;
const EVERY_MS = 240;
const SHORTEST_STORM_MS = 16_000;
const REGISTRATIONS_PER_ROUND = 150;
const LONGEST_THOUGHT_MS = 1_500;
/** Once everything runs again, the mail of a killed worker takes up to twenty seconds; the rest is for slow machines. */
const RECOVERY_TIMEOUT_MS = 90_000;

const PAYING_SHARE = 0.8;
/** Nobody's balance comes up: the clock is not moved. */
const PAYS_DEPOSIT = lifeOf([{ ending: 'unpaid', letters: '' }]);
const NEVER_PAYS = lifeOf([{ ending: 'never-registered', letters: '' }]);

/** Draws visitors, of whom about four in five pay the deposit. */
export function drawVisitors(random: Random, count: number): Person[] {
  return Array.from({ length: count }, (_, number) =>
    random() < PAYING_SHARE
      ? personOf(number, 'pays the deposit', PAYS_DEPOSIT, 0, { chance: random() })
      : personOf(number, 'never pays', NEVER_PAYS, 0, { chance: random() }),
  );
}

/** How long a visitor thinks before she pays. */
export const thoughtOf = (random: Random): number => between(random, 0, LONGEST_THOUGHT_MS);

/** A fault, and when it is to happen, from the beginning of the storm. */
export interface PlannedFault {
  kind: FaultKind;
  at?: Moment;
  startMs: number;
  lastsMs: number;
}

/**
 * Faults of one lane never overlap; those of different lanes do, by chance. Worker and app are killed where it hurts most:
 * before a mail's OK arrives, between customer and payment, and while a consent is recorded.
 */
const LANES: readonly (readonly (readonly [FaultKind, at?: Moment])[])[] = [
  [['redis-killed'], ['redis-forgets'], ['redis-frozen']],
  [['worker-killed', 'mail']],
  [
    ['app-killed', 'register'],
    ['app-killed', 'consent'],
  ],
  [['smtp-refused'], ['smtp-hangs'], ['smtp-4xx'], ['smtp-5xx'], ['smtp-drops'], ['smtp-cuts']],
];
const LARGEST_SHARE = 0.1;
/** A hanging mail server gets three times as much of the time as another fault. */
const shareOf = (kind: FaultKind): number => (kind === 'smtp-hangs' ? 3 : 1);

/** Draws a schedule in which every fault happens once in each round. */
export function planFaults(
  random: Random,
  { rounds, spanMs }: { rounds: number; spanMs: number },
): PlannedFault[][] {
  return LANES.map((lane) => {
    const order = Array.from({ length: rounds }, () => shuffled(random, lane)).flat();
    const shares = order.reduce((sum, [kind]) => sum + shareOf(kind), 0);
    let slotStartMs = 0;
    return order.map(([kind, at]) => {
      const slotMs = (spanMs * shareOf(kind)) / shares;
      const longestMs = Math.min(FAULTS[kind].longestMs, spanMs * LARGEST_SHARE);
      const lastsMs = Math.min(slotMs * between(random, 0.5, 0.75), longestMs);
      const startMs = slotStartMs + (slotMs - lastsMs) * random();
      slotStartMs += slotMs;
      return { kind, startMs, lastsMs, ...(at && { at }) };
    });
  });
}

/** What came of a run. */
export interface ChaosResult {
  verdict: Verdict;
  calm: readonly Registrant[];
  stormy: readonly Registrant[];
  storm: Storm;
  report: string;
  logLines: readonly string[];
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/** Lets visitors register while faults happen, waits for the recovery, and judges the result. */
export async function runChaos({
  registrations,
  seed,
  folder,
  say,
}: DrillRun & { registrations: number }): Promise<ChaosResult> {
  const random = createRandom(seed);
  const visitors = drawVisitors(random, registrations);
  const calmCount = Math.max(LEAST_CALM, Math.round(registrations * CALM_SHARE));
  say('Building and starting the product …');
  const stage = await openStage({ folder, random });
  const verdict = new Verdict();
  try {
    const storm = new Storm(stage);
    const arrive = async (some: readonly Person[], everyMs: number): Promise<Registrant[]> => {
      const came = some.map(async (person, place) => {
        await pause(place * everyMs);
        return register(person, stage, { thinksMs: thoughtOf(random) });
      });
      const outcomes = await Promise.allSettled(came);
      return outcomes.flatMap((outcome) => {
        if (outcome.status === 'fulfilled') return [outcome.value];
        verdict.problems.push(String(outcome.reason));
        return [];
      });
    };
    say(`${calmCount} registrations without faults …`);
    const calm = await arrive(visitors.slice(0, calmCount), EVERY_MS);
    const others = visitors.slice(calmCount);
    const spanMs = Math.max(SHORTEST_STORM_MS, others.length * EVERY_MS);
    const rounds = Math.max(1, Math.round(others.length / REGISTRATIONS_PER_ROUND));
    const lanes = planFaults(random, { rounds, spanMs });
    say(
      `${others.length} registrations and ${lanes.flat().length} faults in ${Math.round(spanMs / 1000)} s …`,
    );
    const [stormy] = await Promise.all([
      arrive(others, spanMs / Math.max(1, others.length)),
      ...lanes.map((lane) => runLane(lane, storm)),
    ]);
    say('Everything runs again; waiting for the mails …');
    const registrants = [...calm, ...stormy];
    await untilRecovered(stage, verdict);
    await judgeRecord(storm, verdict);
    const office = await signIn(stage.opsUrl);
    await judge(stage, { registrants, faults: storm.happened, office }, verdict);
    const result = { verdict, calm, stormy, storm, logLines: stage.lines, problems: verdict.problems };
    return { ...result, report: reportOf(result) };
  } finally {
    await stage.close();
  }
}

/** Runs the faults of one lane at their times from now, each over before the next. */
async function runLane(lane: readonly PlannedFault[], storm: Storm): Promise<void> {
  const beginMs = Date.now();
  for (const { kind, at, startMs, lastsMs } of lane) {
    await pause(Math.max(0, beginMs + startMs - Date.now()));
    await storm.strike(kind, { lastsMs, ...(at && { at, anywayAfterMs: lastsMs }) });
  }
}

/** Does what people do after a bad day: restarts the worker, and lets support retry what failed for good. */
async function untilRecovered(stage: Stage, { problems }: Verdict): Promise<void> {
  await stage.worker.stop();
  await stage.worker.start();
  const deadline = Date.now() + RECOVERY_TIMEOUT_MS;
  const quiet = watchQuiet(stage);
  const since = stage.sandbox.clock.now();
  try {
    for (;;) {
      const isQuiet = await quiet.until(since, deadline - Date.now());
      if (!isQuiet) problems.push('the mails did not come to rest');
      const failed = await quiet.failedMails();
      if (failed > 0) await support(['retry', '--all'], stage);
      if (((await quiet.promoteMails()) === 0 && failed === 0) || !isQuiet) return;
    }
  } finally {
    await quiet.close();
  }
}

/** When all is done, Redis is lost: nothing may be sent again, for each letter is on record. */
export async function judgeRecord(storm: Storm, { problems }: Verdict): Promise<void> {
  const { stage } = storm;
  const before = new Set(stage.notes.mails.map(({ messageId }) => messageId));
  const count = stage.notes.mails.length;
  const since = stage.sandbox.clock.now();
  await FAULTS['redis-wiped'].strike(stage);
  const quiet = watchQuiet(stage);
  if (!(await quiet.until(since, RECOVERY_TIMEOUT_MS)))
    problems.push('the site did not come to rest after Redis was lost');
  await quiet.close();
  for (const { messageId } of stage.notes.mails.slice(count))
    problems.push(
      `${messageId} was ${before.has(messageId) ? 'not on record' : 'sent only after Redis was lost'}`,
    );
}

/** The tables of a run, and its verdict. */
function reportOf({ verdict, calm, stormy, storm, problems }: Omit<ChaosResult, 'report'>): string {
  const timed = (some: readonly Registrant[]) => latencies(some.map(({ latencyMs }) => latencyMs));
  const rows: Row[] = [
    ['Latency of a registration, ms', 'p50', 'p99', 'slowest'],
    ['without faults', ...timed(calm)],
    ['during the faults', ...timed(stormy)],
    ['  answered at the first try', ...timed(stormy.filter(({ presses }) => presses === 1))],
  ];
  const faults: Row[] = [['Faults', 'times'], ...storm.counts];
  return [table(verdict.rows()), table(faults), table(rows), verdictOf(problems)].join('\n');
}
