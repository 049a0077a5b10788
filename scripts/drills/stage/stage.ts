import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { type Environment, noLimits } from '#scripts/product/environment.ts';
import { startMailServer } from '#scripts/product/mail-server.ts';
import { type ProductOptions, prepareProduct } from '#scripts/product/product.ts';
import { connect, startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Random } from '#scripts/world/random.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { nextMoment } from '#shared/content/moments.ts';
import { Notes } from './notes.ts';
import { StripeTroubles } from './stripe-troubles.ts';

/** A process that lost its connection to the sandbox's clock opens it again within a second. */
const SITE_LAG_MS = 2_000;

const REDELIVERY_DELAYS_MS = [500, 1_000, 2_000];

/** The running product, what it works with, and what the drill notes of what comes out of it. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

export interface StageOptions extends Pick<ProductOptions, 'apps' | 'workers' | 'proxy' | 'nodeArgs'> {
  folder: string;
  env?: Environment;
  /** Draws what fails at Stripe, once something is to fail. */
  random: Random;
  /** By default this version's. */
  build?: string;
  /** The business time at the start, which can be moved then; by default it is the machine's. */
  startsAt?: number;
  /** How long Stripe takes to make a payment, and to list payments. */
  stripeMs?: number;
}

/** Builds the product if need be and starts it, with a Redis, a payment sandbox and a mail server of its own. */
export async function openStage(options: StageOptions) {
  const { folder, random, build = 'dist', startsAt, stripeMs = 0, env, ...fleet } = options;
  await buildWhenStale('production', 'dist');
  const moments = new EventEmitter();
  const notes = new Notes();
  /** How often which fault happened. */
  const met = new Map<string, number>();
  const count = (what: string) => void met.set(what, (met.get(what) ?? 0) + 1);
  const troubles = new StripeTroubles(random, moments, count);
  const webhooks: string[] = [];
  const sandbox = await startSandbox({
    redeliveryDelaysMs: REDELIVERY_DELAYS_MS,
    ...(startsAt !== undefined && { startsAt: new Date(startsAt) }),
    nextMoment: (now) => nextMoment([edition], now),
    log(line) {
      if (line.startsWith('webhook')) webhooks.push(line);
      else moments.emit('answer');
    },
    deliver(event) {
      notes.event(event);
      return troubles.deliver();
    },
    async intercept(request) {
      notes.request(request);
      moments.emit('request');
      const fault = troubles.faultOf(request);
      if (stripeMs > 0 && request.path === '/v1/payment_intents') await pause(stripeMs);
      return fault;
    },
  });
  const copies = join(folder, 'copies');
  const mailServer = await startMailServer();
  notes.follow(mailServer, sandbox.clock);
  mailServer.events.on('mail', () => moments.emit('mail'));
  const product = await prepareProduct({
    build,
    folder,
    sandbox,
    mailServer,
    ...fleet,
    env: {
      ...noLimits,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'debug',
      MAIL_PER_SECOND: '200',
      BACKUP_DIR: copies,
      // A movable business date is refused in production.
      ...(startsAt !== undefined && { NODE_ENV: 'development', CLOCK: 'sandbox', REGISTRATION: 'auto' }),
      ...env,
    },
  });
  await product.start();
  const lastMove = { before: 0, atMs: Number.NEGATIVE_INFINITY };
  return {
    ...product,
    sandbox,
    stripe: connect(sandbox),
    mailServer,
    build,
    notes,
    troubles,
    met,
    count,
    /** Where the worker keeps copies of the register. */
    copies,
    /**
     * Emits what is under way and not answered yet: `mail`, `consent` when a visitor sends hers, each `request` to Stripe, and
     * the steps of `StripeTroubles`; and `answer` once Stripe has answered.
     */
    moments,
    /** The sandbox's log line for each attempt to deliver a webhook. */
    webhooks,
    /** Moves the business clock, unless it is later already. */
    moveTo(ms: number): void {
      if (ms <= sandbox.clock.now()) return;
      Object.assign(lastMove, { before: sandbox.clock.now(), atMs: performance.now() });
      sandbox.clock.moveTo(new Date(ms));
      notes.noteMove();
    },
    /** The earliest business time by which the site may go now: it learns a moment later that the clock was moved. */
    siteTime: (): number =>
      performance.now() - lastMove.atMs < SITE_LAG_MS ? lastMove.before : sandbox.clock.now(),
  };
}
