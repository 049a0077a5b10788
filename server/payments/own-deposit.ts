import { timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import type { RegistrationRow } from '#server/database/schema.ts';
import { readOnRecord } from '#server/record/on-record.ts';
import { withPayments } from '#server/record/payment-on-record.ts';
import { readRecord } from '#server/record/read-record.ts';
import { isDeposit, isPaidInFull } from '#server/record/recognise-deposit.ts';
import { RECORD_EXPANSION, type RegistrationRecord } from '#server/record/registration-record.ts';
import { findRow, secretDigest } from '#server/record/registrations.ts';
import type { Records } from './find-registration.ts';
import { notYours } from './provider-errors.ts';
import { readPayments } from './record-payments.ts';
import { retrieveIntent } from './retrieve-intent.ts';

/**
 * The registration whose deposit a client secret proves to be the caller's, from the register alone: an invented secret
 * has nothing read at Stripe. Compares in constant time.
 * @throws {AppError} when it opens no deposit of this site
 */
export async function findOwn(
  { database }: Pick<Records, 'database'>,
  clientSecret: string,
): Promise<RegistrationRow> {
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  const row = await database.read((transaction) => findRow(transaction, id));
  const kept = row?.secretDigest;
  const isHers = kept && timingSafeEqual(Buffer.from(kept), Buffer.from(secretDigest(clientSecret)));
  if (!isHers) throw notYours();
  return row;
}

/** The deposit of the caller's own registration, as Stripe has it now. */
export async function readOwn(
  { stripe }: Pick<Records, 'stripe'>,
  { deposit }: RegistrationRow,
  expand: readonly string[] = [],
): Promise<Stripe.PaymentIntent> {
  const intent = deposit === null ? undefined : await retrieveIntent(stripe, deposit, expand);
  if (!intent || !isDeposit(intent)) throw notYours();
  return intent;
}

/** The registration of a deposit that a client secret proves to be the caller's; undefined while it is not paid. */
export async function findOwnPaid(
  records: Records,
  clientSecret: string,
): Promise<RegistrationRecord | undefined> {
  const intent = await readOwn(records, await findOwn(records, clientSecret), RECORD_EXPANSION);
  if (!isPaidInFull(intent)) return undefined;
  const onRecord = await readOnRecord(records, intent.id);
  return readRecord(withPayments(onRecord, await readPayments(records.stripe, [intent])));
}
