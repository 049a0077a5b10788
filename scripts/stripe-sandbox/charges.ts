import {
  type Account,
  type BalanceTransaction,
  type Charge,
  type Decline,
  type Dispute,
  type DisputeReason,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  type Refund,
} from './account.ts';
import { ParameterError, refusal } from './answer.ts';
import { type DeclineAdvice, declineOf } from './cards.ts';
import { mergeMetadata } from './routes.ts';

const DAY_S = 24 * 60 * 60;
/** After how many days money is available, and paid out. https://docs.stripe.com/payouts#payout-schedule */
const SETTLES_IN_DAYS = 2;

/** Prices in the United States, in cents. https://stripe.com/pricing */
const cardFee = (cents: number): number => Math.round(cents * 0.029) + 30;
const DISPUTE_FEE = 1_500;

/**
 * What changes the balance, each with its direction and its fee. The fee of a charge is not given back with a refund, nor
 * that of a dispute when it is won.
 * https://docs.stripe.com/reports/reporting-categories and https://docs.stripe.com/disputes/how-disputes-work#dispute-fees
 */
const CHANGES = {
  charge: { sign: 1, fee: cardFee },
  refund: { sign: -1, fee: () => 0 },
  refund_failure: { sign: 1, fee: () => 0 },
  dispute: { sign: -1, fee: () => DISPUTE_FEE },
  dispute_reversal: { sign: 1, fee: () => 0 },
} as const;

const dayOf = (seconds: number): number => Math.floor(seconds / DAY_S);

/** Records that the balance changes now by the amount of an object. https://docs.stripe.com/api/balance_transactions/object */
export function changeBalance(
  account: Account,
  reporting_category: keyof typeof CHANGES,
  { id: source, amount: cents, currency }: { id: string; amount: number; currency: string },
): void {
  payOut(account);
  const { sign, fee: feeOf } = CHANGES[reporting_category];
  const [amount, fee, created] = [sign * cents, feeOf(cents), account.nowSeconds()];
  const available_on = (dayOf(created) + SETTLES_IN_DAYS) * DAY_S;
  const change = { amount, available_on, created, currency, fee, net: amount - fee, source };
  account.unpaid.push(saveChange(account, { ...change, reporting_category }));
}

const saveChange = (
  account: Account,
  change: Omit<BalanceTransaction, 'id' | 'object'>,
): BalanceTransaction => account.save({ id: newId('txn'), object: 'balance_transaction', ...change });

/**
 * Makes the automatic payouts that are due by now: each day (UTC) one, of all that became available on it. A sum below
 * zero waits for the next day. https://docs.stripe.com/payouts/reconciliation
 */
export function payOut(account: Account): void {
  const today = dayOf(account.nowSeconds());
  const { unpaid } = account;
  const [oldest] = unpaid;
  if (!oldest || dayOf(oldest.available_on) > today) return;
  let held: BalanceTransaction[] = [];
  let amount = 0;
  for (const [index, change] of unpaid.entries()) {
    const { available_on, currency } = change;
    if (dayOf(available_on) > today) break;
    held.push(change);
    amount += change.net;
    if (unpaid[index + 1]?.available_on === available_on || amount <= 0) continue;
    const id = newId('po');
    const made = { created: available_on, currency };
    const payout = { object: 'payout', arrival_date: available_on, automatic: true, status: 'paid' } as const;
    account.save({ ...payout, ...made, id, amount });
    const paid = { amount: -amount, available_on, fee: 0, net: -amount, source: id, ...made };
    // The list of a payout's changes has the payout itself, too.
    held.push(saveChange(account, { ...paid, reporting_category: 'payout' }));
    for (const one of held) account.payoutOf.set(one.id, id);
    held = [];
    amount = 0;
  }
  account.unpaid = unpaid.filter(({ id }) => !account.payoutOf.has(id));
}

const EVIDENCE_S = 9 * 24 * 60 * 60;

