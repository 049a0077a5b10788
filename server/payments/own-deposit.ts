import { createHash, timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import type { Records } from './find-registration.ts';
import { notYours } from './provider-errors.ts';
import { isDeposit, isPaidInFull } from './recognise-deposit.ts';
import { RECORD_EXPANSION, type RegistrationRecord, readRecord } from './registration-record.ts';
import { retrieveIntent } from './retrieve-intent.ts';

/**
 * The deposit that a client secret proves to be the caller's.
 * @throws {AppError} when it opens no deposit of this site
 */
export async function ownDeposit(
  stripe: Stripe,
  clientSecret: string,
  expand: readonly string[] = [],
): Promise<Stripe.PaymentIntent> {
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  const intent = await retrieveIntent(stripe, id, expand);
  if (!intent || !isSame(intent.client_secret, clientSecret) || !isDeposit(intent)) throw notYours();
  return intent;
}

/** The registration of a deposit that a client secret proves to be the caller's; undefined while it is not paid. */
export async function findOwnPaid(
  { stripe, letterLog }: Records,
  clientSecret: string,
): Promise<RegistrationRecord | undefined> {
  const deposit = await ownDeposit(stripe, clientSecret, RECORD_EXPANSION);
  return isPaidInFull(deposit) ? readRecord(deposit, [], await letterLog.endedOf(deposit.id)) : undefined;
}

/** Compares in constant time, so that the duration does not reveal where the secrets differ. */
function isSame(secret: string | null, given: string): boolean {
  return secret !== null && timingSafeEqual(digest(secret), digest(given));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
