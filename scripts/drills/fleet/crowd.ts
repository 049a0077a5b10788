import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type Stripe from 'stripe';
import * as v from 'valibot';
import { postUntilAnswered } from '#client/registration/payment/post-until-answered.ts';
import type { Visitor } from '#scripts/drills/chaos/visitors.ts';
import { detailsOf, type Visit } from '#scripts/drills/chaos/visits.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import {
  CREATE_PAYMENT_PATH,
  createPaymentResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  RECORD_CONSENT_PATH,
} from '#shared/registration.ts';
import type { Fleet } from './stage.ts';

/** The intervals between two registrations and between two page views, in milliseconds. */
export interface Pace {
  registrationMs: number;
  pageMs: number;
}

/** The page's own timeout for a request, and how long a visitor waits for a page. */
const TIMEOUT_MS = 60_000;

/** When a request was sent, and how long the answer took. */
export interface Timed {
  /** In milliseconds since the epoch. */
  atMs: number;
  latencyMs: number;
}

/** A registration, begun at a moment. */
export type TimedVisit = Visit & Timed;

/** What the visitors of a run experienced. */
export interface Met {
  visits: readonly TimedVisit[];
  pages: readonly Timed[];
  /** What failed as a visitor sees it: a page, or a press of the button. */
  problems: readonly string[];
}

/** A crowd that arrives at a constant rate, whatever happens to the servers. */
export interface Crowd {
  /** Stops further arrivals; resolves when all visitors are answered. */
  end(): Promise<Met>;
}

/**
 * Visitors look at the page and register, each once, at a constant rate, until the crowd is ended. Registrations end
 * earlier if no visitor is left.
 */
export function startCrowd(
  { siteUrl, stripe }: Fleet,
  visitors: readonly Visitor[],
  { registrationMs, pageMs }: Pace,
): Crowd {
  const visits: TimedVisit[] = [];
  const pages: Timed[] = [];
  const problems: string[] = [];
  const over = new AbortController();
  const steadily = async (everyMs: number, come: (number: number) => Promise<void>): Promise<void> => {
    const coming: Promise<void>[] = [];
    for (let number = 0; !over.signal.aborted; number += 1) {
      coming.push(come(number).catch((error) => void problems.push(String(error))));
      await pause(everyMs, undefined, { signal: over.signal }).catch(() => {});
    }
    await Promise.all(coming);
  };
  const looking = steadily(pageMs, async () => {
    const atMs = Date.now();
    const answer = await fetch(siteUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await answer.arrayBuffer();
    pages.push({ atMs, latencyMs: Date.now() - atMs });
    if (answer.status !== 200) problems.push(`The page was answered with ${answer.status}`);
  });
  const registering = steadily(registrationMs, async (number) => {
    const visitor = visitors[number];
    if (visitor) visits.push(await registerOnce(visitor, addressOf(number), siteUrl, stripe));
  });
  return {
    async end() {
      over.abort();
      await Promise.all([looking, registering]);
      return { visits, pages, problems };
    },
  };
}

/** The IP address that the outer proxy reports: each visitor has her own. */
export function addressOf(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}

/**
 * Registers as the page does, with one press of each button: the page's own retries do not count as presses.
 * @throws {HttpError} when she would have to press again, or to give up
 */
export async function registerOnce(
  visitor: Visitor,
  address: string,
  siteUrl: string,
  stripe: Stripe,
): Promise<TimedVisit> {
  const atMs = Date.now();
  const send = (path: string, json: object, headers: Record<string, string> = {}) =>
    postUntilAnswered(`${siteUrl}${path}`, {
      headers: { ...headers, 'X-Forwarded-For': address },
      ...{ json, timeoutMs: TIMEOUT_MS },
    });
  const answer = await send(CREATE_PAYMENT_PATH, detailsOf(visitor), {
    [IDEMPOTENCY_KEY_HEADER]: randomBytes(16).toString('hex'),
  });
  const latencyMs = Date.now() - atMs;
  const { paymentIntentClientSecret } = v.parse(createPaymentResponseSchema, answer);
  const paymentIntentId = paymentIntentClientSecret.slice(0, paymentIntentClientSecret.indexOf('_secret_'));
  const begun = { visitor, paymentIntentId, atMs, latencyMs, tries: 1 };
  if (!visitor.pays) return { ...begun, paid: false };
  await pause(visitor.thinksMs);
  const fromMs = Date.now();
  const { version, digest } = terms;
  await send(RECORD_CONSENT_PATH, { paymentIntentClientSecret, version, digest });
  const consent = { terms, fromMs, untilMs: Date.now(), tries: 1 };
  await stripe.paymentIntents.confirm(paymentIntentId, { payment_method: 'pm_card_visa' });
  return { ...begun, paid: true, consent };
}
