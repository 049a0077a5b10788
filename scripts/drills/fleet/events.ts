import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Happened } from '#scripts/drills/chaos/faults.ts';
import type { Service } from '#scripts/product/product.ts';
import type { Fleet } from './stage.ts';
import { type WorkerEnd, walksIn } from './walks.ts';

const AWAY_MS = 1_000;
const REDIS_AWAY_MS = 3_000;
const POLL_MS = 10;

/**
 * Another worker picks up a killed worker's walk once its lock has expired and this is noticed: ten seconds
 * each. The rest is for slow machines.
 */
const LONGEST_WAIT_MS = 120_000;

/** How many are killed, in addition to the worker that walks; by default all. */
export interface Kills {
  apps: number;
  workers: number;
}

/** Something that was done to the fleet, in milliseconds since the epoch. */
export interface FleetEvent {
  what: string;
  fromMs: number;
  untilMs: number;
}

/** All that was done to a fleet. */
export interface Events {
  events: readonly FleetEvent[];
  /** The faults after which a letter may come twice. */
  faults: readonly Happened[];
  workerEnds: readonly WorkerEnd[];
}

/**
 * Replaces all apps and workers one after the other, then kills each of them, the worker that walks, and Redis, and
 * starts them again.
 */
export async function disturb(
  fleet: Fleet,
  say: (sentence: string) => void,
  kills: Kills = { apps: fleet.apps.length, workers: fleet.workers.length },
): Promise<Events> {
  const { apps, workers, redis, stripeEvents, sink } = fleet;
  const events: FleetEvent[] = [];
  const faults: Happened[] = [];
  const workerEnds: WorkerEnd[] = [];
  const during = async (what: string, act: () => Promise<void>): Promise<FleetEvent> => {
    say(`${what} …`);
    const fromMs = Date.now();
    await act();
    const event = { what, fromMs, untilMs: Date.now() };
    events.push(event);
    return event;
  };
  const kill = async (kind: Happened['kind'], service: Service, awayMs = AWAY_MS): Promise<void> => {
    const fromMs = Date.now();
    await service.kill();
    if (kind === 'worker-killed') endOf(service);
    await pause(awayMs);
    await service.start();
    faults.push({ kind, fromMs, untilMs: Date.now() });
  };
  const endOf = (service: Service): void => {
    workerEnds.push({ worker: service, atMs: Date.now() });
  };

  await during('Each app is replaced', async () => {
    for (const app of apps) {
      await app.stop();
      await app.start();
    }
  });
  await during('Each worker is replaced', async () => {
    for (const worker of workers) {
      await worker.stop();
      endOf(worker);
      await worker.start();
    }
  });
  await during('Apps are killed, while somebody registers', async () => {
    for (const app of apps.slice(0, kills.apps)) {
      await nextOf(stripeEvents, 'intent');
      await kill('app-killed', app);
    }
  });
  await during('Workers are killed, while a letter is sent', async () => {
    for (const worker of workers.slice(0, kills.workers)) {
      await nextOf(sink.events, 'mail');
      await kill('worker-killed', worker);
    }
  });
  await during('The worker that walks is killed', async () => {
    const walker = await walkerOf(fleet, workerEnds);
    await kill('worker-killed', walker);
    // Wait until another worker has picked up its walk.
    await walkerOf(fleet, workerEnds);
  });
  await during('Redis is killed', () => kill('redis-killed', redis, REDIS_AWAY_MS));
  return { events, faults, workerEnds };
}

async function nextOf(events: Fleet['stripeEvents'], name: string): Promise<void> {
  await once(events, name, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) });
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
