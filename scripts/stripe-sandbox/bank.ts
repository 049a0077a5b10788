import type { Account, PaymentMethod } from './account.ts';
import { payOutByHand } from './balance.ts';
import { declineOf } from './cards.ts';
import { enterCard } from './checkout.ts';
import { deleteCustomer } from './customers.ts';
import { answerChallenge, settlePayment } from './intents.ts';
import { type DisputeStatus, endRefund, moveDispute, type Opening, openDispute } from './refunds.ts';

/** The cardholder's bank and Stripe itself, as a test controls them. */
export function createBank(account: Account) {
  const answerNextCharge = (id: string, answer: 'processing' | ReturnType<typeof declineOf>) => {
    account.nextCharges.set(id, [...(account.nextCharges.get(id) ?? []), answer]);
  };
  return {
    /** Several calls decline as many charges of a customer or a payment method, one after the other. */
    declineNextCharge: (id: string, declineCode: string): void =>
      answerNextCharge(id, declineOf(declineCode)),
    /** It is `processing` until `settlePayment`. */
    delayNextCharge: (id: string): void => answerNextCharge(id, 'processing'),
    settlePayment: (intentId: string, declineCode?: string): void =>
      void settlePayment(account, intentId, declineCode === undefined ? null : declineOf(declineCode)),
    /** The next attempt that fails is the last: Stripe cancels the intent. */
    endAttempts: (intentId: string): void =>
      void account.lastAttempts.add(account.find('payment_intent', intentId).id),
    enterCard: (sessionId: string, paymentMethodId: string): void =>
      void enterCard(account, account.find('checkout.session', sessionId), paymentMethodId),
    /** The bank asks for a customer at the next payment at which she is present. */
    askNext: (customerId: string): void => void account.asksNext.add(customerId),
    authenticate: (intentId: string, outcome: 'authenticated' | 'failed' = 'authenticated'): void =>
      void answerChallenge(account, account.find('payment_intent', intentId), outcome),
    openDispute: (chargeId: string, opening?: Opening): string => openDispute(account, chargeId, opening).id,
    closeDispute: (disputeId: string, outcome: 'won' | 'lost' | 'warning_closed'): void =>
      void moveDispute(account, disputeId, outcome),
    /** An inquiry becomes a dispute by `needs_response`, a lost dispute is appealed by `appeal_needs_response`. */
    moveDispute: (disputeId: string, status: DisputeStatus): void =>
      void moveDispute(account, disputeId, status),
    /** https://docs.stripe.com/payments/cards/overview#automatic-card-updates */
    renewCard(paymentMethodId: string, card: Partial<PaymentMethod['card']>): void {
      const method = account.find('payment_method', paymentMethodId);
      const renewed = account.save({ ...method, card: { ...method.card, ...card } });
      account.publish('payment_method.automatically_updated', renewed);
    },
    /** A pending refund succeeds, one to the card 5126 fails; others stay as they are, which throws. */
    settleRefund: (refundId: string): void => endRefund(account, refundId),
    cancelRefund: (refundId: string): void => endRefund(account, refundId, 'canceled'),
    deleteCustomer: (customerId: string): void => void deleteCustomer(account, customerId),
    payOutByHand: (): void => payOutByHand(account),
  };
}
