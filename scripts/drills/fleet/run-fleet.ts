import { setTimeout as pause } from 'node:timers/promises';
import { drawVisitors, judgeRecord } from '#scripts/drills/chaos/run-chaos.ts';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { Verdict } from '#scripts/drills/oracle/count.ts';
import { judge } from '#scripts/drills/oracle/judge.ts';
import { latencies, type Row, table, verdictOf } from '#scripts/drills/report.ts';
import { signIn } from '#scripts/drills/stage/office.ts';
import { watchQuiet } from '#scripts/drills/stage/quiet.ts';
import { type Happened, Storm } from '#scripts/drills/stage/storm.ts';
import type { Service } from '#scripts/product/product.ts';
import { createRandom } from '#scripts/world/random.ts';
import { type Fleet, openFleet } from './stage.ts';
import {
  addressOf,
  type Pace,
  type PageFailure,
  rush,
  startCrowd,
  startStaff,
  type Timed,
} from './visitors.ts';
import { overlapping, type WalkSpan, type WorkerEnd, walksIn } from './walks.ts';

/** More visitors than come in any run. */
const MOST_VISITORS = 10_000;
const RUSH = 12;
const MOST_RUSHES = 3;

const CALM_MS = 3_000;
const WALK_EVERY_MS = 300;
const SETTLE_TIMEOUT_MS = 90_000;
const AWAY_MS = 1_000;
const REDIS_AWAY_MS = 3_000;
const POLL_MS = 10;
/** How long an app may take to reconnect to Redis. */
const RECONNECT_MS = 3_000;
/**
 * Another worker picks up a killed worker's walk once its lock has expired and this is noticed: ten seconds each. The rest
 * is for slow machines.
 */
const LONGEST_WAIT_MS = 120_000;

interface FleetOptions extends DrillRun {
  apps: number;
  workers: number;
  /** How many are killed, in addition to the worker that walks; by default all. */
  kills?: { apps: number; workers: number };
  /** How often somebody registers, and opens the page. */
  pace: Pace;
}

/** Something that was done to the fleet, in milliseconds since the epoch. */
interface FleetEvent {
  what: string;
  fromMs: number;
  untilMs: number;
}

/** What came of a run. */
export interface FleetResult {
  verdict: Verdict;
  refused: number;
  walks: readonly WalkSpan[];
  report: string;
  logLines: readonly string[];
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/** Replaces and kills all processes while visitors come at a constant rate, and judges what happened to the visitors. */
export async function runFleet(options: FleetOptions): Promise<FleetResult> {
  const { apps, workers, kills = { apps, workers }, pace, seed, folder, say } = options;
  const random = createRandom(seed);
  const visitors = drawVisitors(random, MOST_VISITORS);
  const rushing = visitors.filter(({ ending }) => ending === 'never-registered').slice(-2 * RUSH);
  say(`Starting ${apps} apps and ${workers} workers behind a proxy …`);
  const fleet = await openFleet(folder, random, { apps, workers });
  const quiet = watchQuiet(fleet);
  const endWalks = quiet.askForWalks(WALK_EVERY_MS);
  try {
    const addresses = Array.from({ length: 2 * MOST_RUSHES }, (_, place) => addressOf(MOST_VISITORS + place));
    const office = await signIn(fleet.siteUrl, fleet.officeName);
    const endStaff = startStaff(office);
    const before = await rush(rushing.slice(0, RUSH), addresses.slice(0, MOST_RUSHES), fleet);
    const endCrowd = startCrowd(fleet, visitors, pace);
    await pause(CALM_MS);
    const storm = new Storm(fleet);
    const { events, workerEnds } = await disturb(fleet, storm, kills, say);
    // Until an app has reconnected to Redis, it counts in its own memory.
    await pause(RECONNECT_MS);
    const after = await rush(rushing.slice(RUSH), addresses.slice(MOST_RUSHES), fleet);
    const met = await endCrowd();
    const staff = await endStaff();
    say('Nobody comes any more; waiting for the letters …');
    endWalks();
    const verdict = new Verdict();
    if (!(await quiet.until(fleet.sandbox.clock.now(), SETTLE_TIMEOUT_MS)))
      verdict.problems.push('the site did not come to rest');
    const walks = walksIn(fleet.workers, workerEnds);
    await judgeRecord(storm, verdict);
    const registrants = [before, met, after].flatMap((part) => part.registrants);
    await judge(fleet, { registrants, faults: storm.happened, office }, verdict);
    verdict.problems.push(
      ...[before, met, after].flatMap((part) => part.problems),
      ...unexplained(staff.failures, storm.happened),
      ...overlapping(walks),
      ...untaken(fleet.webhooks),
    );
    const refused = before.refused + after.refused;
    const rows: Row[] = [
      ...verdict.rows(),
      ['Pages', met.pages.length],
      ['Refused by the limit of an address', refused],
      ['Deliveries of events', fleet.webhooks.length],
      ['Walks', walks.length],
      ['  by so many workers', new Set(walks.map(({ worker }) => worker)).size],
      ['Pages of the office in one session', staff.pages],
    ];
    const { problems } = verdict;
    return {
      ...{ verdict, refused, walks, problems, logLines: [...fleet.lines, ...fleet.proxyLines] },
      report: [table(rows), table(eventRows(events, met.pages, registrants)), verdictOf(problems)].join('\n'),
    };
  } finally {
    endWalks();
    await quiet.close();
    await fleet.close();
  }
}

/**
 * Replaces all apps and workers one after the other, then kills each of them, the worker that walks, and Redis, and starts
 * them again.
 */
async function disturb(
  fleet: Fleet,
  storm: Storm,
  kills: { apps: number; workers: number },
  say: (sentence: string) => void,
): Promise<{ events: FleetEvent[]; workerEnds: WorkerEnd[] }> {
  const { apps, workers } = fleet;
  const events: FleetEvent[] = [];
  const workerEnds: WorkerEnd[] = [];
  const ended = (worker: Service): void => void workerEnds.push({ worker, atMs: Date.now() });
  const kill = async (worker: Service, at?: 'mail'): Promise<void> => {
    const how = { service: worker, lastsMs: AWAY_MS, ...(at && { at, anywayAfterMs: LONGEST_WAIT_MS }) };
    await storm.strike('worker-killed', how);
    // It was dead by then, and not started again yet.
    workerEnds.push({ worker, atMs: (storm.happened.at(-1)?.fromMs ?? 0) + AWAY_MS / 2 });
  };
  const acts: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'Each app is replaced',
      async () => {
        for (const app of apps) {
          await app.stop();
          await app.start();
        }
      },
    ],
    [
      'Each worker is replaced',
      async () => {
        for (const worker of workers) {
          await worker.stop();
          ended(worker);
          await worker.start();
        }
      },
    ],
    [
      'Apps are killed, while somebody registers',
      async () => {
        for (const service of apps.slice(0, kills.apps)) {
          const at = { at: 'register', anywayAfterMs: LONGEST_WAIT_MS } as const;
          await storm.strike('app-killed', { service, lastsMs: AWAY_MS, ...at });
        }
      },
    ],
    [
      'Workers are killed, while a letter is sent',
      async () => {
        for (const worker of workers.slice(0, kills.workers)) await kill(worker, 'mail');
      },
    ],
    [
      'The worker that walks is killed',
      async () => {
        await kill(await walkerOf(fleet, workerEnds));
        // Wait until another worker has picked up its walk.
        await walkerOf(fleet, workerEnds);
      },
    ],
    ['Redis is killed', () => storm.strike('redis-killed', { lastsMs: REDIS_AWAY_MS })],
  ];
  for (const [what, act] of acts) {
    say(`${what} …`);
    const fromMs = Date.now();
    await act();
    events.push({ what, fromMs, untilMs: Date.now() });
  }
  return { events, workerEnds };
}

