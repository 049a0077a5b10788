import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import * as v from 'valibot';
import { post, RequestFailedError } from '#client/registration/payment/http-client.ts';
import { connect, SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Span } from '#scripts/world/editions.ts';
import { CARDS } from '#scripts/world/life.ts';
import type { Person, PlannedDeed } from '#scripts/world/people.ts';
import { registrationIdOf } from '#server/registration/registrations.ts';
import {
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  createPaymentResponseSchema,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  RECORD_CONSENT_PATH,
  REGISTER_AWAY,
  type RecordConsentRequest,
} from '#shared/registration.ts';
import { actFields, registerByPhone } from './office.ts';
import type { Stage } from './stage.ts';

/** The browser's timeout for a request; how long she looks at an error before she presses again; when she gives up. */
const REQUEST_TIMEOUT_MS = 60_000;
const PRESS_AGAIN_MS = 250;
const GIVE_UP_MS = 120_000;

/** A person whose registration has begun, and what she and others did since. Moments are in business time. */
export interface Registrant {
  person: Person;
  /** The id of her registration. */
  registration: string;
  /** Between her first press and the answer that she is registered. */
  begun?: Span;
  /** Undefined where the deposit is never paid. */
  paidAt?: number;
  /** Between her first press and the answer that her consent is recorded. */
  agreed?: Span;
  done: (Span & { deed: PlannedDeed })[];
  presses: number;
}

export const nameOf = ({ registration, person }: Pick<Registrant, 'registration' | 'person'>): string =>
  `${registration} (${person.life})`;

/** Posts what the page sends; tells how often it did until it was answered. */
export type Send = (
  path: string,
  json: object,
  headers?: Record<string, string>,
) => Promise<{ answer: unknown; tries: number }>;

/** How the drill counts that a visitor was told to try again, since the register cannot be used. */
export const TOLD_AWAY = 'visitors told that the register is away';

/** She presses again until she is answered; while the register is away, the page does so when the answer says. */
const pressing = ({ siteUrl, count }: Pick<Stage, 'siteUrl' | 'count'>, email: string): Send => {
  // Few places are held from one network.
  const address = `10.${randomInt(256)}.${randomInt(256)}.1`;
  return async (path, json, headers = {}) => {
    const deadline = Date.now() + GIVE_UP_MS;
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await post(`${siteUrl}${path}`, {
          json,
          headers: { ...headers, 'X-Forwarded-For': address },
          timeoutMs: REQUEST_TIMEOUT_MS,
        });
        return { answer, tries };
      } catch (error) {
        if (Date.now() > deadline) throw new Error(`${email} was not answered`, { cause: error });
        const againS = error instanceof RequestFailedError ? againIn(error, email) : 0;
        if (againS > 0) count(TOLD_AWAY);
        await pause(againS > 0 ? againS * 1_000 : PRESS_AGAIN_MS);
      }
    }
  };
};

/**
 * How many seconds the page waits while the register is away; 0 where she may press again.
 * @throws {Error} when she is refused, or told of an error that she cannot do anything about
 */
function againIn({ status, body, retryAfterS = 0 }: RequestFailedError, email: string): number {
  const answer = `${status} ${JSON.stringify(body)}`;
  if (status < 500) throw new Error(`${email} was refused: ${answer}`);
  const { code } = v.parse(errorResponseSchema, body).error;
  if (code === 'unexpected' || (code === REGISTER_AWAY && retryAfterS === 0))
    throw new Error(`${email} was answered ${answer}`);
  return code === REGISTER_AWAY ? retryAfterS : 0;
}

/**
 * Registers as her browser does, has her consent recorded, and only then pays; sets how her bank answers later charges. Who
 * calls is registered by the office.
 * @throws {Error} when she is refused, or not answered within two minutes
 */
