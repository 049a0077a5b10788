import { createHmac, randomBytes } from 'node:crypto';
import { ApiError, type Outcome, refusal } from './answer.ts';
import type { Clock } from './clock.ts';
import type { Fault } from './fault.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;

/** The outcome of a request, and the fault that affects its answer, but not the answers to its retries. */
type Execution = { outcome: Outcome; fault: Fault | undefined };

/** An execution, or a replay of one. */
type KeyedExecution = Execution & { isReplay: boolean };

type KeyedRequest = { key: string; path: string; parameters: unknown };

type Entry = {
  path: string;
  fingerprint: string;
  startedAtMs: number;
  outcome: Outcome | null;
};

/**
 * Remembers the answers to requests with an idempotency key, for 24 hours of the business time.
 * https://docs.stripe.com/api/idempotent_requests
 */
export class IdempotencyKeys {
  readonly #entries = new Map<string, Entry>();
  readonly #fingerprintKey = randomBytes(32);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(request: KeyedRequest, execute: () => Promise<Execution>): Promise<KeyedExecution> {
    const { key, path, parameters } = request;
    const now = this.#clock.now();
    // Parameters may contain a card number, so only a keyed hash of them is stored.
    const fingerprint = createHmac('sha256', this.#fingerprintKey)
      .update(JSON.stringify(Object.entries(Object(parameters)).toSorted()))
      .digest('hex');
    const first = this.#entries.get(key);
    if (first && (first.outcome === null || now - first.startedAtMs < KEPT_MS)) {
      return { outcome: repeat(first, path, fingerprint), fault: undefined, isReplay: true };
    }
    const entry: Entry = { path, fingerprint, startedAtMs: now, outcome: null };
    this.#entries.set(key, entry);
    try {
      const execution = await execute();
      entry.outcome = execution.outcome;
      return { ...execution, isReplay: false };
    } finally {
      if (!entry.outcome?.keep) this.#entries.delete(key);
    }
  }
}

function repeat(first: Entry, path: string, fingerprint: string): Outcome {
  if (first.path !== path || first.fingerprint !== fingerprint) {
    const message = 'Keys for idempotent requests can only be used with the same path and parameters.';
    throw new ApiError(400, { type: 'idempotency_error', message });
  }
  if (first.outcome) return first.outcome;
  const message = 'There is currently another in-progress request using this Idempotent Key.';
  throw refusal(409, message, { code: 'idempotency_key_in_use' });
}
