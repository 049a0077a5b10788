import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';

const messageSchema = v.object({ webhookUrl: v.string() });

/**
 * How long the sandbox takes to answer, like the real Stripe, and from which business date on: preparations
 * are not slowed.
 */
const LATENCY_MS = 300;
const SLOW_FROM = Date.parse(facts.balance.reminderAt) - 24 * 60 * 60 * 1000;

// A side process: a payment sandbox, some days before the reminder of the balance. Its parent sends it the
// webhook URL.
const sandbox = await startSandbox({
  // If a deposit is paid later than this, its balance is charged later.
  startsAt: new Date(facts.balance.noticeAt),
  intercept: async () => void (isSlow() && (await pause(LATENCY_MS))),
  // Preparations send no webhooks.
  deliver: () => (isSlow() ? 1 : 0),
});
function isSlow(): boolean {
  return sandbox.clock.now() >= SLOW_FROM;
}
process.on('message', (message) => sandbox.setWebhookUrl(v.parse(messageSchema, message).webhookUrl));
process.on('disconnect', () => process.exit());
process.send?.({ url: sandbox.url });