export async function register(
  person: Person,
  stage: Stage,
  { thinksMs = 0, send = pressing(stage, person.email) }: { thinksMs?: number; send?: Send } = {},
): Promise<Registrant> {
  const { sandbox, moments } = stage;
  const { edition, card, cardEnds, consents, declines } = person;
  const { firstName, lastName, email, phoneNumber } = person;
  const details: CreatePaymentRequest = {
    firstName,
    lastName,
    email,
    phoneNumber,
    package: edition.packageId,
    timeZone: 'Europe/Berlin',
  };
  const key = randomBytes(16).toString('hex');
  const begin = () => send(CREATE_PAYMENT_PATH, details, { [IDEMPOTENCY_KEY_HEADER]: key });
  const pressedAt = stage.siteTime();
  if (person.phone.length > 0) {
    const fields = [...actFields({ firstName, lastName, email, phoneNumber }), ...person.phone];
    const registration = await registerByPhone(edition.id, fields, person, stage);
    const begun = { from: pressedAt, until: sandbox.clock.now() };
    return { person, registration, begun, presses: 1, done: [], agreed: begun };
  }
  const { answer, tries } = await begin();
  const { paymentIntentClientSecret } = v.parse(createPaymentResponseSchema, answer);
  const registration = registrationIdOf(key);
  const answered = { from: pressedAt, until: sandbox.clock.now() };
  const begun: Registrant = { person, registration, begun: answered, presses: tries, done: [] };
  if (person.ending === 'never-registered') return begun;
  await pause(thinksMs);
  const from = sandbox.clock.now();
  const method = await typeCard(stage, person, CARDS[card], cardEnds ? person.beganAt : undefined);
  if (consents) {
    const { version, digest } = edition.terms;
    const consent: RecordConsentRequest = {
      paymentIntentClientSecret,
      version,
      digest,
    };
    moments.emit('consent');
    await send(RECORD_CONSENT_PATH, consent).catch(async (error: unknown) => {
      // The register was restored from a copy that is older than her registration: she goes back, and sends her details again.
      if (!String(error).includes('registration_not_found')) throw error;
      await begin();
      await send(RECORD_CONSENT_PATH, consent);
    });
  }
  const agreed = { from, until: sandbox.clock.now() };
  await payByCard(stage, paymentIntentClientSecret, method);
  for (const code of declines) sandbox.bank.declineNextCharge(method, code);
  return { ...begun, ...(consents && { agreed }), paidAt: sandbox.clock.now() };
}

const ADDRESS = { line1: 'Lindenstr. 1', city: 'Berlin', state: 'Berlin', country: 'DE' };

const paymentOf = (secret: string): string => secret.slice(0, secret.indexOf('_secret_'));

/** Types a card into the page; returns its payment method. It is valid for years, or for the month of a moment. */
export async function typeCard(
  { sandbox }: Stage,
  { firstName, lastName, postalCode }: Person,
  number: string,
  endsIn?: number,
): Promise<string> {
  const [exp_year = 2031, exp_month = 12] =
    endsIn === undefined ? [] : new Date(endsIn).toISOString().split('-', 2).map(Number);
  const { id } = await browserOf(sandbox).paymentMethods.create({
    type: 'card',
    card: { number, exp_month, exp_year, cvc: '123' },
    billing_details: { name: `${firstName} ${lastName}`, address: { ...ADDRESS, postal_code: postalCode } },
  });
  return id;
}

const confirmedSchema = v.object({ status: v.string() });

/** Confirms a payment in the browser, with 3-D Secure where her bank requires it; returns whether it is paid. */
export async function payByCard({ sandbox }: Stage, secret: string, card: string): Promise<boolean> {
  const payment = paymentOf(secret);
  const ask = async (path: string, parameters: Record<string, string>) => {
    const given = { client_secret: secret, ...parameters };
    return v.parse(confirmedSchema, await browserOf(sandbox).rawRequest('POST', path, given)).status;
  };
  try {
    const status = await ask(`/v1/payment_intents/${payment}/confirm`, { payment_method: card });
    if (status !== 'requires_action') return status === 'succeeded';
    const challenge = `/sandbox/payment_intents/${payment}/challenge`;
    return (await ask(challenge, { outcome: 'authenticated' })) === 'succeeded';
  } catch (error) {
    // It was paid meanwhile, or her card was declined.
    if (error instanceof Stripe.errors.StripeError && (error.statusCode ?? 500) < 500) return false;
    throw error;
  }
}

/** A Stripe client with the publishable key, like the page's script. */
const browserOf = (sandbox: Stage['sandbox']): Stripe => connect(sandbox, SANDBOX_KEYS.publishableKey);
