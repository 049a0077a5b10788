import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import * as v from 'valibot';
import { connect, SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { registrationIdOf } from '#server/registration/registration.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import {
  CREATE_PAYMENT_PATH,
  createPaymentResponseSchema,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  RECORD_CONSENT_PATH,
} from '#shared/registration.ts';
import { CARDS, type Person } from './lives.ts';
import type { Site } from './site.ts';

/** The browser's timeout for a request; how long she looks at an error before she presses again; when she gives up. */
const REQUEST_MS = 60_000;
const PRESS_AGAIN_MS = 250;
const GIVE_UP_MS = 120_000;
const ADDRESS = { line1: 'Lindenstr. 1', city: 'Berlin', state: 'Berlin', country: 'DE' };

/** Somebody whose registration has begun. Moments are in business time. */
export interface Registrant {
  person: Person;
  registration: string;
  /** Undefined where the deposit is never paid. */
  paidAt?: number;
}

/**
 * Registers as her browser does, has her consent recorded, and only then pays; sets how her bank answers later charges.
 * @throws {Error} when she is refused, told nothing that she can act on, or not answered within two minutes
 */
export async function register(person: Person, site: Site): Promise<Registrant> {
  const { firstName, lastName, email, phoneNumber } = person;
  const headers = { [IDEMPOTENCY_KEY_HEADER]: randomBytes(16).toString('hex') };
  // Few places are held from one network.
  const press = pressing(site, email, `10.${randomInt(256)}.${randomInt(256)}.1`);
  const details = {
    ...{ firstName, lastName, email, phoneNumber, timeZone: 'Europe/Berlin' },
    package: edition.facts.retreatPackage.id,
  };
  const begin = () => press(CREATE_PAYMENT_PATH, details, headers);
  const { paymentIntentClientSecret } = v.parse(createPaymentResponseSchema, await begin());
  const registrant = { person, registration: registrationIdOf(headers[IDEMPOTENCY_KEY_HEADER] ?? '') };
  if (!person.pays) return registrant;
  const method = await typeCard(site, person);
  const { version, digest } = edition.terms;
  if (person.consents) {
    site.instants.emit('consent');
    const agree = () => press(RECORD_CONSENT_PATH, { paymentIntentClientSecret, version, digest });
    // Where the register was restored from a copy that is older than her registration she sends her details once more.
    await agree().catch((error: Error) =>
      error.message.includes('registration_not_found') ? begin().then(agree) : Promise.reject(error),
    );
  }
  await confirm(site, paymentIntentClientSecret, method);
  for (const code of person.declines) site.sandbox.bank.declineNextCharge(method, code);
  return { ...registrant, paidAt: site.sandbox.clock.now() };
}

/** Presses again until she is answered; where the answer says when, the page does so then. */
const pressing =
  ({ siteUrl }: Site, email: string, address: string) =>
  async (path: string, json: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const send = () =>
      fetch(`${siteUrl}${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', 'X-Forwarded-For': address },
        body: JSON.stringify(json),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
    for (const deadline = Date.now() + GIVE_UP_MS; Date.now() < deadline; ) {
      const answer = await send().catch(() => undefined);
      const body: unknown = await answer?.json().catch(() => undefined);
      if (answer?.ok && (answer.status === 204 || body !== undefined)) return body;
      const afterS = Number(answer?.headers.get('Retry-After') ?? 0);
      const { code } = v.is(errorResponseSchema, body) ? body.error : {};
      const isHopeless = answer && answer.status < 500 && answer.status !== 429 && !answer.ok;
      if (isHopeless || code === 'unexpected') throw new Error(`${email}: ${answer?.status} ${code}`);
      await pause(afterS > 0 ? afterS * 1_000 : PRESS_AGAIN_MS);
    }
    throw new Error(`${email} was not answered`);
  };

/** Types a card into Stripe's fields; returns its payment method. */
export async function typeCard(
  { sandbox }: Pick<Site, 'sandbox'>,
  { card, firstName, lastName, postalCode }: Pick<Person, 'card' | 'firstName' | 'lastName' | 'postalCode'>,
): Promise<string> {
  const { id } = await browserOf(sandbox).paymentMethods.create({
    type: 'card',
    card: { number: CARDS[card], exp_month: 12, exp_year: 2031, cvc: '123' },
    billing_details: { name: `${firstName} ${lastName}`, address: { ...ADDRESS, postal_code: postalCode } },
  });
  return id;
}

/** Confirms a payment in the browser; a deposit's card asks for nothing, or is authenticated. */
async function confirm({ sandbox }: Site, secret: string, method: string): Promise<void> {
  const payment = secret.slice(0, secret.indexOf('_secret_'));
  const ask = async (path: string, parameters: object) => {
    const given = { client_secret: secret, ...parameters };
    return v.parse(v.object({ status: v.string() }), await browserOf(sandbox).rawRequest('POST', path, given))
      .status;
  };
  try {
    const status = await ask(`/v1/payment_intents/${payment}/confirm`, { payment_method: method });
    if (status === 'requires_action')
      await ask(`/sandbox/payment_intents/${payment}/challenge`, { outcome: 'authenticated' });
  } catch (error) {
    // It was paid meanwhile.
    if (!(error instanceof Stripe.errors.StripeError) || (error.statusCode ?? 500) >= 500) throw error;
  }
}

/** A Stripe client with the publishable key, like the page's script. */
const browserOf = (sandbox: Site['sandbox']): Stripe => connect(sandbox, SANDBOX_KEYS.publishableKey);
