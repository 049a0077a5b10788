import {
  type Account,
  type BalanceTransaction,
  type Charge,
  type Decline,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  type Payout,
} from './account.ts';

const DAY_S = 24 * 60 * 60;
/** After how many days money is available, and paid out. https://docs.stripe.com/payouts#payout-schedule */
const SETTLES_IN_DAYS = 2;

/** Prices in the United States, in cents. https://stripe.com/pricing */
const cardFee = (cents: number): number => Math.round(cents * 0.029) + 30;
const DISPUTE_FEE = 1_500;

/**
 * The fee of a charge is not given back with a refund, nor that of a dispute when it is won.
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

/** https://docs.stripe.com/api/balance_transactions/object */
export function changeBalance(
  account: Account,
  reporting_category: keyof typeof CHANGES,
  { id: source, amount: cents, currency }: { id: string; amount: number; currency: string },
  fee: number = CHANGES[reporting_category].fee(cents),
): BalanceTransaction {
  payOut(account);
  const [amount, created] = [CHANGES[reporting_category].sign * cents, account.nowSeconds()];
  const available_on = (dayOf(created) + SETTLES_IN_DAYS) * DAY_S;
  const change = { amount, available_on, created, currency, fee, reporting_category, source };
  const saved = saveChange(account, change);
  account.unpaid.push(saved);
  return saved;
}

const saveChange = (
  account: Account,
  change: Omit<BalanceTransaction, 'id' | 'net' | 'object'>,
): BalanceTransaction =>
  account.save({
    ...change,
    id: newId('txn'),
    object: 'balance_transaction',
    net: change.amount - change.fee,
  });

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
    const paid = savePayout(account, { amount, created: available_on, currency, automatic: true });
    // The list of a payout's changes has the payout itself, too.
    for (const one of [...held, paid]) account.payoutOf.set(one.id, paid.source);
    held = [];
    amount = 0;
  }
  account.unpaid = unpaid.filter(({ id }) => !account.payoutOf.has(id));
}

/** Pays out at once what no payout holds yet: Stripe cannot tell later what that was. https://docs.stripe.com/payouts */
export function payOutByHand(account: Account): void {
  payOut(account);
  const amount = account.unpaid.reduce((sum, { net }) => sum + net, 0);
  account.unpaid = [];
  savePayout(account, { amount, created: account.nowSeconds(), currency: 'usd', automatic: false });
}

function savePayout(
  account: Account,
  made: Pick<Payout, 'amount' | 'created' | 'currency' | 'automatic'>,
): BalanceTransaction {
  const { amount, created, currency, automatic } = made;
  const id = newId('po');
  const reconciliation_status = automatic ? 'completed' : 'not_applicable';
  account.save({
    ...made,
    id,
    object: 'payout',
    arrival_date: created,
    reconciliation_status,
    status: 'paid',
  });
  const moved = { amount: -amount, fee: 0, currency, created, available_on: created };
  return saveChange(account, { ...moved, source: id, reporting_category: 'payout' });
}

/** It is stored even when the bank declines it, and pending while the bank has not answered. */
export function createCharge(
  account: Account,
  intent: PaymentIntent,
  method: PaymentMethod,
): { charge: Charge; decline: Decline | null } {
  const { amount, currency, customer, metadata, receipt_email } = intent;
  const ordered = (owner: string) => account.nextCharges.get(owner)?.shift();
  const usual = account.cardOf(method.id).decline;
  const answer = ordered(method.id) ?? ordered(customer ?? '') ?? usual;
  const decline = answer === 'processing' ? null : answer;
  const charge = account.save({
    id: newId('ch'),
    object: 'charge',
    amount,
    amount_refunded: 0,
    balance_transaction: null,
    billing_details: method.billing_details,
    created: account.nowSeconds(),
    currency,
    customer,
    disputed: false,
    failure_code: null,
    metadata,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card', card: method.card },
    receipt_email,
    status: 'pending',
  } satisfies Charge);
  return { decline, charge: answer === 'processing' ? charge : endCharge(account, charge, decline) };
}

/**
 * The bank's answer to a charge. What was paid reaches the balance after the answer to the payment and its event.
 * https://docs.stripe.com/payments/payment-intents/asynchronous-capture
 */
export function endCharge(account: Account, charge: Charge, decline: Decline | null): Charge {
  if (decline) return account.save({ ...charge, failure_code: decline.code, status: 'failed' });
  setImmediate(() => {
    const paid = account.find('charge', charge.id);
    const { id: balance_transaction } = changeBalance(account, 'charge', paid);
    account.save({ ...paid, balance_transaction });
  });
  return account.save({ ...charge, status: 'succeeded' });
}
