import type { Stripe } from '@stripe/stripe-js';
import * as v from 'valibot';
import { ownPageScriptWords as words } from '#shared/content/own-page-script-words.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { ActFailed, postAct, showCurrentPage } from './act-failed.ts';
import type { CardFields } from './card-fields.ts';

const answerSchema = v.object({
  clientSecret: v.string(),
  cents: v.number(),
  /** The card on file. */
  paymentMethod: v.nullish(v.string()),
});

/** The client secret of a confirmation whose outcome is not known: the card may have been charged. */
let unheard: string | undefined;

interface Payment {
  stripe: Stripe;
  token: string;
  /** Her proof of identity: postal code or phone digits. */
  proof: string;
  /** What the page shows, in US cents. */
  cents: number;
  /** The position of the part of a payment plan that the page shows. */
  part: number | undefined;
  /** Another card than the one on file. */
  card: CardFields | undefined;
}

/**
 * Pays the balance, 3-D Secure included, then navigates to her page. If an earlier press paid it and the
 * answer was lost, that payment is found, and nothing is paid again.
 * @throws {ActFailed} unless it is known to be paid
 */
export async function payBalance({ stripe, token, proof, cents, part, card }: Payment): Promise<never> {
  if (unheard) await leaveIfPaid(stripe, unheard);
  const other = card && (await makePaymentMethod(stripe, card));
  const intent = await postAct(ownPagePaths.pay, { token, proof, cents, part }, answerSchema);
  const method = other ?? intent.paymentMethod;
  if (intent.cents !== cents || !method) return showCurrentPage();

  unheard = intent.clientSecret;
  const { paymentIntent, error } = await stripe.confirmCardPayment(intent.clientSecret, {
    payment_method: method,
  });
  if (paymentIntent?.status === 'succeeded') return showCurrentPage();
  if (error?.type === 'card_error') {
    unheard = undefined;
    throw new ActFailed(error.message ?? words.unexpected, { isSafe: true });
  }
  await leaveIfPaid(stripe, intent.clientSecret);
  // Without an explicit refusal the charge may still be on its way to the bank.
  const refused = error?.type === 'invalid_request_error' || error?.type === 'validation_error';
  if (!refused) throw new ActFailed(words.unheard, { isSafe: false });
  unheard = undefined;
  throw new ActFailed(error.message ?? words.notConfirmed, { isSafe: true });
}

async function makePaymentMethod(stripe: Stripe, { card, billingDetails }: CardFields): Promise<string> {
  const { paymentMethod, error } = await stripe.createPaymentMethod({
    type: 'card',
    card,
    billing_details: billingDetails(),
  });
  if (paymentMethod) return paymentMethod.id;
  const offline = error.type === 'api_connection_error';
  throw new ActFailed(offline ? words.offline : (error.message ?? words.unexpected), { isSafe: true });
}

async function leaveIfPaid(stripe: Stripe, clientSecret: string): Promise<void> {
  const { paymentIntent, error } = await stripe.retrievePaymentIntent(clientSecret);
  if (error) throw new ActFailed(words.unheard, { isSafe: false });
  if (paymentIntent.status === 'succeeded') await showCurrentPage();
  if (paymentIntent.status === 'processing') throw new ActFailed(words.processing, { isSafe: false });
}
