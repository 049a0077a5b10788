import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { type SideProcess, startSideProcess } from '#scripts/drills/side-process.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { answers } from '#scripts/product/launch.ts';
import { nodeOptions } from '#scripts/product/node-program.ts';
import { type Product, prepareProduct } from '#scripts/product/product.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { newRegistration } from './new-registration.ts';

const STRIPE = new URL('./stripe-process.ts', import.meta.url);
const MAIL_SINK = new URL('../mail-sink.ts', import.meta.url);
const POLL_MS = 5;

/** The product, with a payment sandbox that takes its time and a mail server as side processes. */
export interface Stage extends Product {
  /** From the app's start to its first registration answered, Stripe's own time included, in milliseconds. */
  firstRegistrationMs: number;
  stripeUrl: string;
  /** How long Stripe took over the registrations since it was last asked, in milliseconds, by their idempotency keys. */
  takeStripeTimes(): Promise<Record<string, number>>;
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
  return { ...product, firstRegistrationMs, stripeUrl: stripe.url, takeStripeTimes: () => takeTimes(stripe) };
}

async function untilRegistered(siteUrl: string): Promise<void> {
  while (!(await answers(siteUrl))) await pause(POLL_MS);
  const { headers, text } = newRegistration(0);
  const answer = await fetch(new URL(CREATE_PAYMENT_PATH, siteUrl), { method: 'POST', headers, body: text });
  if (!answer.ok) throw new Error(`The first registration was answered with ${answer.status}`);
}

const timesSchema = v.object({ times: v.record(v.string(), v.number()) });

async function takeTimes(stripe: SideProcess): Promise<Record<string, number>> {
  return v.parse(timesSchema, await stripe.ask('times')).times;
}
