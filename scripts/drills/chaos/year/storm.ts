import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Happened } from '../faults.ts';
import type { FaultKind } from '../plan-faults.ts';
import type { SmtpTrouble } from '../smtp-sink.ts';
import { moments } from './lives.ts';
import type { YearStage } from './stage.ts';
import { CHARGE_STEPS, type ChargeStep, type EventTrouble } from './stripe-troubles.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const EVENT_TIMEOUT_MS = 8_000;
const SHORT_MS = 1_000;
const FROZEN_MS = 3_000;

/** Something that goes wrong once the clock stands at a moment; over when it resolves, unless it is ended later. */
export interface Scene {
  at: number;
  name: string;
  play(storm: Storm): Promise<void>;
}

/** What went wrong so far, by what it may explain, and how often. */
export class Storm {
  readonly happened: Happened[] = [];
  readonly counts = new Map<string, number>();
  readonly stage: YearStage;

  constructor(stage: YearStage) {
    this.stage = stage;
  }

  async record(name: string, kind: FaultKind | undefined, fault: () => Promise<void>): Promise<void> {
    const fromMs = Date.now();
    await fault();
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (kind) this.happened.push({ kind, fromMs, untilMs: Date.now() });
  }

  /** Kills the worker while it waits for Stripe's answer to a step of a charge; nothing where it makes none. */
  killWorkerAt(step: ChargeStep): Promise<void> {
    return this.#killAt(step, 'worker', () => once(this.stage.troubles.steps, step, withinTime()));
  }

  /** Kills the worker before the mail server's OK arrives. */
  killWorkerAtMail(): Promise<void> {
    return this.#killAt('mail', 'worker', () => once(this.stage.sink.events, 'mail', withinTime()));
  }

  killApp(): Promise<void> {
    return this.#killAt('any moment', 'app', async () => {});
  }

  killRedis(): Promise<void> {
    const { redis } = this.stage;
    return this.record('Redis killed', 'redis-killed', async () => {
      await redis.kill();
      await pause(SHORT_MS);
      await redis.start();
    });
  }

  freezeRedis(): Promise<void> {
    const { redis } = this.stage;
    return this.record('Redis frozen', 'redis-frozen', async () => {
      redis.freeze();
      await pause(FROZEN_MS);
      redis.thaw();
    });
  }

  /** Its machine is lost, and another begins with an empty disk. */
  wipeRedis(): Promise<void> {
    const { redis, redisFolder } = this.stage;
    return this.record('Redis wiped', 'redis-forgets', async () => {
      await redis.kill();
      for (const name of await readdir(redisFolder)) await rm(join(redisFolder, name), { recursive: true });
      await redis.start();
    });
  }

  /** Somebody empties it, and nobody's connection ends. */
  flushRedis(): Promise<void> {
    return this.record('Redis emptied', 'redis-forgets', async () => {
      const redis = new Redis(this.stage.redisUrl);
      await redis.flushall();
      redis.disconnect();
    });
  }

  mailTrouble(kind: SmtpTrouble, lastsMs: number): Promise<void> {
    return this.record(`SMTP: ${kind}`, kind, async () => {
      await this.stage.sink.apply(kind);
      await pause(lastsMs);
      await this.stage.sink.apply(undefined);
    });
  }

  /** A second worker for as long as something else happens. */
  async withSecondWorker(work: () => Promise<void>): Promise<void> {
    const second = await this.stage.startSecondWorker();
    this.counts.set('two workers', (this.counts.get('two workers') ?? 0) + 1);
    try {
      await work();
    } finally {
      await second.stop();
    }
  }

  events(trouble: EventTrouble | undefined): void {
    this.stage.troubles.troubleEvents(trouble);
  }

  async #killAt(what: string, who: 'app' | 'worker', moment: () => Promise<unknown>): Promise<void> {
    if (
      !(await moment().then(
        () => true,
        () => false,
      ))
    )
      return;
    const service = this.stage[who];
    await this.record(`${who} killed: ${what}`, `${who}-killed`, async () => {
      await service.kill();
      await service.start();
    });
  }
}

const withinTime = () => ({ signal: AbortSignal.timeout(EVENT_TIMEOUT_MS) });

const { opens, notice, reminder, charge } = moments;

/** A request in so many fails at Stripe, in a percentage. */
const LIGHT = 12;
const HEAVY = 25;

