import { createHmac } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Event } from './account.ts';

/** The waits before each redelivery; the last one repeats. */
export const REDELIVERY_DELAYS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

const ANSWER_TIMEOUT_MS = 10_000;

/** How often an event is sent, once that is available; 0 loses it. */
export type Deliver = (event: Event) => Promise<number> | number;

type WebhookOptions = {
  deliver: Deliver;
  secret: string;
  redeliveryDelaysMs: readonly number[];
  log: (line: string) => void;
};

export class Webhooks {
  readonly #options: WebhookOptions;
  readonly #closing = new AbortController();
  /** Resolves to 0 copies on closing, so that no event is sent after it. */
  readonly #closed: Promise<0>;
  readonly #deliveries = new Set<Promise<unknown>>();
  readonly #firstAttempts = new Set<Promise<unknown>>();
  #url: string | undefined;

  constructor(options: WebhookOptions) {
    this.#options = options;
    setMaxListeners(0, this.#closing.signal);
    this.#closed = once(this.#closing.signal, 'abort').then(() => 0);
  }

  setUrl(url: string): void {
    this.#url = url;
  }

  send(event: Event): void {
    const label = `${event.type} ${event.id}`;
    const payload = JSON.stringify(event);
    const first = this.#sendCopies(event, label, payload);
    const redeliver = (refused: number) =>
      Promise.all(Array.from({ length: refused }, () => this.#redeliver(label, payload)));
    keepUntilEnd(this.#firstAttempts, first);
    keepUntilEnd(this.#deliveries, first.then(redeliver));
  }

  async attempted(): Promise<void> {
    await Promise.all(this.#firstAttempts);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#deliveries);
  }

  /** @returns how many copies were refused */
  async #sendCopies(event: Event, label: string, payload: string): Promise<number> {
    const copies = await Promise.race([this.#options.deliver(event), this.#closed]);
    const sent = Array.from({ length: copies }, () => this.#deliver(label, payload, 1));
    return (await Promise.all(sent)).filter((isDelivered) => !isDelivered).length;
  }

  async #redeliver(label: string, payload: string): Promise<void> {
    const { redeliveryDelaysMs } = this.#options;
    for (let attempt = 2; !this.#closing.signal.aborted; attempt += 1) {
      const delayMs = redeliveryDelaysMs[Math.min(attempt - 1, redeliveryDelaysMs.length) - 1] ?? 0;
      await delay(delayMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
      if (this.#closing.signal.aborted || (await this.#deliver(label, payload, attempt))) return;
    }
  }

  /** @returns whether it was accepted, or nobody listens */
  async #deliver(label: string, payload: string, attempt: number): Promise<boolean> {
    const answer = await this.#post(payload).catch((error: unknown) => {
      return `failed: ${error instanceof Error ? (error.cause ?? error.name) : ''}`;
    });
    const text = typeof answer === 'string' ? answer : (answer?.status ?? 'no webhook url');
    this.#options.log(`webhook ${label} -> ${text}${attempt > 1 ? ` (attempt ${attempt})` : ''}`);
    return typeof answer !== 'string' && answer?.ok !== false;
  }

  async #post(payload: string): Promise<Response | undefined> {
    if (this.#url === undefined) return undefined;
    // Receivers refuse a signature that is more than five minutes old in real time.
    const timestamp = Math.floor(Date.now() / 1000);
    const signed = createHmac('sha256', this.#options.secret).update(`${timestamp}.${payload}`).digest('hex');
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Stripe-Signature': `t=${timestamp},v1=${signed}`,
      },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response;
  }
}

function keepUntilEnd(all: Set<Promise<unknown>>, one: Promise<unknown>): void {
  const kept = one.finally(() => all.delete(kept));
  all.add(kept);
}
