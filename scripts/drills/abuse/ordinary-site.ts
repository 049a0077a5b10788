import { join } from 'node:path';
import type Stripe from 'stripe';
import { openProduct } from '#scripts/drills/open-product.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { COUNTED_IN_MEMORY } from '#server/registration/registration-limits.ts';
import { type Inbox, startInbox } from './inbox.ts';

const HOUR_MS = 60 * 60 * 1000;

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
  const sandbox = await startSandbox({ redeliveryDelaysMs: [500] });
  const { clock } = sandbox;
  const inbox = await startInbox();
  const { siteUrl, stripe, lines, close } = await openProduct({
    folder: join(folder, 'ordinary'),
    sandbox,
    mailServer: inbox,
    env: { TRUST_PROXY: '1', MAIL_PER_SECOND: '200' },
  });
  return {
    siteUrl,
    stripe,
    inbox,
    passHours: (hours) => clock.moveTo(new Date(clock.now() + hours * HOUR_MS)),
    countsInMemory: () => lines.filter((line) => line.includes(COUNTED_IN_MEMORY)).length,
    close,
  };
}
