import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type Stripe from 'stripe';
import * as v from 'valibot';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import {
  type Contact,
  CREATE_PAYMENT_PATH,
  createPaymentResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
} from '#shared/registration.ts';
import { between, type Random } from './plan-faults.ts';
import type { Stage } from './stage.ts';

/** As the browser does; and how long a visitor looks at an error before she presses again. */
const REQUEST_TIMEOUT_MS = 60_000;
const PRESS_AGAIN_MS = 250;
const PATIENCE_MS = 120_000;

const PAYING_SHARE = 0.8;
const LONGEST_THOUGHT_MS = 1_500;

/** What is in every visitor's details, and never to be in a log. */
export const VISITOR_MARKS = /quillfeather|marrowby|visitors\.example|visitors%2Eexample|30[ -]?5550[ -]?1/i;

/** Who registers. */
export interface Visitor extends Contact {
  pays: boolean;
  /** Between the answer and her payment. */
  thinksMs: number;
}

/** How a visitor's registration went. */
export interface Visit {
  visitor: Visitor;
  paymentIntentId: string;
  /** Of the request that was answered with success. */
  latencyMs: number;
  /** How often she pressed the button. */
  tries: number;
  paid: boolean;
}

/** What came of some visitors. */
export interface Visits {
  visits: Visit[];
  /** Why the others have no registration. */
  problems: string[];
}

/** Draws visitors, of whom about four in five pay. */
export function drawVisitors(random: Random, count: number): Visitor[] {
  return Array.from({ length: count }, (_, number) =>
    visitorOf(number, {
      pays: random() < PAYING_SHARE,
      thinksMs: between(random, 0, LONGEST_THOUGHT_MS),
    }),
  );
}

/** Lets visitors come one after the other, however long each of them takes, and waits for all. */
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

/** A visitor by her number, whose details are like nobody else's. */
function visitorOf(number: number, habits: Pick<Visitor, 'pays' | 'thinksMs'>): Visitor {
  const digits = String(number).padStart(6, '0');
  return {
    firstName: `Quillfeather${digits}`,
    lastName: `Marrowby${digits}`,
    email: `guest-${digits}@visitors.example`,
    phoneNumber: `+49 30 5550 1${digits}`,
    ...habits,
  };
}

/**
 * Registers, pressing again until she is answered, then pays if she is one who pays.
 * @throws {Error} when she is refused, or not answered within two minutes
 */
async function visit(visitor: Visitor, siteUrl: string, stripe: Stripe): Promise<Visit> {
  const idempotencyKey = randomBytes(16).toString('hex');
  const deadline = Date.now() + PATIENCE_MS;
  for (let tries = 1; ; tries += 1) {
    const startMs = performance.now();
    const secret = await submit(visitor, siteUrl, idempotencyKey);
    const latencyMs = performance.now() - startMs;
    if (secret) {
      const paymentIntentId = secret.slice(0, secret.indexOf('_secret_'));
      const paid = await pay(visitor, paymentIntentId, stripe);
      return { visitor, paymentIntentId, latencyMs, tries, paid };
    }
    if (Date.now() > deadline) throw new Error(`${visitor.email} was not answered`);
    await pause(PRESS_AGAIN_MS);
  }
}

/** The client secret, or undefined when there was no answer, or only that it went wrong. */
async function submit(visitor: Visitor, siteUrl: string, key: string): Promise<string | undefined> {
  const answer = await post(visitor, siteUrl, key).catch(() => undefined);
  if (!answer || answer.status >= 500) return undefined;
  if (answer.status !== 200) throw new Error(`${visitor.email} was refused: ${answer.status} ${answer.text}`);
  return v.parse(answerSchema, answer.text).paymentIntentClientSecret;
}

const answerSchema = v.pipe(v.string(), v.parseJson(), createPaymentResponseSchema);

async function post({ firstName, lastName, email, phoneNumber }: Visitor, siteUrl: string, key: string) {
  const contact = { firstName, lastName, email, phoneNumber };
  const response = await fetch(new URL(CREATE_PAYMENT_PATH, siteUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: key },
    body: JSON.stringify({ ...contact, package: facts.retreatPackage.id, timeZone: 'Europe/Berlin' }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  return { status: response.status, text: await response.text() };
}

async function pay({ pays, thinksMs }: Visitor, id: string, stripe: Stripe): Promise<boolean> {
  if (!pays) return false;
  await pause(thinksMs);
  await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  return true;
}
