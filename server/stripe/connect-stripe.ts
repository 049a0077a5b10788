import Stripe from 'stripe';
import type { Database } from '#server/database/database.ts';
import { createLetterLog } from '#server/letters/letter-log.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import type { Done } from '#server/registration/registration.ts';
import { cancelUnpaid, closeUnpaid } from './forget.ts';
import type { Records } from './record-payments.ts';
import { toAppError } from './stripe-calls.ts';

/** Stripe's defaults are 80 s and two retries: too long for a visitor who waits. */
const REQUEST_TIMEOUT_MS = 10_000;
const NETWORK_RETRIES = 1;

interface StripeSettings {
  secretKey: string;
  apiBase?: string | undefined;
  timeoutMs?: number | undefined;
}

/** Each response, also one after which the SDK retries. */
interface Answer {
  /** Method and path without ids, such as `POST customers`. */
  operation: string;
  status: number;
  seconds: number;
  /** By how much this machine's clock is ahead of Stripe's; absent if the answer has no date. */
  clockAheadS?: number;
}

export function connectStripe(settings: StripeSettings, database: Database, metrics?: Metrics) {
  const clock = metrics?.gauge(
    'stripe_clock_offset_seconds',
    'By how much the clock of this machine is ahead of that of Stripe',
  );
  let reachable: boolean | undefined;
  let awaySince: Date | undefined;
  let clockAheadS = 0;
  const stripe = new Stripe(settings.secretKey, {
    timeout: settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
    maxNetworkRetries: NETWORK_RETRIES,
    telemetry: false,
    httpClient: watchedClient((answer) => {
      reachable = true;
      awaySince = undefined;
      clockAheadS = answer.clockAheadS ?? clockAheadS;
      clock?.set(clockAheadS);
      const { operation, status, seconds } = answer;
      metrics?.time('stripe_call_duration_seconds', { operation, status }, seconds);
    }),
    ...hostOf(settings.apiBase),
  });
  const explain = (error: unknown): never => {
    if (error instanceof Stripe.errors.StripeConnectionError) {
      reachable = false;
      awaySince ??= new Date();
      metrics?.count('stripe_unreachable_total');
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
    /** Carries out what needs Stripe, such as `ask(chargeBalance, id, now)`. */
    ask,
    deposits: {
      cancel: (registration: string) => ask(cancelUnpaid, registration),
      end: (registration: string, ended: Done) => ask(closeUnpaid, registration, ended),
    },
    isReachable: () => reachable,
    awaySince: () => awaySince,
    /** 0 before the first answer. */
    clockAheadS: () => clockAheadS,
  };
}

export type Payments = ReturnType<typeof connectStripe>;

export function hostOf(apiBase: string | undefined): Stripe.StripeConfig {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const secure = protocol === 'https:';
  return { host: hostname, port: port || (secure ? 443 : 80), protocol: secure ? 'https' : 'http' };
}

/** The SDK's HTTP client; the SDK's own events tell neither of retries nor of Stripe's clock. */
function watchedClient(answered: (answer: Answer) => void): ReturnType<typeof Stripe.createNodeHttpClient> {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(host, port, path, method, ...more) {
      const startMs = performance.now();
      const answer = await client.makeRequest(host, port, path, method, ...more);
      const atMs = Date.parse(String(answer.getHeaders().date));
      answered({
        operation: `${method} ${operationOf(path)}`,
        status: answer.getStatusCode(),
        seconds: (performance.now() - startMs) / 1000,
        // The date of an answer has no fractions of a second.
        ...(atMs > 0 && { clockAheadS: Math.round((Date.now() - atMs) / 1000) }),
      });
      return answer;
    },
  };
}

/** `/v1/payment_intents/pi_1/cancel?…` is `payment_intents/cancel`: no ids, which have digits or capitals. */
function operationOf(path: string): string {
  const [, , ...names] = path.split('?', 1)[0]?.split('/') ?? [];
  return names.filter((name) => /^[a-z_]+$/.test(name)).join('/');
}