/** Charges a card for an intent. The charge is stored even when the bank declines it. */
export function createCharge(
  account: Account,
  intent: PaymentIntent,
  method: PaymentMethod,
): { charge: Charge; decline: Decline | null } {
  const { amount, currency, customer, metadata, receipt_email } = intent;
  const ordered = (owner: string) => account.nextDeclines.get(owner)?.shift();
  const usual = account.cardOf(method.id).decline;
  const decline = ordered(method.id) ?? ordered(customer ?? '') ?? usual;
  const charge = account.save({
    id: newId('ch'),
    object: 'charge',
    amount,
    amount_refunded: 0,
    billing_details: method.billing_details,
    created: account.nowSeconds(),
    currency,
    customer,
    disputed: false,
    failure_code: decline?.code ?? null,
    metadata,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card', card: { ...method.card, ...intent.payment_method_options.card } },
    receipt_email,
    status: decline ? 'failed' : 'succeeded',
  } satisfies Charge);
  if (!decline) changeBalance(account, 'charge', charge);
  return { charge, decline };
}

type RefundOrder = Pick<Refund, 'payment_intent'> &
  Partial<Pick<Refund, 'amount' | 'reason'>> & { metadata?: Parameters<typeof mergeMetadata>[1] };

/** Gives back a charge, or a part of it. https://docs.stripe.com/api/refunds/create */
export function createRefund(account: Account, order: RefundOrder): Refund {
  const charge = chargeToRefund(account, order.payment_intent);
  const { currency, payment_intent, payment_method } = charge;
  const left = charge.amount - sumOfRefunds(account, charge.id);
  const { amount = left, reason = null, metadata } = order;
  if (left === 0) {
    const code = 'charge_already_refunded';
    throw refusal(400, `Charge ${charge.id} has already been refunded.`, { code });
  }
  if (amount > left) {
    const message = `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`;
    throw new ParameterError(message, { param: 'amount' });
  }
  const isPending = account.cardOf(payment_method).refunds === 'pending-first';
  const refund = saveRefund(account, {
    id: newId('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    created: account.nowSeconds(),
    currency,
    metadata: mergeMetadata({}, metadata),
    payment_intent,
    payment_method,
    reason,
    status: isPending ? 'pending' : 'succeeded',
  });
  changeBalance(account, 'refund', refund);
  account.publish('refund.created', refund);
  account.publish('charge.refunded', account.find('charge', charge.id));
  return refund;
}

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/** The charge to refund: it must have succeeded, and the bank must not have taken it back in a dispute. */
function chargeToRefund(account: Account, intentId: string): Charge {
  const { latest_charge } = account.find('payment_intent', intentId, 'payment_intent');
  const charge = account.get('charge', latest_charge ?? '');
  if (charge?.status !== 'succeeded')
    throw new ParameterError(`This PaymentIntent (${intentId}) does not have a successful charge to refund.`);
  if (isTakenBack(account, charge.id)) {
    const message = `Charge ${charge.id} has been charged back; cannot issue a refund.`;
    throw refusal(400, message, { code: 'charge_disputed' });
  }
  return charge;
}

/** The sum of a charge's refunds that have not failed, pending ones included. */
function sumOfRefunds(account: Account, chargeId: string): number {
  const refunds = account.all('refund').filter(({ charge }) => charge === chargeId);
  return refunds.reduce((sum, { amount, status }) => (status === 'failed' ? sum : sum + amount), 0);
}

/** Stores a refund, and updates the refunded amount of its charge. */
function saveRefund(account: Account, refund: Refund): Refund {
  account.save(refund);
  const charge = account.find('charge', refund.charge);
  const amount_refunded = sumOfRefunds(account, charge.id);
  account.save({ ...charge, amount_refunded });
  return refund;
}

/** The status that a refund gets some time later, if it changes at all. https://docs.stripe.com/testing#refunds */
export function laterStatus(account: Account, refund: Refund): Refund['status'] | undefined {
  if (refund.status === 'pending') return 'succeeded';
  const fails = account.cardOf(refund.payment_method).refunds === 'fail-later';
  return fails && refund.status === 'succeeded' ? 'failed' : undefined;
}

/** Gives a refund the status that it gets some time later. */
export function settleRefund(account: Account, id: string): void {
  const refund = account.find('refund', id);
  const status = laterStatus(account, refund);
  if (status === undefined) {
    throw new ParameterError(`The refund ${id} has a status of ${refund.status}, which stays.`);
  }
  const settled = saveRefund(account, { ...refund, status });
  if (status === 'failed') changeBalance(account, 'refund_failure', settled);
  account.publish('refund.updated', settled);
  if (status === 'failed') account.publish('refund.failed', settled);
}

function isTakenBack(account: Account, chargeId: string): boolean {
  return account.all('dispute').some(({ charge, status }) => charge === chargeId && status !== 'won');
}

/**
 * The cardholder disputes a charge with her bank, which takes the money back until the dispute is closed.
 * https://docs.stripe.com/disputes/how-disputes-work
 */
export function openDispute(account: Account, chargeId: string, reason: DisputeReason): Dispute {
  const charge = account.find('charge', chargeId);
  if (charge.status !== 'succeeded' || isTakenBack(account, chargeId)) {
    throw new ParameterError(`The charge ${chargeId} was disputed already, or has not succeeded.`);
  }
  const dispute: Dispute = account.save({
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    charge: chargeId,
    created: account.nowSeconds(),
    currency: charge.currency,
    evidence_details: { due_by: account.nowSeconds() + EVIDENCE_S },
    payment_intent: charge.payment_intent,
    reason,
    status: 'needs_response',
  });
  account.save({ ...charge, disputed: true });
  changeBalance(account, 'dispute', dispute);
  account.publish('charge.dispute.created', dispute);
  return dispute;
}

/**
 * The bank decides the dispute. The charge stays `disputed`; if the dispute was won, the charge can be
 * refunded again. https://docs.stripe.com/api/disputes/object#dispute_object-status
 */
export function closeDispute(account: Account, id: string, status: 'won' | 'lost'): void {
  const dispute = account.find('dispute', id);
  if (dispute.status !== 'needs_response') throw new ParameterError('This dispute is already closed');
  const closed = account.save({ ...dispute, status });
  if (status === 'won') changeBalance(account, 'dispute_reversal', closed);
  account.publish('charge.dispute.closed', closed);
}

/** The cardholder's bank, controlled by a test or by the sandbox's page. */
export type Bank = ReturnType<typeof createBank>;

export function createBank(account: Account) {
  return {
    /**
     * Declines the next charge of a customer or a payment method, by its id, with one of Stripe's decline codes. Several
     * calls decline as many charges, one after the other. Throws for a code that Stripe does not document.
     */
    declineNextCharge(id: string, declineCode: string, advice?: DeclineAdvice): void {
      const waiting = account.nextDeclines.get(id) ?? [];
      account.nextDeclines.set(id, [...waiting, declineOf(declineCode, advice)]);
    },
    /** Opens a dispute of a charge and returns its id. Throws when the charge has not succeeded, or a dispute of it is open or lost. */
    openDispute: (chargeId: string, reason: DisputeReason = 'fraudulent'): string =>
      openDispute(account, chargeId, reason).id,
    closeDispute: (disputeId: string, outcome: 'won' | 'lost'): void =>
      closeDispute(account, disputeId, outcome),
    /**
     * Gives the owner of a stored card a new one, which Stripe stores under the same payment method.
     * https://docs.stripe.com/payments/cards/overview#automatic-card-updates
     */
    renewCard(paymentMethodId: string, card: Partial<PaymentMethod['card']>): void {
      const method = account.find('payment_method', paymentMethodId);
      const renewed = account.save({ ...method, card: { ...method.card, ...card } });
      account.publish('payment_method.automatically_updated', renewed);
    },
    /** Lets a pending refund succeed, or a refund to the card 5126 fail. Throws for all others. */
    settleRefund: (refundId: string): void => settleRefund(account, refundId),
    /** Puts a card into the wallets of all visitors' devices, for pages loaded from now on; '' takes the wallets away. */
    fillWallets(number: string): void {
      account.walletCard = number || undefined;
    },
  };
}
