import { join } from 'node:path';
import { startChild } from '#scripts/product/child.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { startSandbox } from '#scripts/stripe-sandbox/start-sandbox.ts';
import { linePrinter } from './log-lines.ts';
import type { Settings } from './settings.ts';
import { waitForAnswer } from './wait-for-answer.ts';

/** Something that was started beside the product, and what the product is told of it. */
export interface StandIn {
  env: NodeJS.ProcessEnv;
  announcement: Announcement;
}

/** A line of the list of addresses. */
export interface Announcement {
  label: string;
  address: string;
}

type OnCrash = (sentence: string) => void;

const MAILDEV = join('node_modules', '.bin', 'maildev');

/** Keys that no Stripe account has. */
const SANDBOX_KEYS = {
  STRIPE_SECRET_KEY: 'sk_test_sandbox',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
  STRIPE_WEBHOOK_SECRET: 'whsec_sandbox',
};

/** A real Redis of our own. */
export async function startOwnRedis({ ports, dataFolder }: Settings, onCrash: OnCrash): Promise<StandIn> {
  const folder = join(process.cwd(), dataFolder, 'redis');
  const address = `redis://127.0.0.1:${ports.REDIS_PORT}`;
  await startRedis({ port: ports.REDIS_PORT, folder, onCrash });
  return {
    env: { REDIS_URL: address },
    announcement: { label: `Redis (data in ${dataFolder}/redis)`, address },
  };
}

/** A mailbox that takes every mail and shows it, instead of a mail server. */
export async function startMailbox({ ports }: Settings, onCrash: OnCrash): Promise<StandIn> {
  const address = `http://127.0.0.1:${ports.MAILBOX_PORT}`;
  const child = startChild({
    name: 'mailbox',
    command: process.execPath,
    args: [
      MAILDEV,
      ...['--ip', '127.0.0.1', '--smtp', String(ports.MAILBOX_SMTP_PORT)],
      ...['--web-ip', '127.0.0.1', '--web', String(ports.MAILBOX_PORT)],
      '--silent',
    ],
    env: process.env,
    onLine: linePrinter('mailbox'),
    onCrash,
  });
  await waitForAnswer(`${address}/`, child);
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${ports.MAILBOX_SMTP_PORT}` },
    announcement: { label: 'Mailbox (stand-in for the mail server)', address },
  };
}

/** The payment sandbox instead of Stripe: no card is charged. */
export async function startPaymentSandbox({ ports }: Settings): Promise<StandIn> {
  const sandbox = await startSandbox({
    port: ports.SANDBOX_PORT,
    webhookUrl: `http://127.0.0.1:${ports.PORT}/webhooks/stripe`,
    secretKey: SANDBOX_KEYS.STRIPE_SECRET_KEY,
    publishableKey: SANDBOX_KEYS.STRIPE_PUBLISHABLE_KEY,
    webhookSecret: SANDBOX_KEYS.STRIPE_WEBHOOK_SECRET,
    log: linePrinter('sandbox'),
  });
  return {
    env: {
      ...SANDBOX_KEYS,
      PAYMENTS: 'sandbox',
      STRIPE_API_BASE: sandbox.url,
      STRIPE_SCRIPT_URL: `${sandbox.url}/stripe.js`,
    },
    announcement: { label: 'Payment sandbox (stand-in for Stripe)', address: sandbox.url },
  };
}
