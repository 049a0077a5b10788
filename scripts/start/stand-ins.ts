import { join } from 'node:path';
import { startChild } from '#scripts/product/child.ts';
import type { Addresses } from '#scripts/product/environment.ts';
import { waitForAnswer } from '#scripts/product/launch.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';
import { startBounces } from './bounces.ts';
import type { Settings } from './settings.ts';
import { linePrinter } from './terminal.ts';

/** A stand-in that was started beside the product, as shown in the list of addresses. */
export interface StandIn {
  label: string;
  address: string;
  /** The addresses of the stand-in that the product is configured with. */
  addresses: Partial<Addresses>;
}

type OnCrash = (sentence: string) => void;

const MAILDEV = join('node_modules', '.bin', 'maildev');

/** Starts a stand-in for everything that is not configured. */
export async function startStandIns(settings: Settings, onCrash: OnCrash): Promise<StandIn[]> {
  const standIns: StandIn[] = [];
  if (settings.needsRedis) standIns.push(await startOwnRedis(settings, onCrash));
  const sandbox = settings.needsSandbox ? await startPaymentSandbox(settings) : undefined;
  if (settings.needsMailbox) {
    const now = sandbox?.now ?? (() => new Date());
    standIns.push(await startMailbox(settings, onCrash), await startMailProvider(settings, now));
  }
  if (sandbox) standIns.push(sandbox);
  return standIns;
}

/** A real Redis, only for this product. */
async function startOwnRedis({ ports, dataFolder }: Settings, onCrash: OnCrash): Promise<StandIn> {
  const folder = join(process.cwd(), dataFolder, 'redis');
  await startRedis({ port: ports.REDIS_PORT, folder, onCrash });
  const address = `redis://127.0.0.1:${ports.REDIS_PORT}`;
  return { label: `Redis (data in ${dataFolder}/redis)`, address, addresses: { redisUrl: address } };
}

/** A mailbox that accepts every mail and shows it, instead of a mail server. */
async function startMailbox({ ports }: Settings, onCrash: OnCrash): Promise<StandIn> {
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
  const addresses = { smtpUrl: `smtp://127.0.0.1:${ports.MAILBOX_SMTP_PORT}` };
  return { label: 'Mailbox (stand-in for the mail server)', address, addresses };
}

/** Reports to the site that a letter of that mailbox bounced, instead of a mail provider. */
async function startMailProvider({ ports, eventsSecret }: Settings, now: () => Date): Promise<StandIn> {
  const { url } = await startBounces({
    port: ports.BOUNCES_PORT,
    mailboxUrl: `http://127.0.0.1:${ports.MAILBOX_PORT}`,
    siteUrl: `http://127.0.0.1:${ports.PORT}`,
    secret: eventsSecret,
    now,
  });
  return { label: 'Bounces (stand-in for the mail provider)', address: url, addresses: {} };
}

/** The payment sandbox instead of Stripe: no card is charged, and the date is one at which the edition is on sale. */
async function startPaymentSandbox({ ports }: Settings): Promise<StandIn & { now: () => Date }> {
  const { url, clock } = await startSandbox({
    port: ports.SANDBOX_PORT,
    webhookUrl: `http://127.0.0.1:${ports.PORT}/webhooks/stripe`,
    log: linePrinter('sandbox'),
    startsAt: new Date(edition.tryOutFrom),
    nextMoment: (now) => nextMoment([edition], now),
  });
  return {
    label: 'Payment sandbox (stand-in for Stripe)',
    address: url,
    addresses: { stripeUrl: url },
    now: () => new Date(clock.now()),
  };
}
