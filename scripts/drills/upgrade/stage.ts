import { join } from 'node:path';
import type Stripe from 'stripe';
import * as v from 'valibot';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { type SmtpSink, startSmtpSink } from '#scripts/drills/chaos/smtp-sink.ts';
import type { Child } from '#scripts/product/child.ts';
import { environmentOf, noLimits } from '#scripts/product/environment.ts';
import { type ServerName, startServer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { connect, type Sandbox, startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { TERMS_MARK } from '#server/payments/terms-mark.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { buildEarlier } from './earlier-version.ts';

/** The version before the upgrade, or this one. */
export type Version = 'old' | 'new';

/** Which processes run: a name for each, such as `old app`. */
export type Cast = readonly `${Version} ${ServerName}`[];

/** What both versions share, and which of their processes run. */
export interface UpgradeStage {
  redisUrl: string;
  sandbox: Sandbox;
  stripe: Stripe;
  sink: SmtpSink;
  /** What all processes have written. */
  lines: readonly string[];
  /** Processes that ended by themselves. */
  crashes: readonly string[];
  /** The payments that consents were written to, each time they were. */
  consentWrites: readonly string[];
  /** The URLs of the apps that run. */
  siteUrls(): readonly string[];
  /**
   * Starts the processes of the cast that do not run yet, then stops all others; webhooks go to the last app
   * started.
   */
  change(cast: Cast): Promise<void>;
  close(): Promise<void>;
}

const REDELIVERY_DELAYS_MS = [500, 1_000, 2_000];
/**
 * The clock starts this long before the notice: so it comes, and then the charge, when the clock is moved.
 */
const BEFORE_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;
const consentSchema = v.object({ metadata: v.object({ [TERMS_MARK]: v.string() }) });

interface Running {
  child: Child;
  siteUrl?: string;
}

/** Builds both versions if need be, and starts what they work with: one Redis, one payment sandbox, one mail server. */
export async function openStage(folder: string): Promise<UpgradeStage> {
  await buildWhenStale('production', 'dist');
  const builds = { old: await buildEarlier(), new: 'dist' };
  const consentWrites: string[] = [];
  const sandbox = await startSandbox({
    redeliveryDelaysMs: REDELIVERY_DELAYS_MS,
    startsAt: new Date(Date.parse(facts.balance.noticeAt) - BEFORE_NOTICE_MS),
    intercept({ path, parameters }) {
      if (v.is(consentSchema, parameters)) consentWrites.push(path.slice(path.lastIndexOf('/') + 1));
      return undefined;
    },
  });
  const sink = await startSmtpSink(await findFreePort());
  const redisPort = await findFreePort();
  const redisUrl = `redis://127.0.0.1:${redisPort}`;
  const redis = await startRedis({ port: redisPort, folder: join(folder, 'redis') });
  const env = environmentOf(
    {
      siteUrl: `http://127.0.0.1:${await findFreePort()}`,
      ...{ redisUrl, smtpUrl: sink.url, stripeUrl: sandbox.url },
    },
    // A movable business date is refused in production.
    { ...noLimits, NODE_ENV: 'development', CLOCK: 'sandbox', MAIL_PER_SECOND: '200' },
  );
  const lines: string[] = [];
  const crashes: string[] = [];
  const running = new Map<Cast[number], Running>();

  async function start(member: Cast[number]): Promise<Running> {
    const version = member.startsWith('old ') ? 'old' : 'new';
    const [PORT, OPS_PORT] = [String(await findFreePort()), String(await findFreePort())];
    const name = member.endsWith('app') ? 'app' : 'worker';
    const child = await startServer(name, {
      build: builds[version],
      env: { ...env, PORT, OPS_PORT },
      onLine: (line) => void lines.push(line),
      onCrash: (sentence) => void crashes.push(`${version}: ${sentence}`),
    });
    return { child, ...(name === 'app' && { siteUrl: `http://127.0.0.1:${PORT}` }) };
  }
  const siteUrls = () => [...running.values()].flatMap(({ siteUrl }) => siteUrl ?? []);

  return {
    ...{ redisUrl, sandbox, stripe: connect(sandbox), sink, lines, crashes, consentWrites, siteUrls },
    async change(cast) {
      for (const member of cast) if (!running.has(member)) running.set(member, await start(member));
      const leaving = [...running].filter(([member]) => !cast.includes(member));
      for (const [member] of leaving) running.delete(member);
      const last = siteUrls().at(-1);
      if (last) sandbox.setWebhookUrl(`${last}${WEBHOOK_PATH}`);
      await Promise.all(leaving.map(([, { child }]) => child.stop()));
    },
    async close() {
      await Promise.all([...running.values()].map(({ child }) => child.stop()));
      await redis.stop();
      await sandbox.close();
      await sink.close();
    },
  };
}
