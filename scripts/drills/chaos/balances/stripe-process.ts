import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';

const messageSchema = v.object({ webhookUrl: v.string() });

/** How long it takes to answer, as Stripe takes its time, and since when: what is prepared before is not waited for. */
const LATENCY_MS = 300;
const SLOW_FROM = Date.parse(facts.balance.reminderAt) - 24 * 60 * 60 * 1000;

// A side process: a payment sandbox, some days before the reminder of the balance. It is told where its events go.
const sandbox = await startSandbox({
  // Who pays her deposit later than this is charged later.
  startsAt: new Date(facts.balance.noticeAt),
  intercept: async () => void (isSlow() && (await pause(LATENCY_MS))),
  // What is prepared is nobody's news.
  deliver: () => (isSlow() ? 1 : 0),
});
function isSlow(): boolean {
  return sandbox.clock.now() >= SLOW_FROM;
}
process.on('message', (message) => sandbox.setWebhookUrl(v.parse(messageSchema, message).webhookUrl));
process.on('disconnect', () => process.exit());
process.send?.({ url: sandbox.url });
