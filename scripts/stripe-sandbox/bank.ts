import type { Account, PaymentMethod } from './account.ts';
import { payOutByHand } from './balance.ts';
import { type DeclineAdvice, declineOf } from './cards.ts';
import { enterCard } from './checkout.ts';
import { deleteCustomer } from './customers.ts';
import { type DisputeStatus, moveDispute, type Opening, openDispute } from './disputes.ts';
import { answerChallenge, settlePayment } from './intents.ts';
import { endRefund } from './refunds.ts';

/** The cardholder's bank and Stripe itself, as a test controls them. */
export function createBank(account: Account) {
  const answerNextCharge = (id: string, answer: 'processing' | ReturnType<typeof declineOf>) => {
    account.nextCharges.set(id, [...(account.nextCharges.get(id) ?? []), answer]);
  };
  return {
    /**
     * Declines the next charge of a customer or a payment method, by its id, with one of Stripe's decline codes. Several
     * calls decline as many charges, one after the other.
     */
    declineNextCharge: (id: string, declineCode: string, advice?: DeclineAdvice): void =>
      answerNextCharge(id, declineOf(declineCode, advice)),
    /** Lets the next charge of a customer or a payment method be `processing` until `settlePayment`. */
    delayNextCharge: (id: string): void => answerNextCharge(id, 'processing'),
    /** The bank's answer to a payment intent that is `processing`: paid, or declined with a code. */
    settlePayment: (intentId: string, declineCode?: string): void =>
      void settlePayment(account, intentId, declineCode === undefined ? null : declineOf(declineCode)),
    /** If the next attempt of this payment intent fails, Stripe cancels it: its limit of attempts is reached. */
    endAttempts: (intentId: string): void =>
      void account.lastAttempts.add(account.find('payment_intent', intentId).id),
    /** A card is entered on the page of a Checkout session. Throws when it is declined, or the session is not open. */
    enterCard: (sessionId: string, paymentMethodId: string): void =>
      void enterCard(account, account.find('checkout.session', sessionId), paymentMethodId),
    /** The bank asks for a customer at the next payment at which she is present. */
    askNext: (customerId: string): void => void account.asksNext.add(customerId),
    /** The cardholder does on the bank's page what a payment waits for, or fails to. */
    authenticate: (intentId: string, outcome: 'authenticated' | 'failed' = 'authenticated'): void =>
      void answerChallenge(account, account.find('payment_intent', intentId), outcome),
    /** Opens a dispute of a charge and returns its id. Throws when the charge has not succeeded, or less of it is left. */
    openDispute: (chargeId: string, opening?: Opening): string => openDispute(account, chargeId, opening).id,
    closeDispute: (disputeId: string, outcome: 'won' | 'lost' | 'warning_closed'): void =>
      void moveDispute(account, disputeId, outcome),
    /** An inquiry becomes a dispute by `needs_response`, a lost dispute is appealed by `appeal_needs_response`. */
    moveDispute: (disputeId: string, status: DisputeStatus): void =>
      void moveDispute(account, disputeId, status),
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
    settleRefund: (refundId: string): void => endRefund(account, refundId),
    /** Cancels a pending refund, as a person can in the dashboard. */
    cancelRefund: (refundId: string): void => endRefund(account, refundId, 'canceled'),
    deleteCustomer: (customerId: string): void => void deleteCustomer(account, customerId),
    payOutByHand: (): void => payOutByHand(account),
  };
}
