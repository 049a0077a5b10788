import { join } from 'node:path';
import type Stripe from 'stripe';
import { prepareProduct } from '#scripts/product/product.ts';
import { connect, startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { type Inbox, startInbox } from './inbox.ts';

const COUNTED_IN_MEMORY = 'Redis does not count this registration';

/** A site with the limits that it has by default, behind one proxy, and what it works with. */
export interface OrdinarySite {
  siteUrl: string;
  stripe: Stripe;
  inbox: Inbox;
  /** Lets time pass at Stripe. */
  passHours(hours: number): void;
  /** How often the app gave Redis up and counted by itself: then limits may hold less than they do. */
  countsInMemory(): number;
}

/** An attack that is known to work on sites like this one. */
export interface KnownAttack {
  name: string;
  /**
   * Tries it, and tells in a few words what came of it.
   * @throws {Error} when it worked, or did not come to an end
   */
  run(site: OrdinarySite): Promise<string>;
}

/** A site of this process, to be closed. */
export interface OpenSite extends OrdinarySite {
  close(): Promise<void>;
}

/** Starts app and worker as they are built, with a Redis, a payment sandbox and a mail server of their own. */
export async function openOrdinarySite(folder: string): Promise<OpenSite> {
  let passedMs = 0;
  const now = (): number => Date.now() + passedMs;
  const sandbox = await startSandbox({ clock: { now }, redeliveryDelaysMs: [500] });
  const inbox = await startInbox();
  const product = await prepareProduct({
    build: 'dist',
    redisFolder: join(folder, 'ordinary-redis'),
    stripeUrl: sandbox.url,
    smtpUrl: inbox.url,
    env: { TRUST_PROXY: '1', MAIL_PER_SECOND: '200' },
  });
  const { siteUrl, redis, app, worker, lines } = product;
  sandbox.setWebhookUrl(`${siteUrl}${WEBHOOK_PATH}`);
  const close = async (): Promise<void> => {
    await product.close();
    await inbox.close();
    await sandbox.close();
  };
  try {
    for (const service of [redis, app, worker]) await service.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    siteUrl,
    stripe: connect(sandbox),
    inbox,
    passHours(hours) {
      passedMs += hours * 60 * 60 * 1000;
    },
    countsInMemory: () => lines.filter((line) => line.includes(COUNTED_IN_MEMORY)).length,
    close,
  };
}
