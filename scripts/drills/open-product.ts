import { join } from 'node:path';
import type Stripe from 'stripe';
import { type Product, type ProductOptions, prepareProduct } from '#scripts/product/product.ts';
import { connect, type Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';

/** A mail server of a drill. */
interface MailServer {
  url: string;
  close(): Promise<void>;
}

interface Surroundings
  extends Pick<ProductOptions, 'env' | 'nodeArgs' | 'siteUrl' | 'apps' | 'workers'>,
    Partial<Pick<ProductOptions, 'build'>> {
  /** For Redis's file. */
  folder: string;
  sandbox: Sandbox;
  /** Without one, no worker runs. */
  mailServer?: MailServer;
}

/** The running product, and a Stripe client for its payment sandbox. */
export interface OpenProduct extends Product {
  stripe: Stripe;
  /** Stops all of it, sandbox and mail server too. */
  close(): Promise<void>;
}

/** Starts Redis, apps and workers as they are built, beside a payment sandbox and a mail server. */
export async function openProduct({
  folder,
  sandbox,
  mailServer,
  ...options
}: Surroundings): Promise<OpenProduct> {
  const product = await prepareProduct({
    build: 'dist',
    ...options,
    redisFolder: join(folder, 'redis'),
    stripeUrl: sandbox.url,
    ...(mailServer && { smtpUrl: mailServer.url }),
  });
  const { siteUrl, redis, apps, workers } = product;
  sandbox.setWebhookUrl(`${siteUrl}${WEBHOOK_PATH}`);
  const close = async (): Promise<void> => {
    await product.close();
    await sandbox.close();
    await mailServer?.close();
  };
  try {
    await redis.start();
    await Promise.all([...(mailServer ? workers : []), ...apps].map((service) => service.start()));
    return { ...product, stripe: connect(sandbox), close };
  } catch (error) {
    await close();
    throw error;
  }
}
