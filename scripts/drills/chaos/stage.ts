import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type Stripe from 'stripe';
import { build } from '#scripts/build/build.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startSandbox } from '#scripts/stripe-sandbox/start-sandbox.ts';
import { connect, TEST_KEYS } from '#scripts/stripe-sandbox/test-sandbox.ts';
import { type Product, prepareProduct } from './product.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

const REDELIVERY_DELAYS_MS = [500, 1_000, 2_000];
const LAST_WORDS = 20;

/** Everything that plays a part. */
export interface Stage extends Product {
  sink: SmtpSink;
  stripe: Stripe;
  /** Emits `intent` when the app asks Stripe for a PaymentIntent and is not answered yet. */
  stripeEvents: EventEmitter;
  close(): Promise<void>;
}

/** Builds the product into a folder and starts it, with a Redis, a payment sandbox and a mail server of its own. */
export async function openStage(folder: string): Promise<Stage> {
  await build('production', join(folder, 'build'));
  const stripeEvents = new EventEmitter();
  const sandbox = await startSandbox({
    port: 0,
    ...TEST_KEYS,
    redeliveryDelaysMs: REDELIVERY_DELAYS_MS,
    intercept({ method, path }) {
      if (method === 'POST' && path === '/v1/payment_intents') stripeEvents.emit('intent');
      return undefined;
    },
  });
  const sink = await startSmtpSink(await findFreePort());
  const product = await prepareProduct({ folder, stripeUrl: sandbox.url, smtpUrl: sink.url });
  const services = [product.redis, product.worker, product.app];
  sandbox.setWebhookUrl(`${product.siteUrl}/webhooks/stripe`);
  const stage: Stage = {
    ...product,
    sink,
    stripe: connect(sandbox, TEST_KEYS.secretKey),
    stripeEvents,
    async close() {
      for (const service of services.toReversed()) await service.stop();
      await sandbox.close();
      await sink.close();
    },
  };
  try {
    for (const service of services) await service.start();
    return stage;
  } catch (error) {
    await stage.close();
    const words = stage.lines.slice(-LAST_WORDS).join('\n');
    throw new Error(`The product did not start:\n${words}`, { cause: error });
  }
}
