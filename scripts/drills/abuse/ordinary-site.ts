import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Stripe from 'stripe';
import { countsInMemory, readMetrics } from '#scripts/drills/app-metrics.ts';
import { openProduct } from '#scripts/drills/open-product.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { type Inbox, startInbox } from './inbox.ts';

const HOUR_MS = 60 * 60 * 1000;

/** A site with the default limits, behind one proxy, with the services that it uses. */
export interface OrdinarySite {
  siteUrl: string;
  opsUrl: string;
  /** For files of an attack. */
  folder: string;
  stripe: Stripe;
  inbox: Inbox;
  /** Lets time pass at Stripe. */
  passHours(hours: number): void;
  /** How often the app counted in its own memory, see `countsInMemory`. */
  countsInMemory(): Promise<number>;
  /** How much CPU time the app has used so far: unlike its answers, this depends little on a busy machine. */
  usedCpuMs(): Promise<number>;
  /** The most memory that the app has taken so far; undefined on a system without `/proc`. */
  mostMemoryMb(): Promise<number | undefined>;
}

/** An attack that is known to work on sites like this one. */
export interface KnownAttack {
  name: string;
  /**
   * Tries the attack, and returns its outcome in a few words.
   * @throws {Error} when the attack worked, or did not finish
   */
  run(site: OrdinarySite): Promise<string>;
}

/** A site that this process has started and has to close. */
export interface OpenSite extends OrdinarySite {
  close(): Promise<void>;
}

/** Starts app and worker as they are built, with a Redis, a payment sandbox and a mail server of their own. */
export async function openOrdinarySite(folder: string): Promise<OpenSite> {
  const sandbox = await startSandbox({ redeliveryDelaysMs: [500] });
  const { clock } = sandbox;
  const inbox = await startInbox();
  const product = await openProduct({
    folder: join(folder, 'ordinary'),
    sandbox,
    mailServer: inbox,
    env: { TRUST_PROXY: '1', MAIL_PER_SECOND: '200' },
  });
  const { siteUrl, opsUrl, stripe, close } = product;
  return {
    siteUrl,
    opsUrl,
    folder,
    stripe,
    inbox,
    passHours: (hours) => clock.moveTo(new Date(clock.now() + hours * HOUR_MS)),
    countsInMemory: () => countsInMemory(product),
    usedCpuMs: async () => (await readMetrics(opsUrl))('process_cpu_seconds_total') * 1000,
    mostMemoryMb: () => mostMemoryMb(product.app.pid),
    close,
  };
}

async function mostMemoryMb(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_000;
}
