import { createHash, timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import type { RegistrationRow } from '#server/database/schema.ts';
import { readOnRecord } from '#server/record/on-record.ts';
import { withPayments } from '#server/record/payment-on-record.ts';
import { isDeposit, isPaidInFull } from '#server/record/recognise-deposit.ts';
import { RECORD_EXPANSION, type RegistrationRecord, readRecord } from '#server/record/registration-record.ts';
import { findRow } from '#server/record/registrations.ts';
import type { Records } from './find-registration.ts';
import { notYours } from './provider-errors.ts';
import { readPayments } from './record-payments.ts';
import { retrieveIntent } from './retrieve-intent.ts';

/**
 * The deposit that a client secret proves to be the caller's, and its registration.
 * @throws {AppError} when it opens no deposit of this site
 */
export async function ownDeposit(
  { stripe, database }: Records,
  clientSecret: string,
  expand: readonly string[] = [],
): Promise<{ intent: Stripe.PaymentIntent; row: RegistrationRow }> {
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  const row = await database.read((transaction) => findRow(transaction, id));
  const intent = row && (await retrieveIntent(stripe, id, expand));
  if (!intent || !isSame(intent.client_secret, clientSecret) || !isDeposit(intent)) throw notYours();
  return { intent, row };
}

/** The registration of a deposit that a client secret proves to be the caller's; undefined while it is not paid. */
export async function findOwnPaid(
  records: Records,
  clientSecret: string,
): Promise<RegistrationRecord | undefined> {
  const { intent } = await ownDeposit(records, clientSecret, RECORD_EXPANSION);
  if (!isPaidInFull(intent)) return undefined;
  const onRecord = await readOnRecord(records, intent.id);
  return readRecord(withPayments(onRecord, await readPayments(records.stripe, [intent])));
}

/** Compares in constant time, so that the duration does not reveal where the secrets differ. */
function isSame(secret: string | null, given: string): boolean {
  return secret !== null && timingSafeEqual(digest(secret), digest(given));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
