import type { Stripe } from '@stripe/stripe-js';
import * as v from 'valibot';
import { post, RequestFailedError } from '#client/registration/payment/http-client.ts';
import { ownPageScriptWords as words } from '#shared/content/own-page-script-words.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import type { CardFields } from './card-fields.ts';

const begunSchema = v.object({ clientSecret: v.string() });

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
  return (await postAct(path, json, begunSchema)).clientSecret;
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

/** An act on her page that was not carried out; the message is the reason shown to her. */
export class ActFailed extends Error {
  /** Whether her money and card are known to be unchanged; if not, the message says what is uncertain. */
  readonly isSafe: boolean;
  /** The error of the identity proof (postal code or phone digits), if that was refused. */
  readonly proof: string | undefined;

  constructor(message: string, { isSafe, proof }: { isSafe: boolean; proof?: string | undefined }) {
    super(message);
    this.name = 'ActFailed';
    this.isSafe = isSafe;
    this.proof = proof;
  }
}

const TIMEOUT_MS = 30_000;

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY = 429;

const refusalSchema = v.object({
  error: v.object({
    code: v.string(),
    message: v.string(),
    /** The only field that the site itself validates. */
    fields: v.optional(v.object({ proof: v.optional(v.string()) })),
  }),
});

/**
 * Posts an act. If the answer says that the page she saw is out of date, it navigates to the current page and
 * never resolves.
 * @throws {ActFailed} when the request fails, is refused, or gets an unexpected answer
 */
async function postAct<Schema extends v.GenericSchema>(
  path: string,
  json: object,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  let answer: unknown;
  try {
    answer = await post(path, { json, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof RequestFailedError)) throw new ActFailed(words.offline, { isSafe: true });
    const refusal = v.safeParse(refusalSchema, error.body);
    if (!refusal.success) throw new ActFailed(wordsFor(error.status), { isSafe: true });
    const { code, message, fields } = refusal.output.error;
    if (code === 'changed') await showCurrentPage();
    throw new ActFailed(message, { isSafe: true, proof: fields?.proof });
  }
  const parsed = v.safeParse(schema, answer);
  if (!parsed.success) throw new ActFailed(words.unexpected, { isSafe: true });
  return parsed.output;
}

function wordsFor(status: number): string {
  if (status === UNAUTHORIZED || status === FORBIDDEN) return words.closed;
  return status === TOO_MANY ? words.tooMany : words.unexpected;
}

/** Navigates to her page, which shows the current state and the act's result. Never resolves. */
function showCurrentPage(): Promise<never> {
  location.assign(OWN_PAGE_PATH);
  return new Promise(() => {});
}
