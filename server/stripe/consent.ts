import { v7 as uuidV7 } from 'uuid';
import { type Agreement, refused, termsOfText, writeAgreement } from '#server/registration/registration.ts';
import type { Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { readOwn } from './deposit.ts';
import { isUnpaid } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { depositClosed } from './stripe-calls.ts';

/**
 * Records which terms the registrant of an unpaid deposit agreed to. The first time is
 * kept: the same terms are not recorded again, neither for a second press nor from another tab.
 * @param onRead is called with the registration that she is to pay for, and awaited before anything is recorded
 * @throws {AppError} when her deposit is not to be paid any more, or its edition never had these terms
 */
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
