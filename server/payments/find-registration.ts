import type Stripe from 'stripe';
import { withAllRefunds } from './all-refunds.ts';
import { depositOfBalance } from './balance-payment.ts';
import { isDisputed } from './find-disputes.ts';
import { type Register, readOnRecord } from './on-record.ts';
import { isPaidInFull } from './recognise-deposit.ts';
import { RECORD_EXPANSION, type RegistrationRecord, readRecord } from './registration-record.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { type SecondFactor, secondFactorOf } from './second-factor.ts';
import { untraced } from './untraced.ts';

/** What a registration is read from. */
export interface Records extends Register {
  stripe: Stripe;
}

/**
 * A registration by its deposit or a payment of its balance, as Stripe has it now; undefined when there is
 * none. It takes one read, and a second one once the deposit is paid, since there may be a balance then.
 * Where the office has marked a dispute as resolved, it takes two more, so that a new dispute is not missed.
 * @throws {AppError} when what is on record of it is not what this site writes
 */
export async function findRegistration(
  records: Records,
  id: string,
): Promise<RegistrationRecord | undefined> {
  return (await findWithFactor(records, id))?.record;
}

/**
 * A registration, and the second factor by which the registrant proves her identity. The latter is never
 * stored.
 */
export interface FoundRegistrant {
  record: RegistrationRecord;
  secondFactor: SecondFactor;
}

/** The same as `findRegistration`, with the second factor, from the same reads. */
export async function findWithFactor(records: Records, id: string): Promise<FoundRegistrant | undefined> {
  const { stripe } = records;
  const payments = await readPayments(stripe, id);
  const [deposit, ...others] = await Promise.all(payments.map((one) => withAllRefunds(stripe, one)));
  const record = deposit && readRecord(deposit, others, await readOnRecord(records, deposit.id));
  if (!record) return undefined;
  const disputed = await isDisputed(stripe, record);
  return { record: { ...record, disputed }, secondFactor: secondFactorOf(deposit, record.registrant) };
}

/** The deposit, and the other payments of its customer. */
async function readPayments(stripe: Stripe, id: string): Promise<Stripe.PaymentIntent[]> {
  const intent = await retrieveIntent(stripe, id, RECORD_EXPANSION);
  if (!intent) return [];
  const depositId = depositOfBalance(intent);
  const customer = typeof intent.customer === 'string' ? intent.customer : intent.customer?.id;
  if (!customer || (depositId === undefined && !isPaidInFull(intent))) return [intent];
  // Every registration has a customer of its own.
  const expand = RECORD_EXPANSION.map((path) => `data.${path}`);
  const list = () => stripe.paymentIntents.list({ customer, limit: 100, expand });
  const { data } = await untraced(list);
  const deposit = depositId === undefined ? intent : data.find((one) => one.id === depositId);
  return deposit ? [deposit, ...data] : [];
}
