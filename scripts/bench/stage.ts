import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startBenchSink } from '#scripts/bench-mail/start-sink.ts';
import { type Child, startChild } from '#scripts/machine/child.ts';
import { nodeOptions } from '#scripts/machine/node-options.ts';
import { findFreePort } from '#scripts/machine/ports.ts';
import { startRedis } from '#scripts/machine/redis.ts';
import { startSandbox } from '#scripts/sandbox/start-sandbox.ts';

/** Of the payment sandbox. */
export const KEYS = {
  STRIPE_SECRET_KEY: 'sk_test_bench',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_bench',
  STRIPE_WEBHOOK_SECRET: 'whsec_bench',
};

/** How long the sandbox takes to answer, as Stripe takes its time. */
export const STRIPE_LATENCY_MS = 100;

/** The product on a stage: Redis, a payment sandbox that takes its time, and a mail server. */
export interface Stage {
  siteUrl: string;
  env: NodeJS.ProcessEnv;
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
  const sandbox = await startSandbox({
    port: 0,
    secretKey: KEYS.STRIPE_SECRET_KEY,
    publishableKey: KEYS.STRIPE_PUBLISHABLE_KEY,
    webhookSecret: KEYS.STRIPE_WEBHOOK_SECRET,
    intercept: () => pause(STRIPE_LATENCY_MS),
  });
  const mailServer = await startBenchSink();
  const port = await findFreePort();
  const env = {
    ...process.env,
    ...KEYS,
    NODE_ENV: 'production',
    PAYMENTS: 'sandbox',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    STRIPE_API_BASE: sandbox.url,
    STRIPE_SCRIPT_URL: `${sandbox.url}/stripe.js`,
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
      command: process.execPath,
      args: [...nodeOptions, join(buildFolder, `start-${name}.js`)],
      env: { ...env, OPS_PORT: String(await findFreePort()) },
      onLine: () => {},
      onCrash: fail,
    });
  const started = performance.now();
  const app = await start('app');
  await untilAnswered(siteUrl);
  const firstAnswerMs = performance.now() - started;
  const worker = await start('worker');
  return { siteUrl, env, app, worker, firstAnswerMs };
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
