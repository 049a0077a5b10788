import { type EventEmitter, once } from 'node:events';
import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '#scripts/product/product.ts';
import type { FaultKind, Lane, PlannedFault } from './plan-faults.ts';
import type { SmtpTrouble } from './smtp-sink.ts';
import type { Stage } from './stage.ts';

const LONGEST_WAIT_MS = 3_000;
const LAST_SECOND_MS = 1_000;

/** A fault that happened, in milliseconds since the epoch. */
export interface Happened {
  kind: FaultKind;
  fromMs: number;
  untilMs: number;
}

/** Runs the faults of one lane at their times from now, each undone before the next. */
export async function runLane(lane: Lane, stage: Stage): Promise<Happened[]> {
  const beginMs = Date.now();
  const happened: Happened[] = [];
  for (const fault of lane) {
    await pause(Math.max(0, beginMs + fault.startMs - Date.now()));
    await inTheMiddle(fault, stage);
    const fromMs = Date.now();
    await inject(fault, stage);
    happened.push({ kind: fault.kind, fromMs, untilMs: Date.now() });
  }
  return happened;
}

/**
 * Worker and app are killed where it hurts most: before a mail's OK arrives, between customer and payment, and before
 * the answer that a consent is recorded.
 */
async function inTheMiddle({ kind, lastsMs }: PlannedFault, { sink, stripeEvents }: Stage): Promise<void> {
  if (kind === 'worker-killed') await nextEvent(sink.events, 'mail', lastsMs);
  if (kind === 'app-killed') await nextEvent(stripeEvents, 'intent', lastsMs);
  if (kind === 'app-killed-at-consent') await nextEvent(stripeEvents, 'consent', lastsMs);
}

async function nextEvent(events: EventEmitter, name: string, withinMs: number): Promise<void> {
  await once(events, name, { signal: AbortSignal.timeout(withinMs) }).catch(() => undefined);
}

async function inject({ kind, lastsMs }: PlannedFault, stage: Stage): Promise<void> {
  switch (kind) {
    case 'redis-killed':
      return killFor(stage.redis, lastsMs);
    case 'redis-forgets':
      return killAndLoseLastSecond(stage, lastsMs);
    case 'worker-killed':
      return killFor(stage.worker, lastsMs);
    case 'app-killed':
    case 'app-killed-at-consent':
      return killFor(stage.app, lastsMs);
    case 'redis-frozen':
      return freezeFor(stage.redis, lastsMs);
    default:
      return trouble(kind, stage, lastsMs);
  }
}

async function killFor(service: Service, lastsMs: number): Promise<void> {
  await service.kill();
  await pause(lastsMs);
  await service.start();
}

/** Simulates a power cut: Redis loses what was not on disk yet, its last second. */
async function killAndLoseLastSecond({ redis, redisFolder }: Stage, lastsMs: number): Promise<void> {
  const forget = await rememberFile(redisFolder);
  await pause(LAST_SECOND_MS);
  await redis.kill();
  await forget();
  await pause(lastsMs);
  await redis.start();
}

async function freezeFor(service: Service, lastsMs: number): Promise<void> {
  service.freeze();
  await pause(lastsMs);
  service.thaw();
}

/** A trouble that has affected no mail yet is prolonged for a while. */
async function trouble(kind: SmtpTrouble, { sink }: Stage, lastsMs: number): Promise<void> {
  const metBefore = sink.met(kind);
  await sink.apply(kind);
  await pause(lastsMs);
  if (kind !== 'smtp-refused' && sink.met(kind) === metBefore) {
    await nextEvent(sink.events, 'met', LONGEST_WAIT_MS);
  }
  await sink.apply(undefined);
}

/** The file that Redis appends to, by its name in Redis 7 and before it. */
const APPENDED = /(incr\.aof|appendonly\.aof)$/;

/**
 * Remembers how much Redis has written by now, and returns a function that removes everything written after
 * it.
 */
async function rememberFile(folder: string): Promise<() => Promise<void>> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => APPENDED.test(name)).map((name) => join(folder, name));
  const files = await Promise.all(paths.map(async (path) => ({ path, stats: await stat(path) })));
  return async () => {
    for (const { path, stats } of files) if (stats.isFile()) await truncate(path, stats.size);
  };
}
