import type { Stripe } from '@stripe/stripe-js';
import * as v from 'valibot';
import { placeScriptWords as words } from '#shared/content/place-script-words.ts';
import { placePaths } from '#shared/place.ts';
import { ActFailed, postAct, showAsItIs } from './act-failed.ts';
import type { CardFields } from './card-fields.ts';

const answerSchema = v.object({ clientSecret: v.string() });

/** Begun under a proof: a card that is refused does not ask for it again. */
let begun: { proof: string; clientSecret: string } | undefined;

/** The setup by which Stripe has the card: another press only tells the site of it. */
let confirmed: string | undefined;

/** Has what she types from now on stored as another card. */
export function forgetConfirmed(): void {
  if (confirmed) begun = undefined;
  confirmed = undefined;
}

interface Change {
  stripe: Stripe;
  token: string;
  /** What she proves herself by. */
  proof: string;
  card: CardFields;
}

/**
 * Stores another card for the balance, and leads to the page as it is then.
 * @throws {ActFailed} when it is not known to be stored
 */
export async function changeCard({ stripe, token, proof, card }: Change): Promise<never> {
  confirmed ??= await confirmCard({ stripe, token, proof, card });
  await postAct(placePaths.cardStored, { token, setupIntent: confirmed }, v.unknown()).catch(notNoted);
  return showAsItIs();
}

/** Stripe has the card, and the site may have noted it although its answer does not say so. */
function notNoted(error: unknown): never {
  if (!(error instanceof ActFailed)) throw error;
  const isLost = error.message === words.offline;
  throw new ActFailed(isLost ? words.notStored : error.message, { isSafe: false });
}

async function confirmCard({ stripe, token, proof, card }: Change): Promise<string> {
  if (begun?.proof !== proof) {
    const { clientSecret } = await postAct(placePaths.card, { token, proof }, answerSchema);
    begun = { proof, clientSecret };
  }
  const { setupIntent, error } = await stripe.confirmCardSetup(begun.clientSecret, {
    payment_method: { card: card.card, billing_details: card.billingDetails() },
  });
  if (setupIntent?.status === 'succeeded') return setupIntent.id;
  if (error?.type !== 'card_error' && error?.type !== 'api_connection_error') begun = undefined;
  if (error?.type === 'api_connection_error') throw new ActFailed(words.offline, { isSafe: true });
  throw new ActFailed(error?.message ?? words.notConfirmed, { isSafe: true });
}
