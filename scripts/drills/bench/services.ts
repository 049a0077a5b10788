import { setTimeout as pause } from 'node:timers/promises';
import { startMailServer } from '#scripts/product/mail-server.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';

/** How long the sandbox takes to answer, like the real Stripe. */
const LATENCY_MS = 100;

// A program: a payment sandbox and a mail server, in a process of their own so that their work is not measured.
const sandbox = await startSandbox({ intercept: () => pause(LATENCY_MS) });
const mails = await startMailServer({ discards: true });
process.on('disconnect', () => process.exit());
process.send?.({ url: sandbox.url, smtpUrl: mails.url });
