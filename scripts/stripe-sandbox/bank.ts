import type { RequestHandler } from 'express';
import * as v from 'valibot';
import type { Account } from './account.ts';
import { ApiError } from './answer.ts';
import { CARD_NUMBERS } from './cards.ts';
import { closeDispute, openDispute, settleRefund } from './charges.ts';
import { DECLINE_CODES, type DeclineAdvice, declineOf } from './declines.ts';
import type { DisputeReason, PaymentMethod } from './objects.ts';

/** The cardholder's bank, controlled by a test or by the sandbox's page. */
export type Bank = ReturnType<typeof createBank>;

/** The bank of all cards in the account. */
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

const id = v.pipe(v.string(), v.trim(), v.nonEmpty());

const bankSchema = v.variant('act', [
  v.object({ act: v.literal('decline'), id, code: v.picklist(DECLINE_CODES) }),
  v.object({ act: v.literal('wallet'), card: v.picklist(['', ...CARD_NUMBERS]) }),
  v.object({ act: v.picklist(['dispute', 'won', 'lost', 'settle']), id }),
]);

/** `POST /sandbox/bank` of the sandbox's page: what the bank does with a charge, a dispute, a refund or a wallet. */
export function playBank(bank: Bank): RequestHandler {
  return (request, response) => {
    const { success, output: asked } = v.safeParse(bankSchema, request.body);
    if (!success) {
      response.status(400).type('text').send('The bank cannot do that\n');
      return;
    }
    try {
      if (asked.act === 'decline') bank.declineNextCharge(asked.id, asked.code);
      else if (asked.act === 'wallet') bank.fillWallets(asked.card);
      else if (asked.act === 'dispute') bank.openDispute(asked.id);
      else if (asked.act === 'settle') bank.settleRefund(asked.id);
      else bank.closeDispute(asked.id, asked.act);
      response.redirect(303, '/');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      response.status(409).type('text').send(`${error.message}\n`);
    }
  };
}
