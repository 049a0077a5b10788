import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import Stripe from 'stripe';
import { Account, type WebhookEndpoint } from './account.ts';
import type { Intercept } from './answer.ts';
import { createSandboxApp } from './api.ts';
import { createBank } from './bank.ts';
import { type Clock, SandboxClock } from './clock.ts';
import { type Deliver, REDELIVERY_DELAYS_MS, Webhooks } from './webhooks.ts';

export type { Event } from './account.ts';
export type { Fault, Intercept } from './answer.ts';
export { ApiError } from './answer.ts';
export { SandboxClock } from './clock.ts';

export const SANDBOX_KEYS = {
  secretKey: 'sk_test_sandbox',
  publishableKey: 'pk_test_sandbox',
  webhookSecret: 'whsec_sandbox',
};

export type SandboxOptions = Partial<typeof SANDBOX_KEYS> & {
  port?: number;
  /** Gets one plain line for each request and each webhook attempt, without personal and card data. */
  log?: (line: string) => void;
  /** By default real time, which signatures, timeouts and redeliveries always use. */
  clock?: Clock;
  startsAt?: Date;
  redeliveryDelaysMs?: readonly number[];
  /** Decides for each event how many times it is sent, and when; by default once, immediately. */
  deliver?: Deliver;
  intercept?: Intercept;
};

const host = '127.0.0.1';

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Starts a development stand-in for Stripe: API, webhooks and the page's script. */
export async function startSandbox(options: SandboxOptions = {}) {
  const { secretKey, publishableKey, webhookSecret: secret } = { ...SANDBOX_KEYS, ...options };
  const { log = () => {}, intercept = () => undefined } = options;
  const { redeliveryDelaysMs = REDELIVERY_DELAYS_MS, deliver = () => 1 } = options;
  const clock = new SandboxClock(options.clock ?? Date, options.startsAt);
  const webhooks = new Webhooks({ secret, redeliveryDelaysMs, deliver, log });
  const account = new Account(
    () => Math.floor(clock.now() / 1000),
    (event) => webhooks.send(event),
  );
  const keys = { secretKey, publishableKey };
  const app = await createSandboxApp({ account, keys, intercept, clock, log });
  const server = createServer(app).listen(options.port ?? 0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no port');
  account.url = `http://${host}:${address.port}`;
  return {
    url: account.url,
    host,
    port: address.port,
    clock,
    bank: createBank(account),
    /** Until then events are dropped. @param shown what the API shows otherwise of the webhook */
    setWebhookUrl(webhookUrl: string, shown: Partial<WebhookEndpoint> = {}): void {
      webhooks.setUrl(webhookUrl);
      account.save({
        id: 'we_sandbox',
        object: 'webhook_endpoint',
        created: account.nowSeconds(),
        livemode: false,
        api_version: Stripe.API_VERSION,
        enabled_events: ['*'],
        status: 'enabled',
        url: webhookUrl,
        ...shown,
      });
    },
    /** Each event has been sent for the first time and answered, unless it was lost. */
    eventsAttempted: () => webhooks.attempted(),
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, webhooks.close()]);
    },
  };
}

export async function startTestSandbox(t: Pick<TestContext, 'after'>, options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ redeliveryDelaysMs: [1], ...options });
  t.after(() => sandbox.close());
  return { sandbox, stripe: connect(sandbox) };
}

export function connect(
  { host, port }: Pick<Sandbox, 'host' | 'port'>,
  key: string = SANDBOX_KEYS.secretKey,
  maxNetworkRetries = 0,
): Stripe {
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries, telemetry: false });
}