/** The worker that walks, as soon as one does. */
async function walkerOf({ workers }: Fleet, ends: readonly WorkerEnd[]): Promise<Service> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  while (Date.now() < deadline) {
    const now = walksIn(workers, ends).find(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY);
    const walker = now && workers[now.worker];
    if (walker) return walker;
    await pause(POLL_MS);
  }
  throw new Error(`No worker has walked for ${LONGEST_WAIT_MS / 1000} s`);
}

/** Failed pages that no fault explains. The list is in Redis: while Redis is away, its page answers 503. */
function unexplained(failures: readonly PageFailure[], faults: readonly Happened[]): string[] {
  const away = faults.filter(({ kind }) => kind === 'redis-killed');
  return failures.flatMap(({ atMs, status }) => {
    const isAway = away.some(
      ({ fromMs, untilMs }) => fromMs - RECONNECT_MS <= atMs && atMs <= untilMs + RECONNECT_MS,
    );
    return isAway && status === 503 ? [] : [`A page of the office was answered with ${status}`];
  });
}

/** The events of Stripe that no app has accepted; Stripe repeats those that met a killed app, or an app without Redis. */
function untaken(lines: readonly string[]): string[] {
  const answers = new Map<string, string>();
  for (const line of lines) {
    const [, event, answer] = /^webhook (\S+ \S+) -> (.*?)(?: \(attempt \d+\))?$/.exec(line) ?? [];
    if (event && answer) answers.set(event, answer);
  }
  return [...answers].flatMap(([event, answer]) =>
    answer.startsWith('2') ? [] : [`${event} was not taken: ${answer}`],
  );
}

function eventRows(events: readonly FleetEvent[], pages: readonly Timed[], begun: readonly Timed[]): Row[] {
  const calm = { what: 'Before', fromMs: 0, untilMs: events[0]?.fromMs ?? 0 };
  const rows = [calm, ...events].map(({ what, fromMs, untilMs }): Row => {
    const figures = [pages, begun].flatMap((timed) => {
      const within = timed.filter(({ atMs }) => fromMs <= atMs && atMs < untilMs);
      const [, p99, slowest] = latencies(within.map(({ latencyMs }) => latencyMs));
      return [within.length, p99, slowest];
    });
    return [what, what === 'Before' ? '–' : ((untilMs - fromMs) / 1000).toFixed(1), ...figures];
  });
  return [['', 'seconds', 'pages', 'p99 ms', 'slowest', 'regs', 'p99 ms', 'slowest'], ...rows];
}
