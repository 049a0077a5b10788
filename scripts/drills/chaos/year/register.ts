import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';
import * as v from 'valibot';
import { agree, answerSchema, detailsOf, post, pressUntilAnswered } from '#scripts/drills/chaos/visits.ts';
import { connect, SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';
import type { Person } from './people.ts';
import type { YearStage } from './stage.ts';

/** A person whose registration has begun. */
export interface Registrant {
  person: Person;
  depositId: string;
  /** In business time; undefined where the deposit is never paid. */
  paidAt?: number;
}

/** Names a registration and its life. */
export const nameOf = ({ depositId, person }: Registrant): string => `${depositId} (${person.life})`;

/**
 * Registers as her browser does, has her consent recorded and pays; sets how her bank answers later charges.
 */
export async function register(person: Person, stage: YearStage): Promise<Registrant> {
  const { siteUrl, sandbox } = stage;
  const key = { [IDEMPOTENCY_KEY_HEADER]: randomBytes(16).toString('hex') };
  const url = new URL(CREATE_PAYMENT_PATH, siteUrl);
  const { answer } = await pressUntilAnswered(person.email, () =>
    post(url, detailsOf(person, person.edition.packageId), key),
  );
  const { paymentIntentClientSecret: secret } = v.parse(answerSchema, answer);
  const depositId = secret.slice(0, secret.indexOf('_secret_'));
  if (person.ending === 'never-registered') return { person, depositId };
  if (person.consents) await agree(person, siteUrl, secret, person.edition.terms);
  const card = await typeCard(stage, person, person.card, person.cardEnds ? person.beganAt : undefined);
  await payByCard(stage, secret, card);
  for (const code of person.declines) sandbox.bank.declineNextCharge(card, code);
  return { person, depositId, paidAt: sandbox.clock.now() };
}

/**
 * Types a card into the page; returns its payment method. The card is valid for years, or for the month of a
 * moment.
 */
export async function typeCard(
  { sandbox }: YearStage,
  { firstName, lastName, postalCode }: Person,
  number: string,
  endsIn?: number,
): Promise<string> {
  const [exp_year = 2031, exp_month = 12] =
    endsIn === undefined ? [] : new Date(endsIn).toISOString().split('-', 2).map(Number);
  const address = { line1: 'Lindenstr. 1', city: 'Berlin', postal_code: postalCode, country: 'DE' };
  const { id } = await browserOf(sandbox).paymentMethods.create({
    type: 'card',
    card: { number, exp_month, exp_year, cvc: '123' },
    billing_details: { name: `${firstName} ${lastName}`, address },
  });
  return id;
}

const confirmedSchema = v.object({ status: v.string() });

/**
 * Confirms a payment in the browser, with 3-D Secure where her bank requires it; returns whether it is paid.
 */
export async function payByCard({ sandbox }: YearStage, secret: string, card: string): Promise<boolean> {
  const browser = browserOf(sandbox);
  const id = secret.slice(0, secret.indexOf('_secret_'));
  const ask = async (path: string, parameters: Record<string, string>) =>
    v.parse(
      confirmedSchema,
      await browser.rawRequest('POST', path, { client_secret: secret, ...parameters }),
    );
  try {
    const { status } = await ask(`/v1/payment_intents/${id}/confirm`, { payment_method: card });
    if (status !== 'requires_action') return status === 'succeeded';
    const challenge = `/sandbox/payment_intents/${id}/challenge`;
    return (await ask(challenge, { outcome: 'authenticated' })).status === 'succeeded';
  } catch (error) {
    // It was paid meanwhile, or her card was declined.
    if (error instanceof Stripe.errors.StripeError && (error.statusCode ?? 500) < 500) return false;
    throw error;
  }
}

/** Stores a card by confirming a SetupIntent in the browser; returns the SetupIntent's id. */
export async function storeCard({ sandbox }: YearStage, secret: string, card: string): Promise<string> {
  const id = secret.slice(0, secret.indexOf('_secret_'));
  const parameters = { client_secret: secret, payment_method: card };
  await browserOf(sandbox).rawRequest('POST', `/v1/setup_intents/${id}/confirm`, parameters);
  return id;
}

/** A Stripe client with the publishable key, like the page's script. */
export function browserOf(sandbox: YearStage['sandbox']): Stripe {
  return connect(sandbox, SANDBOX_KEYS.publishableKey);
}
