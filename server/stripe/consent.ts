import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { addAct, type Done, HERSELF, readActs } from '#server/registration/acts.ts';
import { ACTS, type Agreement, agreementOf } from '#server/registration/on-record.ts';
import { refused } from '#server/registration/refusals.ts';
import type { AgreedTerms, Facts } from '#shared/content/edition.ts';
import { readOwn } from './deposit.ts';
import type { Records } from './find-registration.ts';
import { editionOf, isUnpaid } from './payment-at-stripe.ts';
import { depositClosed } from './stripe-calls.ts';

/** The terms that a registrant agreed to before she pays, and the browser from which. */
export type Consent = Agreement;

/**
 * Records which terms the registrant of an unpaid deposit agreed to, and the balance that they name. The first time is
 * kept: the same terms are not recorded again, neither for a second press nor from another tab.
 * @param onRead is called with the registration that she is to pay for, and awaited before anything is recorded
 * @throws {AppError} when her deposit is not to be paid any more, or its edition never had these terms
 */
export async function recordConsent(
  records: Records,
  row: RegistrationRow,
  consent: Consent,
  onRead: (edition: Facts, registration: string) => Promise<void> = async () => {},
): Promise<void> {
  const intent = await readOwn(records, row);
  if (intent.status === 'canceled') throw depositClosed(intent);
  if (!isUnpaid(intent)) throw refused('already_paid');
  const edition = editionOf(intent);
  const terms = edition?.agreed.find((one) => isOf(one, consent));
  if (!edition || !terms) throw refused('unknown_terms');
  const { facts } = edition;
  await onRead(facts, row.id);
  const { version, digest, agreedAt } = consent;
  const agreement = { version, digest, agreedAt };
  const ids = [uuidV7(), uuidV7()] as const;
  await records.database.write((transaction) =>
    writeAgreement(transaction, intent.id, agreement, terms, ids),
  );
}

/**
 * Records that somebody agreed to terms, and the balance that they name, unless she agreed to the same before.
 * @param ids of the two rows, made before the transaction, which may run again
 */
export async function writeAgreement(
  transaction: Transaction,
  subject: string,
  { version, digest, agreedAt: at, spoken }: Agreement,
  terms: Pick<AgreedTerms, 'prices' | 'balance'>,
  [id, due]: readonly [string, string],
): Promise<void> {
  const before = agreementOf({ acts: await readActs(transaction, subject) });
  if (before && isOf(before, { version, digest })) return;
  const { by = HERSELF, ...said } = spoken ?? {};
  await writeConsent(transaction, { id, due, subject, at, by, said }, { ...terms, version, digest });
}

/** A consent that is to be recorded, with the ids of its act and of the balance that it names. */
interface ConsentAct extends Done {
  id: string;
  due: string;
  /** The deposit. */
  subject: string;
  /** How and when she said so, if not on a page of the site. */
  said?: object;
}

/** Records a consent to terms, and the balance that they name. */
export async function writeConsent(
  transaction: Transaction,
  { due, said, ...act }: ConsentAct,
  { version, digest, prices, balance }: Pick<AgreedTerms, 'version' | 'digest' | 'prices' | 'balance'>,
): Promise<void> {
  await addAct(transaction, { ...act, kind: ACTS.consent, facts: { version, digest, ...said } });
  await transaction
    .insertInto('dues')
    .values({
      id: due,
      registration: act.subject,
      name: 'balance',
      agreedIn: act.id,
      beforeFeeCents: prices.balanceBeforeFeeCents,
      cardFeePerMille: prices.cardFeePerMille,
      chargeAt: new Date(balance.chargeAt).toISOString(),
      lateDays: balance.lateDays,
      refundsEndAt: new Date(balance.refundsEndAt).toISOString(),
      feeRefundable: balance.feeRefundable ? 1 : 0,
    })
    .execute();
}

type Text = Pick<Agreement, 'version' | 'digest'>;

function isOf(one: Text, other: Text): boolean {
  return one.version === other.version && one.digest === other.digest;
}
