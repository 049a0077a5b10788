import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { type OpenProduct, openProduct } from '#scripts/drills/open-product.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import type { ProductOptions } from '#scripts/product/product.ts';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { TERMS_MARK } from '#server/payments/terms-mark.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

const REDELIVERY_DELAYS_MS = [500, 1_000, 2_000];

/** Everything that a run of the drill uses. */
export interface Stage extends OpenProduct {
  sink: SmtpSink;
  /** Emits `intent` when the app asks Stripe for a PaymentIntent, `consent` when it records one; neither is answered yet. */
  stripeEvents: EventEmitter;
  /** The payments that consents were written to, each time they were. */
  consentWrites: readonly string[];
}

/** The parameters that record a consent with a payment. */
const consentSchema = v.object({ metadata: v.object({ [TERMS_MARK]: v.string() }) });

/** Overrides of the default: one app and one worker, without a proxy in front of them. */
interface StageOptions extends Pick<ProductOptions, 'env' | 'siteUrl' | 'apps' | 'workers'> {
  /** How long Stripe takes to make a payment, and to list payments, which only walks ask for. */
  stripeMs?: number;
  /** Takes a line for each attempt to deliver a webhook. */
  onWebhook?: (line: string) => void;
}

/** Builds the product if need be and starts it, with a Redis, a payment sandbox and a mail server of its own. */
export async function openStage(
  folder: string,
  { stripeMs = 0, onWebhook = () => {}, env, ...fleet }: StageOptions = {},
): Promise<Stage> {
  await buildWhenStale('production', 'dist');
  const stripeEvents = new EventEmitter();
  const consentWrites: string[] = [];
  const sandbox = await startSandbox({
    redeliveryDelaysMs: REDELIVERY_DELAYS_MS,
    log: (line) => line.startsWith('webhook') && onWebhook(line),
    async intercept({ method, path, parameters }) {
      if (method === 'POST' && path === '/v1/payment_intents') stripeEvents.emit('intent');
      if (v.is(consentSchema, parameters)) {
        consentWrites.push(path.slice(path.lastIndexOf('/') + 1));
        stripeEvents.emit('consent');
      }
      if (stripeMs > 0 && path === '/v1/payment_intents') await pause(stripeMs);
      return undefined;
    },
  });
  const sink = await startSmtpSink(await findFreePort());
  const product = await openProduct({
    folder,
    sandbox,
    mailServer: sink,
    ...fleet,
    env: { ...noLimits, LOG_LEVEL: 'debug', MAIL_PER_SECOND: '200', ...env },
  });
  return { ...product, sink, stripeEvents, consentWrites };
}
