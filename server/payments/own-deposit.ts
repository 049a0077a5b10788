import { createHash, timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import { notYours } from './provider-errors.ts';
import { isDeposit } from './recognise-deposit.ts';
import { retrieveIntent } from './retrieve-intent.ts';

/**
 * The deposit that a client secret proves to be the caller's.
 * @throws {AppError} when it opens no deposit of this site
 */
export async function ownDeposit(stripe: Stripe, clientSecret: string): Promise<Stripe.PaymentIntent> {
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  const intent = await retrieveIntent(stripe, id);
  if (!intent || !isSame(intent.client_secret, clientSecret) || !isDeposit(intent)) throw notYours();
  return intent;
}

/** In a time that tells nothing of where they differ. */
function isSame(secret: string | null, given: string): boolean {
  return secret !== null && timingSafeEqual(digest(secret), digest(given));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
