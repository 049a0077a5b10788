import { setTimeout as pause } from 'node:timers/promises';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { Verdict } from '#scripts/drills/oracle/count.ts';
import { perform } from '#scripts/drills/stage/lives.ts';
import { openStage } from '#scripts/drills/stage/stage.ts';
import { FAULTS, type FaultKind, type Moment, type Storm } from '#scripts/drills/stage/storm.ts';
import { drawVisitors } from '#scripts/world/people.ts';
import { between, createRandom, type Random, shuffled } from '#scripts/world/random.ts';

const EVERY_MS = 240;
const SHORTEST_STORM_MS = 16_000;
const REGISTRATIONS_PER_ROUND = 150;

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

/** Draws when each fault happens, from the beginning of the storm: each once in each round. */
function planFaults(random: Random, { rounds, spanMs }: { rounds: number; spanMs: number }) {
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

/** Lets visitors register while faults happen, waits for the recovery, and judges the result. */
export async function runChaos({ registrations, seed, folder, say }: DrillRun & { registrations: number }) {
  const random = createRandom(seed);
  const visitors = drawVisitors(random, registrations);
  const verdict = new Verdict();
  say('Building and starting the product …');
  await perform(await openStage({ folder, random }), visitors, verdict, async (lives, storm) => {
    const spanMs = Math.max(SHORTEST_STORM_MS, registrations * EVERY_MS);
    const rounds = Math.max(1, Math.round(registrations / REGISTRATIONS_PER_ROUND));
    const lanes = planFaults(random, { rounds, spanMs });
    const seconds = Math.round(spanMs / 1000);
    say(`${registrations} registrations and ${lanes.flat().length} faults in ${seconds} s …`);
    await Promise.all([
      lives.arrive(visitors, spanMs / registrations, { random }),
      ...lanes.map((lane) => runLane(lane, storm)),
    ]);
    say('Everything runs again; waiting for the mails …');
    await lives.recover();
    await lives.loseRedis();
  });
  return verdict.outcome();
}

/** Runs the faults of one lane at their times from now, each over before the next. */
async function runLane(lane: ReturnType<typeof planFaults>[number], storm: Storm): Promise<void> {
  const beginMs = Date.now();
  for (const { kind, at, startMs, lastsMs } of lane) {
    await pause(Math.max(0, beginMs + startMs - Date.now()));
    await storm.strike(kind, { lastsMs, ...(at && { at, anywayAfterMs: lastsMs }) });
  }
}
