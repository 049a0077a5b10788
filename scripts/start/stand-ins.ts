import { join } from 'node:path';
import { startChild } from '#scripts/product/child.ts';
import type { Addresses } from '#scripts/product/environment.ts';
import { waitForAnswer } from '#scripts/product/launch.ts';
import type { PortName } from '#scripts/product/ports.ts';
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
  const { ports, dataFolder, needsRedis, needsSandbox, needsMailbox, eventsSecret } = settings;
  const at = (name: PortName, scheme = 'http') => `${scheme}://127.0.0.1:${ports[name]}`;
  const standIns: StandIn[] = [];
  if (needsRedis) {
    const folder = join(process.cwd(), dataFolder, 'redis');
    await startRedis({ port: ports.REDIS_PORT, folder, onCrash });
    const address = at('REDIS_PORT', 'redis');
    const label = `Redis (data in ${dataFolder}/redis)`;
    standIns.push({ label, address, addresses: { redisUrl: address } });
  }
  // No card is charged there, and the date is one at which the edition is on sale.
  const sandbox = needsSandbox
    ? await startSandbox({
        port: ports.SANDBOX_PORT,
        webhookUrl: `${at('PORT')}/webhooks/stripe`,
        log: linePrinter('sandbox'),
        startsAt: new Date(edition.tryOutFrom),
        nextMoment: (now) => nextMoment([edition], now),
      })
    : undefined;
  if (needsMailbox) {
    const [address, smtpUrl] = [at('MAILBOX_PORT'), at('MAILBOX_SMTP_PORT', 'smtp')];
    await startMailbox(settings, address, onCrash);
    const { url } = await startBounces({
      port: ports.BOUNCES_PORT,
      mailboxUrl: address,
      siteUrl: at('PORT'),
      secret: eventsSecret,
      now: () => new Date(sandbox ? sandbox.clock.now() : Date.now()),
    });
    standIns.push(
      { label: 'Mailbox (stand-in for the mail server)', address, addresses: { smtpUrl } },
      { label: 'Bounces (stand-in for the mail provider)', address: url, addresses: {} },
    );
  }
  if (sandbox) {
    const { url } = sandbox;
    standIns.push({
      label: 'Payment sandbox (stand-in for Stripe)',
      address: url,
      addresses: { stripeUrl: url },
    });
  }
  return standIns;
}

/** A mailbox that accepts every mail and shows it. */
async function startMailbox({ ports }: Settings, address: string, onCrash: OnCrash): Promise<void> {
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
}
