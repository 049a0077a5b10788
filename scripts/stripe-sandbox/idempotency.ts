import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from './account.ts';
import { ApiError, type Outcome } from './answer.ts';
import type { Fault } from './fault.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const MAX_KEY_LENGTH = 255;

/** The outcome of a request, and the fault that affects its answer, but not the answers to its retries. */
export type Execution = { outcome: Outcome; fault: Fault | undefined };

/** An execution, or a replay of one: `replayOf` is then the first request's id. */
export type KeyedExecution = Execution & { replayOf: string | null };

/** A request with its idempotency key. */
export type KeyedRequest = { key: string; path: string; parameters: unknown; requestId: string };

type Entry = {
  path: string;
  fingerprint: string;
  requestId: string;
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

  /** Carries out a request only once for its key. */
  async run(request: KeyedRequest, execute: () => Promise<Execution>): Promise<KeyedExecution> {
    if (request.key.length > MAX_KEY_LENGTH)
      throw idempotencyError('Idempotency keys are up to 255 characters long.');
    this.#forgetOld();
    const fingerprint = this.#fingerprint(request.parameters);
    const first = this.#entries.get(request.key);
    if (first) {
      return { outcome: repeat(first, request, fingerprint), fault: undefined, replayOf: first.requestId };
    }
    const { key, path, requestId } = request;
    const entry: Entry = { path, fingerprint, requestId, startedAtMs: this.#clock.now(), outcome: null };
    this.#entries.set(key, entry);
    try {
      const execution = await execute();
      entry.outcome = execution.outcome;
      return { ...execution, replayOf: null };
    } finally {
      if (!entry.outcome?.keep) this.#entries.delete(key);
    }
  }

  #forgetOld(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#clock.now() - entry.startedAtMs < KEPT_MS) break;
      if (entry.outcome !== null) this.#entries.delete(key);
    }
  }

  /** Parameters may contain a card number, so only a keyed hash of them is stored. */
  #fingerprint(parameters: unknown): string {
    return createHmac('sha256', this.#fingerprintKey).update(canonicalJson(parameters)).digest('hex');
  }
}

function repeat(first: Entry, request: KeyedRequest, fingerprint: string): Outcome {
  if (first.path !== request.path) {
    throw idempotencyError(
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${request.path}' vs '${first.path}'). Try using a key other than '${request.key}' if you meant to execute a different request.`,
    );
  }
  if (first.fingerprint !== fingerprint) {
    throw idempotencyError(
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${request.key}' if you meant to execute a different request.`,
    );
  }
  if (!first.outcome) {
    throw new ApiError(409, {
      type: 'invalid_request_error',
      code: 'idempotency_key_in_use',
      message: `There is currently another in-progress request using this Idempotent Key: ${request.key}. Please try again later.`,
    });
  }
  return first.outcome;
}

function idempotencyError(message: string): ApiError {
  return new ApiError(400, { type: 'idempotency_error', message });
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
