import { v7 as uuidV7 } from 'uuid';
import { type Agreement, refused, termsOfText, writeAgreement } from '#server/registration/registration.ts';
import type { Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { readOwn } from './deposit.ts';
import { isUnpaid } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { depositClosed } from './stripe-calls.ts';

/** Of the terms that she agreed to for an unpaid deposit the first time is kept. */
export async function recordConsent(
  records: Records,
  clientSecret: string,
  { version, digest, agreedAt }: Agreement,
  onRead: (edition: Facts, registration: string) => Promise<void> = async () => {},
): Promise<void> {
  const { row, intent } = await readOwn(records, clientSecret);
  if (intent.status === 'canceled') throw depositClosed(intent);
  if (!isUnpaid(intent)) throw refused('already_paid');
  const edition = findEdition(row.edition);
  if (!edition || !termsOfText(edition, { version, digest })) throw refused('unknown_terms');
  const { facts } = edition;
  await onRead(facts, row.id);
  const agreement = { version, digest, agreedAt };
  const id = uuidV7();
  await records.database.write((transaction) => writeAgreement(transaction, row.id, agreement, id));
}
