import type { Random } from '#scripts/drills/chaos/plan-faults.ts';
import { type SmtpSink, startSmtpSink } from '#scripts/drills/chaos/smtp-sink.ts';
import { type OpenProduct, openProduct } from '#scripts/drills/open-product.ts';
import type { Child } from '#scripts/product/child.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { startServer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { type Sandbox, startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';
import { Bounces } from './bounces.ts';
import { onSale } from './editions.ts';
import { Ledger } from './ledger.ts';
import { StripeTroubles } from './stripe-troubles.ts';
import { MAIL_EVENTS_SECRET } from './tell-bounce.ts';

const REDELIVERY_DELAYS_MS = [500, 1_000, 2_000];

/** Everything that a year uses. */
export interface YearStage extends OpenProduct {
  sandbox: Sandbox;
  sink: SmtpSink;
  ledger: Ledger;
  troubles: StripeTroubles;
  bounces: Bounces;
  /** Moves the business clock, unless it is later already. */
  moveTo(ms: number): void;
  /** Starts another worker beside the first. */
  startSecondWorker(): Promise<Child>;
  secondLines: readonly string[];
}

/**
 * Starts the product, with its business date on the first day of the year.
 * @param build the folder that it was built in
 */
export async function openYear(folder: string, random: Random, build: string): Promise<YearStage> {
  const ledger = new Ledger();
  const troubles = new StripeTroubles(random);
  const sandbox = await startSandbox({
    redeliveryDelaysMs: REDELIVERY_DELAYS_MS,
    startsAt: new Date(onSale.moments.opens),
    nextMoment: (now) => nextMoment([edition], now),
    deliver(event) {
      ledger.event(event);
      return troubles.deliver(event);
    },
    intercept(request) {
      ledger.request(request);
      return troubles.faultOf(request);
    },
  });
  const sink = await startSmtpSink(await findFreePort());
  ledger.follow(sink, sandbox.clock);
  // A movable business date is refused in production.
  const product = await openProduct({
    build,
    folder,
    sandbox,
    mailServer: sink,
    env: {
      ...noLimits,
      ...{ NODE_ENV: 'development', CLOCK: 'sandbox', REGISTRATION: 'auto' },
      ...{ LOG_LEVEL: 'debug', MAIL_PER_SECOND: '200', MAIL_CONCURRENCY: '10', MAIL_EVENTS_SECRET },
    },
  });
  const secondLines: string[] = [];
  return {
    ...product,
    ...{ sandbox, sink, ledger, troubles, secondLines },
    bounces: new Bounces({ sink, ledger, clock: sandbox.clock, siteUrl: product.siteUrl }),
    moveTo(ms) {
      if (ms <= sandbox.clock.now()) return;
      sandbox.clock.moveTo(new Date(ms));
      ledger.noteMove();
    },
    startSecondWorker: async () =>
      startServer('worker', {
        build,
        env: { ...product.env, OPS_PORT: String(await findFreePort()) },
        onLine: (line) => void secondLines.push(line),
      }),
  };
}
