import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Happened } from '#scripts/drills/chaos/faults.ts';
import type { FaultKind } from '#scripts/drills/chaos/plan-faults.ts';
import type { SmtpTrouble } from '#scripts/drills/chaos/smtp-sink.ts';
import type { YearStage } from './stage.ts';
import type { EventTrouble, MoneyStep } from './stripe-troubles.ts';

const EVENT_TIMEOUT_MS = 8_000;
const SHORT_MS = 1_000;
const FROZEN_MS = 3_000;

/**
 * Causes faults, and records them: `happened` for what they may explain, `counts` for how often they
 * happened.
 */
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

  /**
   * Kills the worker while it waits for Stripe's answer to a step; does nothing if the worker does not reach
   * the step.
   */
  killWorkerAt(step: MoneyStep): Promise<void> {
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

  /** Simulates the loss of Redis's machine: another one starts with an empty disk. */
  wipeRedis(): Promise<void> {
    const { redis, redisFolder } = this.stage;
    return this.record('Redis wiped', 'redis-forgets', async () => {
      await redis.kill();
      for (const name of await readdir(redisFolder)) await rm(join(redisFolder, name), { recursive: true });
      await redis.start();
    });
  }

  mailTrouble(kind: SmtpTrouble, lastsMs: number): Promise<void> {
    return this.record(`SMTP: ${kind}`, kind, async () => {
      await this.stage.sink.apply(kind);
      await pause(lastsMs);
      await this.stage.sink.apply(undefined);
    });
  }

  /** Runs a second worker for as long as `work` takes. */
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
