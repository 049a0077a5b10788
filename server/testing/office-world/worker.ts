import { goesToOffice } from '#server/mail/job.ts';
import type { Due, Found } from '#server/payments/find-all-due.ts';
import type { Payments } from '#server/payments/payments.ts';
import { FIRST_DAY } from './days.ts';
import { isRefusedAddress } from './people.ts';

const AT_ONCE = 8;

/** What the worker does: letters, then charges and refunds. */
export async function workOffAll(payments: Payments, now: Date): Promise<void> {
  const found: Found[] = [];
  for await (const one of payments.findAllDue(FIRST_DAY, now, () => false)) found.push(one);
  await each(found, async ({ paymentIntentId, due }) => {
    for (const one of due) await workOff(payments, paymentIntentId, one, now);
  });
}

async function workOff(payments: Payments, id: string, due: Due, now: Date): Promise<void> {
  if (due.type === 'letter' && (goesToOffice(due.letter) || !isRefusedAddress(due.letter.email)))
    await payments.markSent(due.letter, now);
  // Stripe refuses the requests for some people.
  if (due.type === 'charge') await payments.chargeBalance(id, now).catch(() => undefined);
  if (due.type === 'refund') await payments.workOffRefunds(id, now).catch(() => undefined);
}

/** Runs `act` for each item, several at a time. */
export async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next);
  });
  await Promise.all(workers);
}
