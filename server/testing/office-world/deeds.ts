import type Stripe from 'stripe';
import type { Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { type Decision, type DecisionKind, HERSELF } from '#server/payments/decisions.ts';
import type { Payments } from '#server/payments/payments.ts';
import { balanceOfRecord, type RegistrationRecord } from '#server/payments/registration-record.ts';

/** A registration at the moment at which something happens to it. */
export interface Happening {
  /** The registration as it is at that moment. */
  record: RegistrationRecord;
  payments: Payments;
  stripe: Stripe;
  bank: Sandbox['bank'];
  now: Date;
  /** From now on Stripe refuses every payment and refund for her. */
  refuseAll(): void;
}

/** What she, the office or her bank does. */
export type Deed = (happening: Happening) => Promise<unknown> | unknown;

const BY_OFFICE = 'Anna';

/** Who acts, and when. */
interface Act {
  at: Date;
  by: string;
}

/** The office decides. */
export function decides<Kind extends DecisionKind>(kind: Kind, what: (act: Act) => Decision<Kind>): Deed {
  return ({ payments, record, now }) => payments.decide(record, kind, what({ at: now, by: BY_OFFICE }));
}

/** The office withdraws what was decided. */
export const withdraws =
  (kind: DecisionKind): Deed =>
  ({ payments, record, now }) =>
    payments.decide(record, kind, { withdrawn: true, at: now, by: BY_OFFICE });

/** She cancels on her page. */
export const cancels: Deed = ({ payments, record, now: at }) =>
  payments.decide(record, 'cancel', { at, by: HERSELF, writtenAt: at, onPage: true });

/** The office records that she cancelled in writing at an earlier moment. */
export const cancelled = (writtenAt: string): Deed =>
  decides('cancel', (act) => ({ ...act, writtenAt: new Date(writtenAt) }));

/** Her next charges are declined. */
export const isDeclined =
  (...codes: readonly string[]): Deed =>
  ({ bank, record }) => {
    for (const code of codes) bank.declineNextCharge(record.customerId ?? '', code);
  };

/** The mail provider reports that her notice bounced, or that she marked it as spam. */
export const providerReports =
  (type: 'bounce' | 'complaint'): Deed =>
  ({ payments, record: { id, registrant }, now: at }) => {
    const letter = { paymentIntentId: id, kind: 'balance-notice', address: registrant.email };
    return payments.recordBounce({ type, permanent: true, at, ...letter }, at);
  };

/** She pays the balance on her page. */
export const paysHerself: Deed = async ({ payments, stripe, record, now }) => {
  const { byCardCents } = balanceOfRecord(record);
  const { clientSecret, paymentMethod } = await payments.payBalance(record, byCardCents, now);
  const [id = ''] = clientSecret.split('_secret_');
  await stripe.paymentIntents.confirm(id, { payment_method: paymentMethod ?? '' });
};

/** She gives another card, as her page records it. */
export const givesCard: Deed = async ({ payments, stripe, record }) => {
  const clientSecret = await payments.beginCardChange(record);
  const [id = ''] = clientSecret.split('_secret_');
  await stripe.setupIntents.confirm(id, { payment_method: 'pm_card_mastercard' });
  await payments.recordCard(record, id);
};

/** The office corrects her name or her address, or she asks for another address herself. */
export const correctsName: Deed = ({ payments, record, now }) => {
  const { firstName, phoneNumber } = record.registrant;
  return payments.correctDetails(record, { firstName, phoneNumber, lastName: 'Corrected' }, BY_OFFICE, now);
};
export const correctsAddress: Deed = ({ payments, record, now }) =>
  payments.correctAddress(record.id, `new.${record.registrant.email}`, BY_OFFICE, now);
export const asksForAddress: Deed = ({ payments, record, now }) =>
  payments.askForAddress(record, `own.${record.registrant.email}`, now);

export const forgets: Deed = ({ payments, record, now }) => payments.forget(record, BY_OFFICE, now);

export const stripeRefuses: Deed = ({ refuseAll }) => refuseAll();

/** Her bank settles the last refund: it arrives or fails. */
export const refundSettles: Deed = ({ bank, record }) => bank.settleRefund(record.refunds.at(-1)?.id ?? '');

/** Somebody clears the order of the last refund in Stripe's dashboard: it looks like a refund that this site did not make. */
export const refundLosesItsOrder: Deed = ({ stripe, record }) =>
  stripe.refunds.update(record.refunds.at(-1)?.id ?? '', { metadata: { order: '' } });

/** Somebody refunds the deposit in Stripe's dashboard. */
export const givesDepositBack: Deed = ({ stripe, record }) =>
  stripe.refunds.create({ payment_intent: record.id });

export const disputesDeposit: Deed = (happening) => dispute(happening, happening.record.id);
export const disputesBalance: Deed = (happening) => dispute(happening, happening.record.balance?.id ?? '');

async function dispute({ stripe, bank }: Happening, payment: string): Promise<string> {
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(payment);
  return bank.openDispute(String(charge));
}

/** Her bank decides the dispute about her balance, and the office records that it is over. */
export const disputeEnds =
  (outcome: 'won' | 'lost'): Deed =>
  async (happening) => {
    const { bank, payments, record } = happening;
    const found = await payments.findDisputes(record);
    for (const { id } of found) bank.closeDispute(id, outcome);
    const balance = outcome === 'lost' ? found.reduce((sum, { cents }) => sum + cents, 0) : 0;
    await decides('disputeOver', (act) => ({
      ...act,
      charges: found.map(({ charge }) => charge),
      disputes: found.map(({ id }) => id),
      ...(balance > 0 && { lost: { deposit: 0, balance } }),
    }))(happening);
  };
