import type { Stripe } from '@stripe/stripe-js';
import * as v from 'valibot';
import { ownPageScriptWords as words } from '#shared/content/own-page-script-words.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { ActFailed, postAct, showCurrentPage } from './act-failed.ts';
import type { CardFields } from './card-fields.ts';

const answerSchema = v.object({ clientSecret: v.string() });

/**
 * A card change that the server began after checking a proof of identity. Kept, so that a retry after a
 * refused card does not check the same proof again.
 */
let begun: { proof: string; clientSecret: string } | undefined;

/** The id of the SetupIntent that stored the card at Stripe: a retry only reports it to the site. */
let confirmed: string | undefined;

/** Called when she edits the form: the next submit stores a new card, even if one was already confirmed. */
export function forgetConfirmed(): void {
  if (confirmed) begun = undefined;
  confirmed = undefined;
}

interface Taking {
  stripe: Stripe;
  /** It is sent once the card is stored. */
  form: HTMLFormElement;
  /** The token of the link. */
  link: string;
  card: CardFields;
}

/**
 * Stores the card of somebody who accepts a place, then sends the form, whose answer is another page.
 * @throws {ActFailed} unless the card is known to be stored
 */
export async function takePlace({ stripe, form, link, card }: Taking): Promise<never> {
  confirmed ??= await confirmCard({
    stripe,
    card,
    proof: link,
    begin: () => begin(ownPagePaths.takeCard, { link }),
  });
  const input = form.querySelector<HTMLInputElement>('input[name="setupIntent"]');
  if (input) input.value = confirmed;
  form.submit();
  return new Promise(() => {});
}

interface Change {
  stripe: Stripe;
  token: string;
  /** Her proof of identity: postal code or phone digits. */
  proof: string;
  card: CardFields;
}

/**
 * Stores another card for the balance, then navigates to her page.
 * @throws {ActFailed} unless the card is known to be stored
 */
export async function changeCard({ stripe, token, proof, card }: Change): Promise<never> {
  const beginChange = () => begin(ownPagePaths.card, { token, proof });
  confirmed ??= await confirmCard({ stripe, card, proof, begin: beginChange });
  await postAct(ownPagePaths.cardStored, { token, setupIntent: confirmed }, v.unknown()).catch(
    failAsNotRecorded,
  );
  return showCurrentPage();
}

/** Stripe has the card, and the site may have recorded it even though the request failed. */
function failAsNotRecorded(error: unknown): never {
  if (!(error instanceof ActFailed)) throw error;
  const isLost = error.message === words.offline;
  throw new ActFailed(isLost ? words.notStored : error.message, { isSafe: false });
}

async function begin(path: string, json: object): Promise<string> {
  return (await postAct(path, json, answerSchema)).clientSecret;
}

interface Storing extends Pick<Change, 'stripe' | 'proof' | 'card'> {
  /** @returns the client secret with which Stripe stores the card */
  begin(): Promise<string>;
}

async function confirmCard({ stripe, proof, card, begin }: Storing): Promise<string> {
  if (begun?.proof !== proof) begun = { proof, clientSecret: await begin() };
  const { setupIntent, error } = await stripe.confirmCardSetup(begun.clientSecret, {
    payment_method: { card: card.card, billing_details: card.billingDetails() },
  });
  if (setupIntent?.status === 'succeeded') return setupIntent.id;
  if (error?.type !== 'card_error' && error?.type !== 'api_connection_error') begun = undefined;
  if (error?.type === 'api_connection_error') throw new ActFailed(words.offline, { isSafe: true });
  // It was closed, after too many declined cards.
  const isClosed = error?.code === 'setup_intent_unexpected_state';
  throw new ActFailed(isClosed ? words.tooMany : (error?.message ?? words.notConfirmed), { isSafe: true });
}
