import { MailDev } from 'maildev';
import type { PortName } from '#scripts/product/ports.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import type { Settings } from './settings.ts';
import { linePrinter, type Place } from './terminal.ts';

const HOST = '127.0.0.1';

/** Starts a stand-in for the mail server and for Stripe, unless it is configured; `shown` is what they are called. */
export async function startStandIns({ ports, needsSandbox, needsMailbox }: Settings) {
  const at = (name: PortName, scheme = 'http') => `${scheme}://${HOST}:${ports[name]}`;
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
    const { MAILBOX_SMTP_PORT: smtp, MAILBOX_PORT: web } = ports;
    await new MailDev({ ip: HOST, smtp, webIp: HOST, web, silent: true }).start();
    shown.push({ label: 'Mailbox (stand-in for the mail server)', address: at('MAILBOX_PORT') });
  }
  if (sandbox) shown.push({ label: 'Payment sandbox (stand-in for Stripe)', address: sandbox.url });
  return {
    shown,
    ...(sandbox && { sandbox }),
    ...(needsMailbox && { mailServer: { url: at('MAILBOX_SMTP_PORT', 'smtp') } }),
  };
}
