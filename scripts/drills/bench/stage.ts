import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startSideProcess } from '#scripts/drills/side-process.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { nodeOptions } from '#scripts/product/node-program.ts';
import { type Product, prepareProduct } from '#scripts/product/product.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { newRegistration } from './new-registration.ts';

const STRIPE = new URL('./stripe-process.ts', import.meta.url);
const MAIL_SINK = new URL('../mail-sink.ts', import.meta.url);
const POLL_MS = 5;

/** The product, with a slow payment sandbox and a mail server as side processes. */
export interface Stage extends Product {
  /** From the app's start to its first registration answered, Stripe's own time included, in milliseconds. */
  firstRegistrationMs: number;
  stripeUrl: string;
}

/** Sets the stage from a build. What it starts ends with `stopChildren`, or with this process. */
export async function setStage(build: string, dataFolder: string): Promise<Stage> {
  const redisFolder = join(process.cwd(), dataFolder, 'redis');
  await rm(redisFolder, { recursive: true, force: true });
  const stripe = await startSideProcess(STRIPE, nodeOptions);
  const { url: smtpUrl } = await startSideProcess(MAIL_SINK);
  const product = await prepareProduct({
    build,
    redisFolder,
    stripeUrl: stripe.url,
    smtpUrl,
    env: noLimits,
  });
  await product.redis.start();
  const startMs = performance.now();
  const [firstRegistrationMs] = await Promise.all([
    untilRegistered(product.siteUrl).then(() => performance.now() - startMs),
    product.app.start(),
  ]);
  await product.worker.start();
  return { ...product, firstRegistrationMs, stripeUrl: stripe.url };
}

/**
 * Polls from the start on, and requests nothing else: rendering and compressing the page would delay the
 * registration.
 */
async function untilRegistered(siteUrl: string): Promise<void> {
  const url = new URL(CREATE_PAYMENT_PATH, siteUrl);
  const { headers, text: body } = newRegistration(0);
  for (;;) {
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    if (answer?.ok) return;
    if (answer) throw new Error(`The first registration was answered with ${answer.status}`);
    await pause(POLL_MS);
  }
}
