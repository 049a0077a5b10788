import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import type { Due, IsOver } from '#server/mail/job.ts';
import { isToBeClosed } from './close-unpaid.ts';
import { isHandled, lettersOfPayment, lettersOwed } from './outbox.ts';
import { editionOf, isPaidInFull, recognise } from './recognise-deposit.ts';

/** How long to wait before a page of the list that failed is asked for again. */
const PAGE_RETRIES_MS = [250, 2_000];

/**
 * Looks through the payments made since a moment, a hundred a request, and tells what is due. A page that fails is asked
 * for again, and what came before it is not lost.
 * @see https://docs.stripe.com/rate-limits
 */
export async function* findAllDue(stripe: Stripe, since: Date, isOver: IsOver): AsyncGenerator<Due> {
  for await (const intent of listIntents(stripe, since)) {
    const { id: paymentIntentId, status } = intent;
    if (recognise(intent) === 'foreign') continue;
    const edition = editionOf(intent);
    if (status === 'succeeded' && !isHandled(intent) && !canBeWelcomed(intent)) {
      yield { type: 'attention', paymentIntentId };
    } else if (edition && isToBeClosed(intent) && isOver(edition.facts)) {
      yield { type: 'closing', paymentIntentId };
    } else yield* lettersOwed(intent).map((letter) => ({ type: 'letter', letter }) as const);
  }
}

function canBeWelcomed(intent: Stripe.PaymentIntent): boolean {
  return isPaidInFull(intent) && lettersOfPayment(intent) !== undefined;
}

async function* listIntents(stripe: Stripe, since: Date): AsyncGenerator<Stripe.PaymentIntent> {
  const created = { gte: Math.floor(since.getTime() / 1000) };
  const parameters = { created, limit: 100, expand: ['data.customer'] };
  let last: string | undefined;
  for (;;) {
    const page = await withRetries(() =>
      stripe.paymentIntents.list({ ...parameters, ...(last && { starting_after: last }) }),
    );
    yield* page.data;
    last = page.data.at(-1)?.id;
    if (!page.has_more || !last) return;
  }
}

async function withRetries<Page>(ask: () => Promise<Page>): Promise<Page> {
  for (const waitMs of PAGE_RETRIES_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
    }
    await pause(waitMs);
  }
  return ask();
}
