import { setTimeout as pause } from 'node:timers/promises';
import { askForWalks } from '#scripts/drills/ask-for-walks.ts';
import type { Happened } from '#scripts/drills/chaos/faults.ts';
import { isSettled, judge } from '#scripts/drills/chaos/judge.ts';
import type { MailCount } from '#scripts/drills/chaos/judge-mails.ts';
import { createRandom } from '#scripts/drills/chaos/plan-faults.ts';
import { drawVisitors } from '#scripts/drills/chaos/visitors.ts';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { addressOf, type Pace, startCrowd, type Timed, type TimedVisit } from './crowd.ts';
import { disturb, type FleetEvent, type Kills } from './events.ts';
import { rush } from './limits.ts';
import { type PageFailure, startStaff } from './office.ts';
import { type Fleet, openFleet } from './stage.ts';
import { overlapping, type WalkSpan, walksIn } from './walks.ts';

/** More visitors than come in any run. */
const MOST_VISITORS = 10_000;
const RUSH = 12;
const MOST_RUSHES = 3;

const CALM_MS = 3_000;
const WALK_EVERY_MS = 300;
const SETTLE_TIMEOUT_MS = 90_000;
const POLL_MS = 250;

/** How long an app may take to reconnect to Redis. */
const RECONNECT_MS = 3_000;

interface FleetOptions extends DrillRun {
  apps: number;
  workers: number;
  kills?: Kills;
  /** How often somebody registers, and opens the page. */
  pace: Pace;
}

/** What came of a run. */
export interface FleetResult {
  events: readonly FleetEvent[];
  visits: readonly TimedVisit[];
  pages: readonly Timed[];
  officePages: number;
  refused: number;
  mails: MailCount;
  consents: { expected: number; recorded: number };
  walks: readonly WalkSpan[];
  webhooks: { events: number; attempts: number };
  logLines: readonly string[];
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/**
 * Replaces and kills all processes while visitors come at a constant rate, and judges what happened to the
 * visitors.
 */
export async function runFleet({
  apps,
  workers,
  kills,
  pace,
  seed,
  folder,
  say,
}: FleetOptions): Promise<FleetResult> {
  const visitors = drawVisitors(createRandom(seed), MOST_VISITORS + 2 * RUSH);
  say(`Starting ${apps} apps and ${workers} workers behind a proxy …`);
  const fleet = await openFleet(folder, { apps, workers });
  const asker = askForWalks(fleet.redisUrl, WALK_EVERY_MS);
  try {
    const [one, other] = [visitors.splice(0, RUSH), visitors.splice(0, RUSH)];
    const addresses = Array.from({ length: 2 * MOST_RUSHES }, (_, place) => addressOf(MOST_VISITORS + place));
    const staff = await startStaff(fleet);
    const before = await rush(one, addresses.splice(0, MOST_RUSHES), fleet);
    const crowd = startCrowd(fleet, visitors, pace);
    await pause(CALM_MS);
    const { events, faults, workerEnds } = await disturb(fleet, say, kills);
    // Until an app has reconnected to Redis, it counts in its own memory.
    await pause(RECONNECT_MS);
    const after = await rush(other, addresses, fleet);
    const met = await crowd.end();
    const office = await staff.end();
    say('Nobody comes any more; waiting for the letters …');
    const visits = [...before.visits, ...met.visits, ...after.visits];
    await untilSettled(fleet, visits);
    const { consents, mails, problems } = await judge(fleet, visits, faults);
    const walks = walksIn(fleet.workers, workerEnds);
    return {
      ...{ events, visits, pages: met.pages, officePages: office.pages, mails, consents, walks },
      refused: before.refused + after.refused,
      webhooks: countWebhooks(fleet.webhooks),
      logLines: [...fleet.lines, ...fleet.proxyLines],
      problems: [
        ...[met, before, after].flatMap((part) => part.problems),
        ...unexplained(office.failures, faults),
        ...overlapping(walks),
        ...untaken(fleet.webhooks),
        ...problems,
      ],
    };
  } finally {
    await asker.end();
    await fleet.close();
  }
}

/** Waits for the letters, for a limited time; the judge reports what is still missing then. */
async function untilSettled(fleet: Fleet, visits: readonly TimedVisit[]): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  while (Date.now() < deadline && !(await isSettled(fleet, visits))) await pause(POLL_MS);
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

const WEBHOOK = /^webhook (\S+ \S+) -> (.*?)(?: \(attempt \d+\))?$/;

function countWebhooks(lines: readonly string[]) {
  return { events: new Set(lines.map((line) => WEBHOOK.exec(line)?.[1])).size, attempts: lines.length };
}

/** The events that no app has accepted. */
function untaken(lines: readonly string[]): string[] {
  const answers = new Map(lines.map((line) => WEBHOOK.exec(line)?.slice(1, 3) ?? []) as [string, string][]);
  return [...answers].flatMap(([event, answer]) =>
    answer.startsWith('2') ? [] : [`${event} was not taken: ${answer}`],
  );
}
