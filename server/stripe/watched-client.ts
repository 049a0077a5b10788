import Stripe from 'stripe';

export interface ClientWatcher {
  /**
   * Called with each response, also one after which the SDK retries.
   * @param answer its `operation` is method and path without ids, such as `POST customers`; `clockAheadS` says by how much the
   *   machine's clock is ahead of Stripe's, and is absent if the answer has no date
   */
  answered(answer: { operation: string; status: number; seconds: number; clockAheadS?: number }): void;
}

/** The SDK's HTTP client; the SDK's own events tell neither of retries nor of Stripe's clock. */
export function createWatchedClient(watcher: ClientWatcher): ReturnType<typeof Stripe.createNodeHttpClient> {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(host, port, path, method, ...more) {
      const startMs = performance.now();
      const answer = await client.makeRequest(host, port, path, method, ...more);
      const atMs = Date.parse(String(answer.getHeaders().date));
      watcher.answered({
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

/** `/v1/payment_intents/pi_1/cancel?…` is `payment_intents/cancel`: no ids. */
function operationOf(path: string): string {
  const [, , resource = '', ...rest] = path.split('?', 1)[0]?.split('/') ?? [];
  return [resource, ...rest.slice(1)].join('/');
}
