import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { startChild, waitForAnswer } from '#scripts/product/child.ts';
import { tellMailEvent } from '#scripts/product/mail-server.ts';
import type { PortName } from '#scripts/product/ports.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';
import type { Settings } from './settings.ts';
import { linePrinter, type Place } from './terminal.ts';

const MAILDEV = join('node_modules', '.bin', 'maildev');

/** Starts a stand-in for the mail server and for Stripe, unless it is configured; `shown` is what they are called. */
export async function startStandIns(settings: Settings, onCrash: (sentence: string) => void) {
  const { ports, needsSandbox, needsMailbox, eventsSecret } = settings;
  const at = (name: PortName, scheme = 'http') => `${scheme}://127.0.0.1:${ports[name]}`;
  const shown: Place[] = [];
  // No card is charged there, and the date is one at which the edition is on sale.
  const sandbox = needsSandbox
    ? await startSandbox({
        port: ports.SANDBOX_PORT,
        log: linePrinter('sandbox'),
        startsAt: new Date(edition.tryOutFrom),
        nextMoment: (now) => nextMoment([edition], now),
      })
    : undefined;
  if (needsMailbox) {
    await startMailbox(settings, at('MAILBOX_PORT'), onCrash);
    const { url } = await startBounces({
      port: ports.BOUNCES_PORT,
      mailboxUrl: at('MAILBOX_PORT'),
      siteUrl: at('PORT'),
      secret: eventsSecret,
      now: () => new Date(sandbox ? sandbox.clock.now() : Date.now()),
    });
    shown.push(
      { label: 'Mailbox (stand-in for the mail server)', address: at('MAILBOX_PORT') },
      { label: 'Bounces (stand-in for the mail provider)', address: url },
    );
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

const MOST = 50;

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #8886; }
`;
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

interface BouncesOptions {
  port: number;
  mailboxUrl: string;
  siteUrl: string;
  secret: string;
  now: () => Date;
}

const lettersSchema = v.array(
  v.object({
    id: v.string(),
    subject: v.optional(v.string(), ''),
    to: v.array(v.object({ address: v.string() })),
  }),
);
type Letter = v.InferOutput<typeof lettersSchema>[number];

/**
 * Serves a page that lets each letter of the mailbox bounce, or be marked as spam: the site is notified as by
 * a provider.
 */
export async function startBounces(options: BouncesOptions): Promise<{ url: string; close(): void }> {
  const server = createServer((req, res) => {
    answer(req, res, options).catch((error: unknown) => res.writeHead(502).end(String(error)));
  });
  await once(server.listen(options.port, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${options.port}`, close: () => server.close() };
}

async function answer(req: IncomingMessage, res: ServerResponse, options: BouncesOptions): Promise<void> {
  const response = await fetch(`${options.mailboxUrl}/api/email`);
  const letters = v.parse(lettersSchema, await response.json()).toReversed();
  const told =
    req.method === 'POST' ? await tell(new URLSearchParams(await text(req)), letters, options) : '';
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY };
  res.writeHead(200, headers).end(page(letters.slice(0, MOST), told));
}

async function tell(pressed: URLSearchParams, letters: readonly Letter[], options: BouncesOptions) {
  const { siteUrl, secret, now } = options;
  const letter = letters.find(({ id }) => id === pressed.get('letter'));
  if (!letter) return 'This letter is no longer in the mailbox.';
  const { status } = await tellMailEvent(siteUrl, secret, {
    type: pressed.get('type') === 'complaint' ? 'email.complained' : 'email.bounced',
    address: letter.to[0]?.address ?? '',
    at: now(),
  });
  return `The site was told, and answered ${status}.`;
}

function page(letters: readonly Letter[], told: string): string {
  const rows = letters.map(
    ({
      id,
      subject,
      to,
    }) => `<tr><td>${escapeHtml(subject)}</td><td>${escapeHtml(to[0]?.address ?? '')}</td><td>
<form method="post"><input type="hidden" name="letter" value="${escapeHtml(id)}">
<button name="type" value="bounce">Bounce</button> <button name="type" value="complaint">Complain</button></form></td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Bounces and complaints</title><style>${STYLE}</style></head><body><main>
<h1>Bounces and complaints</h1>
<p>This stands in for what a mail provider tells of letters that were taken and did not arrive, or were marked as spam.</p>
<p role="status">${escapeHtml(told)}</p>
<table><tbody>${rows.join('\n')}</tbody></table>
</main></body></html>
`;
}

function escapeHtml(words: string): string {
  return words.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
