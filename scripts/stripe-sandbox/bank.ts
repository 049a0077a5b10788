import type { Account } from './account.ts';
import { type DeclineAdvice, declineOf } from './declines.ts';
import { closeDispute, openDispute } from './disputes.ts';
import type { DisputeReason } from './objects.ts';
import { settleRefund } from './refunds.ts';

/** What happens at the cardholder's bank, which a test or the sandbox's page decides. */
export type Bank = {
  /**
   * Declines the next charge of a customer or a payment method, by its id, with one of Stripe's decline codes. Several
   * orders are kept for as many charges. Throws for a code that Stripe does not document.
   */
  declineNextCharge(id: string, declineCode: string, advice?: DeclineAdvice): void;
  /** Opens a dispute of a charge and returns its id. Throws when the charge has not succeeded, or was disputed before. */
  openDispute(chargeId: string, reason?: DisputeReason): string;
  /** Closes a dispute. Throws when it is closed already. */
  closeDispute(disputeId: string, outcome: 'won' | 'lost'): void;
  /** Lets a pending refund succeed, or one that was made with the card for it fail. Throws for all others. */
  settleRefund(refundId: string): void;
};

/** The bank of all cards in the account. */
export function createBank(account: Account): Bank {
  return {
    declineNextCharge(id, declineCode, advice) {
      const waiting = account.nextDeclines.get(id) ?? [];
      account.nextDeclines.set(id, [...waiting, declineOf(declineCode, advice)]);
    },
    openDispute: (chargeId, reason = 'fraudulent') => openDispute(account, chargeId, reason).id,
    closeDispute(disputeId, outcome) {
      closeDispute(account, disputeId, outcome);
    },
    settleRefund(refundId) {
      settleRefund(account, refundId);
    },
  };
}
