import type { Transaction } from '#server/database/engine.ts';
import type { AgreedTerms } from '#shared/content/edition.ts';
import { type Done, HERSELF, readActs } from './acts.ts';
import { ACTS, type Agreement, agreementOf } from './on-record.ts';
import { addAct } from './write-acts.ts';

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
  const before = agreementOf(await readActs(transaction, subject));
  if (before && isOfText(before, { version, digest })) return;
  const { by = HERSELF, ...said } = spoken ?? {};
  await writeConsent(transaction, { id, due, subject, at, by, said }, { ...terms, version, digest });
}

/** A consent that is to be recorded, with the ids of its act and of the balance that it names. */
interface ConsentAct extends Done {
  id: string;
  due: string;
  /** The registration. */
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
  const consent = { ...act, kind: ACTS.consent, facts: { version, digest, ...said } };
  await addAct(transaction, consent, { prices, balance });
  await transaction
    .insertInto('dues')
    .values({
      id: due,
      registration: act.subject,
      name: 'balance',
      agreedIn: act.id,
      beforeFeeCents: prices.balanceBeforeFeeCents,
      cardFeePerMille: prices.cardFeePerMille,
      chargeAt: new Date(balance.chargeAt),
      lateDays: balance.lateDays,
      refundsEndAt: new Date(balance.refundsEndAt),
      feeRefundable: balance.feeRefundable ? 1 : 0,
    })
    .execute();
}

type Text = Pick<Agreement, 'version' | 'digest'>;

export function isOfText(one: Text, other: Text): boolean {
  return one.version === other.version && one.digest === other.digest;
}
