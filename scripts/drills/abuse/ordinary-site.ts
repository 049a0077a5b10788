import { join } from 'node:path';
import type Stripe from 'stripe';
import type { Child } from '#scripts/product/child.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { startSandbox } from '#scripts/stripe-sandbox/start-sandbox.ts';
import { connect, TEST_KEYS } from '#scripts/stripe-sandbox/test-sandbox.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { startApp, startWorker } from './app-process.ts';
import { type Inbox, startInbox } from './inbox.ts';

/** One proxy tells who a visitor is; an empty value is the default. */
const ORDINARY = {
  TRUST_PROXY: '1',
  RATE_LIMIT_PER_ADDRESS: '',
  RATE_LIMIT_OVERALL: '',
  MAIL_PER_SECOND: '200',
};

const COUNTED_IN_MEMORY = 'Redis does not count this registration';

/** A site with the limits that it has unless told otherwise, and what stands behind it. */
export interface OrdinarySite {
  siteUrl: string;
  stripe: Stripe;
  inbox: Inbox;
  /** Lets time pass at Stripe. */
  passHours(hours: number): void;
  /** How often the app gave Redis up and counted by itself: then limits may hold less than they do. */
  countsInMemory(): number;
}

/** The same, to be closed. */
export interface OpenSite extends OrdinarySite {
  close(): Promise<void>;
}

/** Starts app and worker of a build, with a Redis, a payment sandbox and a mail server of their own. */
export async function openOrdinarySite(folder: string): Promise<OpenSite> {
  const opened: (() => Promise<unknown>)[] = [];
  const processes: Child[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.stop()));
    for (const end of opened.toReversed()) await end();
  };
  try {
    const redisPort = await findFreePort();
    const redis = await startRedis({ port: redisPort, folder: join(folder, 'ordinary-redis') });
    opened.push(() => redis.stop());
    let passedMs = 0;
    const now = (): number => Date.now() + passedMs;
    const sandbox = await startSandbox({ port: 0, ...TEST_KEYS, now, redeliveryDelaysMs: [500] });
    opened.push(() => sandbox.close());
    const inbox = await startInbox();
    opened.push(() => inbox.close());
    const options = {
      build: join(folder, 'build'),
      redisUrl: `redis://127.0.0.1:${redisPort}`,
      stripeUrl: sandbox.url,
      env: { ...ORDINARY, SMTP_URL: inbox.url },
    };
    const { siteUrl, child: app, lines } = await startApp(options);
    processes.push(app);
    processes.push((await startWorker(siteUrl, options)).child);
    sandbox.setWebhookUrl(`${siteUrl}${WEBHOOK_PATH}`);
    const passHours = (hours: number): void => {
      passedMs += hours * 60 * 60 * 1000;
    };
    const countsInMemory = (): number => lines.filter((line) => line.includes(COUNTED_IN_MEMORY)).length;
    const stripe = connect(sandbox, TEST_KEYS.secretKey);
    return { siteUrl, stripe, inbox, passHours, countsInMemory, close };
  } catch (error) {
    await close();
    throw error;
  }
}
