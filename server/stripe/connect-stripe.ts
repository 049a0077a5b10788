import Stripe from 'stripe';
import type { Database } from '#server/database/database.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import { cancelUnpaid } from './forget.ts';
import type { Records } from './record-payments.ts';
import { toAppError } from './stripe-calls.ts';
import { eventReader } from './stripe-events.ts';
import { type ClientWatcher, createWatchedClient } from './watched-client.ts';

/** Stripe's defaults are 80 s and two retries: too long for a visitor who waits. */
const REQUEST_TIMEOUT_MS = 10_000;
const NETWORK_RETRIES = 1;

export interface StripeSettings {
  secretKey: string;
  /** For `eventReader` only. */
  webhookSecret?: string;
  /** Another API host, or undefined for Stripe's own. */
  apiBase?: string | undefined;
  timeoutMs?: number | undefined;
}

export interface CallWatcher extends ClientWatcher {
  /** No answer came, after all tries. */
  unreachable(): void;
}

/** Opens no connection by itself. */
export function connectStripe(
  settings: StripeSettings,
  database: Database,
  watcher: CallWatcher = { answered() {}, unreachable() {} },
) {
  let reachable: boolean | undefined;
  let awaySince: Date | undefined;
  let clockAheadS = 0;
  const client = createWatchedClient({
    answered(answer) {
      reachable = true;
      awaySince = undefined;
      clockAheadS = answer.clockAheadS ?? clockAheadS;
      watcher.answered(answer);
    },
  });
  const stripe = new Stripe(settings.secretKey, {
    timeout: settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
    maxNetworkRetries: NETWORK_RETRIES,
    telemetry: false,
    httpClient: client,
    ...hostOf(settings.apiBase),
  });
  const explain = (error: unknown): never => {
    if (error instanceof Stripe.errors.StripeConnectionError) {
      reachable = false;
      awaySince ??= new Date();
      watcher.unreachable();
    }
    return toAppError(error);
  };
  const records: Records = { stripe, database, letterLog: createLetterLog(database) };
  const ask = <Given extends unknown[], Result>(
    operation: (records: Records, ...given: Given) => Promise<Result>,
    ...given: Given
  ): Promise<Result> => operation(records, ...given).catch(explain);
  return {
    database,
    /**
     * Carries out what needs Stripe, such as `ask(chargeBalance, id, now)`.
     * @throws {AppError} when Stripe refuses or cannot be reached, or when the register is away; else what the operation throws
     */
    ask,
    deposits: { cancel: (registration: string) => ask(cancelUnpaid, registration) },
    /** Checks the signature header of a webhook request; the returned function checks and reads its body. */
    eventReader(signature: string) {
      const read = eventReader(records, signature, settings.webhookSecret ?? '');
      return (rawBody: Buffer) => read(rawBody).catch(explain);
    },
    /** Undefined before the first request. */
    isReachable: () => reachable,
    /** Until it answers again. */
    awaySince: () => awaySince,
    /** By how much the machine's clock is ahead of Stripe's, in seconds: 0 before the first answer. */
    clockAheadS: () => clockAheadS,
  };
}

/** The register, and Stripe. */
export type Payments = ReturnType<typeof connectStripe>;

export function hostOf(apiBase: string | undefined): Stripe.StripeConfig {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const secure = protocol === 'https:';
  return { host: hostname, port: port || (secure ? 443 : 80), protocol: secure ? 'https' : 'http' };
}
