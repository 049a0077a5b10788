import { join } from 'node:path';
import { startChild, waitForAnswer } from '#scripts/product/child.ts';
import type { PortName } from '#scripts/product/ports.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import type { Settings } from './settings.ts';
import { linePrinter, type Place } from './terminal.ts';

const MAILDEV = join('node_modules', '.bin', 'maildev');

/** Starts a stand-in for the mail server and for Stripe, unless it is configured; `shown` is what they are called. */
export async function startStandIns(settings: Settings, onCrash: (sentence: string) => void) {
  const { ports, needsSandbox, needsMailbox } = settings;
  const at = (name: PortName, scheme = 'http') => `${scheme}://127.0.0.1:${ports[name]}`;
  const shown: Place[] = [];
  // No card is charged there, and the date is one at which the edition is on sale.
  const sandbox = needsSandbox
    ? await startSandbox({
        port: ports.SANDBOX_PORT,
        log: linePrinter('sandbox'),
        startsAt: new Date(edition.tryOutFrom),
      })
    : undefined;
  if (needsMailbox) {
    await startMailbox(settings, at('MAILBOX_PORT'), onCrash);
    shown.push({ label: 'Mailbox (stand-in for the mail server)', address: at('MAILBOX_PORT') });
  }
  if (sandbox) shown.push({ label: 'Payment sandbox (stand-in for Stripe)', address: sandbox.url });
  return {
    shown,
    ...(sandbox && { sandbox }),
    ...(needsMailbox && { mailServer: { url: at('MAILBOX_SMTP_PORT', 'smtp') } }),
  };
}

async function startMailbox(
  { ports }: Settings,
  address: string,
  onCrash: (sentence: string) => void,
): Promise<void> {
  const child = startChild({
    name: 'mailbox',
    command: process.execPath,
    args: [
      MAILDEV,
      '--ip',
      '127.0.0.1',
      '--smtp',
      String(ports.MAILBOX_SMTP_PORT),
      '--web-ip',
      '127.0.0.1',
      '--web',
      String(ports.MAILBOX_PORT),
      '--silent',
    ],
    env: process.env,
    onLine: linePrinter('mailbox'),
    onCrash,
  });
  await waitForAnswer(`${address}/`, child);
}
