import Stripe from 'stripe';

interface Answer {
  /** The method and the path without ids, such as `POST customers`. */
  operation: string;
  status: number;
  seconds: number;
  /** By how much the machine's clock is ahead of Stripe's, in seconds; absent if the answer has no date. */
  clockAheadS?: number;
}

export interface ClientWatcher {
  /** Called with each response, also one after which the SDK retries. */
  answered(answer: Answer): void;
}

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** The SDK's HTTP client; the SDK's own events tell neither of retries nor of Stripe's clock. */
export function createWatchedClient(watcher: ClientWatcher): HttpClient {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(host, port, path, method, ...more) {
      const startMs = performance.now();
      const answer = await client.makeRequest(host, port, path, method, ...more);
      const { date } = answer.getHeaders();
      watcher.answered({
        operation: `${method} ${operationOf(path)}`,
        status: answer.getStatusCode(),
        seconds: (performance.now() - startMs) / 1000,
        ...clockAhead(date),
      });
      return answer;
    },
  };
}

/** `/v1/payment_intents/pi_1/cancel?…` is `payment_intents/cancel`: no ids. */
function operationOf(path: string): string {
  const [, , resource = '', ...rest] = path.split('?', 1)[0]?.split('/') ?? [];
  return [resource, ...rest.slice(1)].join('/');
}

/** Compares the machine's clock with the date of an answer, which has no fractions of a second. */
function clockAhead(date: unknown): Pick<Answer, 'clockAheadS'> {
  const atMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(atMs) ? {} : { clockAheadS: Math.round((Date.now() - atMs) / 1000) };
}
