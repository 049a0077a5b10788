import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type Stripe from 'stripe';
import * as v from 'valibot';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { Terms } from '#shared/content/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import {
  type Contact,
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  createPaymentResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  RECORD_CONSENT_PATH,
  type RecordConsentRequest,
} from '#shared/registration.ts';
import type { Stage } from './stage.ts';
import type { Visitor } from './visitors.ts';

/**
 * The browser's timeout for a request; how long a visitor looks at an error before she presses again; when
 * she gives up.
 */
const REQUEST_TIMEOUT_MS = 60_000;
const PRESS_AGAIN_MS = 250;
const GIVE_UP_MS = 120_000;

/** How a visitor's registration went. */
export interface Visit {
  visitor: Visitor;
  paymentIntentId: string;
  /** The latency of the request that was answered with success. */
  latencyMs: number;
  /** How often she pressed the button. */
  tries: number;
  paid: boolean;
  /** Her consent to the terms, without which she does not pay. */
  consent?: Consent;
}

/** The terms that she agreed to. */
type Agreed = Pick<Terms, 'version' | 'digest'>;

/** A recorded consent, as the visitor knows it. */
interface Consent {
  terms: Agreed;
  /** Between her first press and the answer, in milliseconds since the epoch. */
  fromMs: number;
  untilMs: number;
  /** How often she sent it. */
  tries: number;
}

/** What happened to some visitors. */
export interface Visits {
  visits: Visit[];
  /** Why the others have no registration. */
  problems: string[];
}

/** Lets visitors come at regular intervals, however long each of them takes, and waits for all. */
export async function arrive(
  visitors: readonly Visitor[],
  everyMs: number,
  { siteUrl, stripe }: Pick<Stage, 'siteUrl' | 'stripe'>,
): Promise<Visits> {
  const outcomes = await Promise.allSettled(
    visitors.map(async (visitor, place) => {
      await pause(place * everyMs);
      return visit(visitor, siteUrl, stripe);
    }),
  );
  return {
    visits: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    problems: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : [])),
  };
}

/**
 * Opens the page and registers, then, if she is one who pays, has her consent to the terms recorded, and only then pays.
 * Presses again until she is answered.
 * @throws {Error} when she is refused, or not answered within two minutes
 */
async function visit(visitor: Visitor, siteUrl: string, stripe: Stripe): Promise<Visit> {
  const { email, pays, thinksMs } = visitor;
  const terms = await readTerms(email, siteUrl);
  const idempotencyKey = randomBytes(16).toString('hex');
  const { answer, latencyMs, tries } = await pressUntilAnswered(email, () =>
    post(new URL(CREATE_PAYMENT_PATH, siteUrl), detailsOf(visitor), {
      [IDEMPOTENCY_KEY_HEADER]: idempotencyKey,
    }),
  );
  const { paymentIntentClientSecret: secret } = v.parse(answerSchema, answer);
  const paymentIntentId = secret.slice(0, secret.indexOf('_secret_'));
  const begun = { visitor, paymentIntentId, latencyMs, tries };
  if (!pays) return { ...begun, paid: false };
  await pause(thinksMs);
  const consent = await agree(visitor, siteUrl, secret, terms);
  await stripe.paymentIntents.confirm(paymentIntentId, { payment_method: 'pm_card_visa' });
  return { ...begun, paid: true, consent };
}

export const answerSchema = v.pipe(v.string(), v.parseJson(), createPaymentResponseSchema);

export function detailsOf(
  { firstName, lastName, email, phoneNumber }: Contact,
  packageId = facts.retreatPackage.id,
): CreatePaymentRequest {
  const contact = { firstName, lastName, email, phoneNumber };
  return { ...contact, package: packageId, timeZone: 'Europe/Berlin' };
}

/** The terms to which the page of an app leads: while a release is replaced, its apps may show different ones. */
async function readTerms(email: string, siteUrl: string): Promise<Terms> {
  const { answer } = await pressUntilAnswered(email, () => send(new URL(siteUrl)));
  const shown = edition.agreed.find((one) => answer.includes(`"${termsPathOf(facts, one)}"`));
  if (!shown) throw new Error(`The page of ${siteUrl} leads to no terms that are known here`);
  return shown;
}

/** Records her consent to the terms that the page shows. */
export async function agree(
  { email }: Contact,
  siteUrl: string,
  paymentIntentClientSecret: string,
  { version, digest }: Agreed,
): Promise<Consent> {
  const consent: RecordConsentRequest = { paymentIntentClientSecret, version, digest };
  const fromMs = Date.now();
  const { tries } = await pressUntilAnswered(email, () =>
    post(new URL(RECORD_CONSENT_PATH, siteUrl), consent),
  );
  return { terms: { version, digest }, fromMs, untilMs: Date.now(), tries };
}

/** Presses until a request succeeds; returns its answer's text, its latency, and the number of presses. */
export async function pressUntilAnswered(email: string, press: () => ReturnType<typeof send>) {
  const deadline = Date.now() + GIVE_UP_MS;
  for (let tries = 1; ; tries += 1) {
    const startMs = performance.now();
    const answer = await press().catch(() => undefined);
    const latencyMs = performance.now() - startMs;
    if (answer && answer.status < 300) return { answer: answer.text, latencyMs, tries };
    if (answer && answer.status < 500)
      throw new Error(`${email} was refused: ${answer.status} ${answer.text}`);
    if (Date.now() > deadline) throw new Error(`${email} was not answered`);
    await pause(PRESS_AGAIN_MS);
  }
}

export function post(url: URL, body: object, headers: Readonly<Record<string, string>> = {}) {
  return send(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function send(url: URL, options: RequestInit = {}) {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  return { status: response.status, text: await response.text() };
}
