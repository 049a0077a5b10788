import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { addAct, type Done, HERSELF, readActs, writeAct } from '#server/record/acts.ts';
import {
  ACTS,
  type Agreement,
  actsOfHolder,
  agreementOf,
  publicationOf,
  type Register,
} from '#server/record/on-record.ts';
import { editionOf, isUnpaid, readPayment } from '#server/record/payment-at-stripe.ts';
import type { Whose } from '#server/record/registration-record.ts';
import { billingColumns, changeRow, hasSame } from '#server/record/registrations.ts';
import type { AgreedTerms, Facts } from '#shared/content/edition.ts';
import { publicationWords } from '#shared/content/publication.ts';
import { type BillingPlace, isSoldTo, ruleFor } from '#shared/content/sells.ts';
import { readOwn } from './deposit.ts';
import type { Records } from './find-registration.ts';
import { writePayments } from './record-payments.ts';
import { refused } from './refusals.ts';
import { depositClosed, ifStillOpen } from './stripe-calls.ts';

/** The terms that a registrant agreed to before she pays, and the browser from which. */
export interface Consent extends Agreement {
  /** The billing address of the card that she is about to pay with; it is kept where the edition says where it is sold. */
  country?: string | undefined;
  state?: string;
  /** The payment method that she is about to pay with, where the card fee depends on it. */
  paymentMethod?: string;
  /** Whether she agreed to publication with the same press, where that is a tick of its own. */
  publication?: boolean;
}

/**
 * Records which terms the registrant of an unpaid deposit agreed to, and the balance that they name. The first time is
 * kept: the same terms are not recorded again, neither for a second press nor from another tab.
 * @param onRead is called with the registration that she is to pay for, and awaited before anything is recorded
 * @throws {AppError} when her deposit is not to be paid any more, its edition never had these terms, or is not sold to
 *   her billing address; or when its sum was not that of her card, as it is then
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
  const { country = '', state = '' } = consent;
  const billing = { country, state };
  if (facts.sells && isSoldTo(facts.sells, billing) !== true) throw refused('not_sold_there');
  await onRead(facts, row.id);
  const { version, digest, agreedAt } = consent;
  const withoutFee = await isWithoutFee(records, facts, consent.paymentMethod);
  const cents = withoutFee ? facts.prices.depositBeforeFeeCents : facts.prices.depositCents;
  if (facts.prices.creditOnly && intent.amount !== cents) {
    const changes = { amount: cents, metadata: { amount: String(cents) } };
    const changed = await ifStillOpen(records.stripe.paymentIntents.update(intent.id, changes));
    const payment = changed && readPayment(changed);
    if (!payment) throw refused('already_paid');
    await records.database.write((transaction) => writePayments(transaction, [payment]));
    throw refused(withoutFee ? 'no_fee_on_card' : 'fee_on_card');
  }
  const { tax } = ruleFor(facts.sells, country);
  const agreement = {
    version,
    digest,
    agreedAt,
    ...(tax && { tax }),
    ...(withoutFee && { withoutFee }),
  };
  const ids = [uuidV7(), uuidV7()] as const;
  // Both in parallel: a consent is harmless if the deposit is then not paid.
  await Promise.all([
    records.database.write(async (transaction) => {
      await writeAgreement(transaction, intent.id, agreement, terms, ids);
      if (facts.sells) await writeBilling(transaction, row, billing);
    }),
    ...(facts.publication && consent.publication !== undefined
      ? [recordPublication(records, { id: intent.id }, consent.publication, agreedAt)]
      : []),
  ]);
}

/** Whether no card fee may be asked of a payment method: Stripe says what kind of card it is, not the browser. */
async function isWithoutFee(
  { stripe }: Records,
  { prices }: Facts,
  paymentMethod: string | undefined,
): Promise<boolean> {
  if (!prices.creditOnly) return false;
  if (paymentMethod === undefined) throw refused('unknown_terms');
  const { card } = await stripe.paymentMethods.retrieve(paymentMethod);
  return card?.funding !== 'credit';
}

async function writeBilling(
  transaction: Transaction,
  row: RegistrationRow,
  billing: BillingPlace,
): Promise<void> {
  const columns = billingColumns(billing);
  if (row.deposit !== null && !hasSame(row, columns)) await changeRow(transaction, row.deposit, columns);
}

/**
 * Records that somebody agreed to terms, and the balance that they name, unless she agreed to the same before, with the same
 * tax in the price and the same card fee.
 * @param ids of the two rows, made before the transaction, which may run again
 */
export async function writeAgreement(
  transaction: Transaction,
  subject: string,
  { version, digest, agreedAt: at, tax, withoutFee, spoken }: Agreement,
  terms: Pick<AgreedTerms, 'prices' | 'balance'>,
  [id, due]: readonly [string, string],
): Promise<void> {
  const before = agreementOf({ acts: await readActs(transaction, subject) });
  const isSame = isDeepStrictEqual([before?.tax, before?.withoutFee], [tax, withoutFee]);
  if (before && isOf(before, { version, digest }) && isSame) return;
  const { by = HERSELF, ...how } = spoken ?? {};
  const said = { ...how, ...(tax && { tax }), ...(withoutFee && { withoutFee }) };
  const prices = withoutFee ? { ...terms.prices, cardFeePerMille: 0 } : terms.prices;
  await writeConsent(transaction, { id, due, subject, at, by, said }, { ...terms, prices, version, digest });
}

/** A consent that is to be recorded, with the ids of its act and of the balance that it names. */
interface ConsentAct extends Done {
  id: string;
  due: string;
  /** The deposit. */
  subject: string;
  /** The tax in the price; how and when she said so, if not on a page of the site. */
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
      checkDiscountPerMille: prices.checkDiscountPerMille,
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

/**
 * Records whether a registrant agrees that her likeness is published, with the sentence that she read; nothing where that is
 * on record, as it is that she does not where she never did.
 * @returns whether something changed
 * @see https://eur-lex.europa.eu/eli/reg/2016/679/oj Article 7
 */
export async function recordPublication(
  { database }: Register,
  { id }: Whose,
  agrees: boolean,
  at: Date,
): Promise<boolean> {
  return writeAct(database, id, (acts) => {
    const before = publicationOf({ acts: actsOfHolder(acts) })?.agrees ?? false;
    if (before === agrees) return undefined;
    const facts = { agrees, says: publicationWords.tick };
    return { kind: ACTS.publication, at, by: HERSELF, facts };
  });
}
