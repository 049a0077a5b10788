import { setTimeout as pause } from 'node:timers/promises';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { Verdict } from '#scripts/drills/oracle/count.ts';
import { perform } from '#scripts/drills/stage/lives.ts';
import { signIn, support } from '#scripts/drills/stage/office.ts';
import { openStage, type Stage } from '#scripts/drills/stage/stage.ts';
import {
  FAULTS,
  type FaultKind,
  inRegister,
  type Moment,
  PROBED_MS,
  type Storm,
} from '#scripts/drills/stage/storm.ts';
import { lookAtPage, unexplained, watch } from '#scripts/drills/watch.ts';
import { until } from '#scripts/product/child.ts';
import { drawVisitors } from '#scripts/world/people.ts';
import { between, createRandom, type Random, shuffled } from '#scripts/world/random.ts';
import { registerOnPostgres } from './on-postgres.ts';
import { dieAtEachStep } from './steps.ts';

const EVERY_MS = 160;
const SHORTEST_STORM_MS = 16_000;
const REGISTRATIONS_PER_ROUND = 250;

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
    ['register-locked'],
    ['register-full'],
    ['register-read-only'],
  ],
  [['smtp-refused'], ['smtp-hangs'], ['smtp-4xx'], ['smtp-5xx'], ['smtp-drops'], ['smtp-cuts']],
];
const LARGEST_SHARE = 0.125;
/** A hanging mail server and a locked register get three times as much of the time as another fault. */
const shareOf = (kind: FaultKind): number => (/hangs|locked/.test(kind) ? 3 : 1);
const LOOK_EVERY_MS = 200;
/** How long the page may take: less than a request waits for the register. */
const LOOK_MS = 4_000;
const STARTS_MS = 3_000;
/** How long visitors come between a copy of the register and its restoration, and until it is confirmed. */
const RESTORED_MS = 3_000;

/** Draws when each fault happens, from the beginning of the storm: each once in each round. */
function planFaults(random: Random, { rounds, spanMs }: { rounds: number; spanMs: number }) {
  return LANES.map((lane) => {
    const order = Array.from({ length: rounds }, () => shuffled(random, lane)).flat();
    const shares = order.reduce((sum, [kind]) => sum + shareOf(kind), 0);
    let slotStartMs = 0;
    return order.map(([kind, at]) => {
      const slotMs = (spanMs * shareOf(kind)) / shares;
      const longestMs = Math.min(FAULTS[kind].longestMs, spanMs * LARGEST_SHARE);
      const lastsMs = Math.round(Math.min(slotMs * between(random, 0.5, 0.75), longestMs));
      const startMs = slotStartMs + (slotMs - lastsMs) * random();
      slotStartMs += slotMs;
      return { kind, startMs, lastsMs, ...(at && { at }) };
    });
  });
}

/** Lets visitors register while faults happen, waits for the recovery, and judges the result. */
export async function runChaos(options: DrillRun & { registrations: number }) {
  const { registrations, seed, folder, say } = options;
  const random = createRandom(seed);
  const visitors = drawVisitors(random, registrations);
  const verdict = new Verdict();
  say('Building and starting the product …');
  let seen = 0;
  const rounds = Math.max(1, Math.round(registrations / REGISTRATIONS_PER_ROUND));
  const isLong = rounds > 1;
  const stage = await openStage({ folder, random });
  await perform(stage, visitors, verdict, async (lives, storm) => {
    const spanMs = Math.max(SHORTEST_STORM_MS, registrations * EVERY_MS);
    const lanes = planFaults(random, { rounds, spanMs });
    const allMs = spanMs + 4 * RESTORED_MS + (isLong ? PROBED_MS : 0);
    say(
      `${registrations} registrations in ${Math.round(allMs / 1000)} s, and ${lanes.flat().length} faults …`,
    );
    const arriving = lives.arrive(visitors, allMs / registrations, { random });
    seen = await whilePageIsRead(storm, verdict, async () => {
      await Promise.all(lanes.map((lane) => runLane(lane, storm)));
      say('The register is restored from a copy …');
      await storm.strike('register-restored', { lastsMs: RESTORED_MS });
      await confirmRestored(storm, verdict);
      if (isLong) {
        say('The register is read-only until the status page says so …');
        await Promise.all([
          storm.strike('register-read-only', { lastsMs: PROBED_MS }),
          readStatus(stage, verdict),
          registerOnPostgres(options, verdict),
        ]);
      }
      await arriving;
    });
    say('Everything runs again; waiting for the mails …');
    const recover = () => lives.recover().then(() => lives.loseRedis(storm.happened));
    await Promise.all([recover(), ...(isLong ? [dieAtEachStep(options, verdict)] : [])]);
    await inRegister(stage, async (file) => {
      const damaged = ['integrity_check', 'foreign_key_check'].flatMap((check) =>
        file.prepare(`pragma ${check}`).all(),
      );
      if (damaged.length !== 1) verdict.problems.push(`The register is damaged: ${JSON.stringify(damaged)}`);
    });
  });
  return verdict.outcome([['Pages', seen]]);
}

/** Opens the page again and again meanwhile, and returns how often; it has to be there in time while the app runs. */
async function whilePageIsRead({ stage, happened }: Storm, verdict: Verdict, work: () => Promise<void>) {
  const over = new AbortController();
  const watching = watch(() => lookAtPage(stage.siteUrl, LOOK_MS), LOOK_EVERY_MS, over.signal);
  await work().finally(() => over.abort());
  const { served, failures } = await watching;
  const explains = { kinds: ['app-killed', 'register-restored'], aroundMs: STARTS_MS } as const;
  for (const what of unexplained(failures, happened, explains))
    verdict.problems.push(`The page was not answered in time: ${what}`);
  return served;
}

/** Confirms a register that was restored, as support does once the worker has read Stripe; until then no letter goes out. */
async function confirmRestored({ stage }: Storm, verdict: Verdict): Promise<void> {
  const { mails } = stage.mailServer;
  const sent = mails.length;
  await until('the worker has read Stripe', () =>
    inRegister(stage, async (file) => {
      const row = file.prepare('select reconciled_at is not null as so from register').get();
      return row?.so === 1;
    }),
  );
  await pause(RESTORED_MS);
  if (mails.length > sent)
    verdict.problems.push('Letters went out before the restored register was confirmed');
  await support(['restored', '--by', 'Ada'], stage);
}

/** While the register cannot be written, the office sees it. */
async function readStatus({ opsUrl }: Stage, verdict: Verdict): Promise<void> {
  await pause(PROBED_MS - LOOK_MS);
  const { text } = await (await signIn(opsUrl, undefined, 'support')).open('/status');
  if (!text.includes('The register cannot be used'))
    verdict.problems.push('The status page does not say that the register cannot be written');
}

/** Runs the faults of one lane at their times from now, each over before the next. */
async function runLane(lane: ReturnType<typeof planFaults>[number], storm: Storm): Promise<void> {
  const beginMs = Date.now();
  for (const { kind, at, startMs, lastsMs } of lane) {
    await pause(Math.max(0, beginMs + startMs - Date.now()));
    await storm.strike(kind, { lastsMs, ...(at && { at, anywayAfterMs: lastsMs }) });
  }
}
