import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startBenchSink } from '#scripts/drills/mail-bench/start-sink.ts';
import { type Child, startChild } from '#scripts/product/child.ts';
import { nodeProgram } from '#scripts/product/node-program.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { type BenchStripe, startBenchStripe } from './start-stripe.ts';
import { STRIPE_KEYS } from './stripe-keys.ts';

/** The product on a stage: Redis, a payment sandbox that takes its time, and a mail server. */
export interface Stage {
  siteUrl: string;
  stripe: BenchStripe;
  /** From the app's start to its first good answer, in milliseconds. */
  firstAnswerMs: number;
  app: Child;
  worker: Child;
}

/** Sets the stage from a build. What it starts ends with `stopChildren`. */
export async function setStage(buildFolder: string, dataFolder: string): Promise<Stage> {
  const redisPort = await findFreePort();
  const redisFolder = join(process.cwd(), dataFolder, 'redis');
  await rm(redisFolder, { recursive: true, force: true });
  await startRedis({ port: redisPort, folder: redisFolder, onCrash: fail });
  const stripe = await startBenchStripe();
  const mailServer = await startBenchSink();
  const port = await findFreePort();
  const env = {
    ...process.env,
    STRIPE_SECRET_KEY: STRIPE_KEYS.secretKey,
    STRIPE_PUBLISHABLE_KEY: STRIPE_KEYS.publishableKey,
    STRIPE_WEBHOOK_SECRET: STRIPE_KEYS.webhookSecret,
    NODE_ENV: 'production',
    REGISTRATION: 'open',
    PAYMENTS: 'sandbox',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    STRIPE_API_BASE: stripe.url,
    STRIPE_SCRIPT_URL: `${stripe.url}/stripe.js`,
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'office@retreat.example',
    OFFICE_EMAIL: 'office@retreat.example',
    OFFICE_PHONE: '+1 (555) 555-0100',
    OPS_PASSWORD: 'bench',
    RATE_LIMIT_PER_ADDRESS: '999999',
    RATE_LIMIT_OVERALL: '999999',
  };
  const siteUrl = `http://127.0.0.1:${port}/`;
  const start = async (name: string): Promise<Child> =>
    startChild({
      name,
      ...nodeProgram(join(buildFolder, `start-${name}.js`), {
        ...env,
        OPS_PORT: String(await findFreePort()),
      }),
      onLine: () => {},
      onCrash: fail,
    });
  const started = performance.now();
  const app = await start('app');
  await untilAnswered(siteUrl);
  const firstAnswerMs = performance.now() - started;
  const worker = await start('worker');
  return { siteUrl, stripe, app, worker, firstAnswerMs };
}

async function untilAnswered(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await pause(5);
  }
}

function fail(sentence: string): never {
  throw new Error(sentence);
}