/** What goes wrong, and when; around the moments of the balance most of all. */
export const SCENES: readonly Scene[] = [
  scene(opens + 2 * DAY_MS, 'Stripe fails now and then', async ({ stage }) =>
    stage.troubles.failRequests(LIGHT),
  ),
  scene(opens + 3 * DAY_MS, 'app and worker die', async (storm) => {
    await Promise.all([storm.killApp(), storm.killWorkerAtMail()]);
  }),
  scene(opens + 4 * DAY_MS, 'events come twice', async (storm) => storm.events('doubled')),
  scene(opens + 6 * DAY_MS, 'events come in the wrong order', async (storm) => storm.events('reversed')),
  scene(notice, 'the worker dies in the notices, the mail server is slow', async (storm) => {
    await storm.killWorkerAtMail();
    await storm.mailTrouble('smtp-slow', 3_000);
    await storm.mailTrouble('smtp-cuts', SHORT_MS);
  }),
  scene(notice + 2 * DAY_MS, 'Redis dies', (storm) => storm.killRedis()),
  scene(reminder, 'Redis hangs, the mail server refuses for now', async (storm) => {
    await Promise.all([storm.freezeRedis(), storm.mailTrouble('smtp-4xx', SHORT_MS)]);
  }),
  scene(charge - 5 * HOUR_MS, 'no mail server, no events', noMailNoEvents),
  scene(charge, 'everything at the due minute', async (storm) => {
    storm.stage.troubles.failRequests(HEAVY);
    await storm.killWorkerAt('confirm');
    await storm.wipeRedis();
    // A walk whose worker died goes on once its lock is over; without Redis's memory another begins at once.
    for (const step of CHARGE_STEPS) {
      await storm.killWorkerAt(step);
      if (step !== 'try') await storm.wipeRedis();
    }
    await storm.withSecondWorker(() => storm.killWorkerAt('confirm'));
    storm.stage.troubles.failRequests(LIGHT);
  }),
  scene(charge + 20 * HOUR_MS, 'the mail server is back', async (storm) => {
    await storm.stage.sink.apply(undefined);
    storm.events(undefined);
  }),
  scene(charge + 26 * HOUR_MS, 'the worker dies in the second tries', async (storm) => {
    await Promise.all([storm.killWorkerAt('confirm'), storm.killApp()]);
    await storm.wipeRedis();
  }),
  scene(charge + 3 * DAY_MS, 'the mail server cuts', (storm) => storm.mailTrouble('smtp-cuts', SHORT_MS)),
  scene(charge + 5 * DAY_MS, 'events come in the wrong order', async (storm) => storm.events('reversed')),
  scene(charge + 10 * DAY_MS, 'the worker dies in a late charge', (storm) => storm.killWorkerAt('try')),
  scene(charge + 12 * DAY_MS, 'Redis dies', (storm) => storm.killRedis()),
  scene(charge + 16 * DAY_MS, 'events come twice', async (storm) => storm.events('doubled')),
  scene(charge + 20 * DAY_MS, 'all is calm', calm),
];

/** The same in little, for a small year: with a Redis that is wiped nobody waits for the lock of a dead worker. */
export const FEW_SCENES: readonly Scene[] = [
  scene(opens + 2 * DAY_MS, 'Stripe fails now and then, events come twice', async (storm) => {
    storm.stage.troubles.failRequests(LIGHT);
    storm.events('doubled');
  }),
  scene(notice, 'the worker dies in the notices, Redis is lost', async (storm) => {
    await storm.killWorkerAtMail();
    await storm.wipeRedis();
  }),
  scene(charge - 5 * HOUR_MS, 'no mail server, no events', noMailNoEvents),
  scene(charge, 'much at the due minute', async (storm) => {
    for (const step of ['confirm', 'decline'] as const) {
      await storm.killWorkerAt(step);
      await storm.wipeRedis();
    }
  }),
  scene(charge + 20 * HOUR_MS, 'the mail server is back, events come in the wrong order', async (storm) => {
    await storm.stage.sink.apply(undefined);
    storm.events('reversed');
  }),
  scene(charge + 2 * DAY_MS, 'all is calm', calm),
];

async function noMailNoEvents(storm: Storm): Promise<void> {
  await storm.stage.sink.apply('smtp-refused');
  storm.counts.set('SMTP: away over the due date', 1);
  storm.events('lost');
}

async function calm(storm: Storm): Promise<void> {
  storm.events(undefined);
  storm.stage.troubles.failRequests(0);
}

function scene(at: number, name: string, play: Scene['play']): Scene {
  return { at, name, play };
}
