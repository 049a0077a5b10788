import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type Stripe from 'stripe';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { type Product, prepareProduct } from '#scripts/product/product.ts';
import { connect, startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

const REDELIVERY_DELAYS_MS = [500, 1_000, 2_000];

/** Everything that plays a part. */
export interface Stage extends Product {
  sink: SmtpSink;
  stripe: Stripe;
  /** Emits `intent` when the app asks Stripe for a PaymentIntent and is not answered yet. */
  stripeEvents: EventEmitter;
}

/** Builds the product if need be and starts it, with a Redis, a payment sandbox and a mail server of its own. */
export async function openStage(folder: string): Promise<Stage> {
  await buildWhenStale('production', 'dist');
  const stripeEvents = new EventEmitter();
  const sandbox = await startSandbox({
    redeliveryDelaysMs: REDELIVERY_DELAYS_MS,
    intercept({ method, path }) {
      if (method === 'POST' && path === '/v1/payment_intents') stripeEvents.emit('intent');
      return undefined;
    },
  });
  const sink = await startSmtpSink(await findFreePort());
  const product = await prepareProduct({
    build: 'dist',
    redisFolder: join(folder, 'redis'),
    stripeUrl: sandbox.url,
    smtpUrl: sink.url,
    env: { ...noLimits, LOG_LEVEL: 'debug', MAIL_PER_SECOND: '200' },
  });
  sandbox.setWebhookUrl(`${product.siteUrl}/webhooks/stripe`);
  const close = async (): Promise<void> => {
    await product.close();
    await sandbox.close();
    await sink.close();
  };
  try {
    for (const service of [product.redis, product.worker, product.app]) await service.start();
    return { ...product, sink, stripe: connect(sandbox), stripeEvents, close };
  } catch (error) {
    await close();
    throw error;
  }
}
