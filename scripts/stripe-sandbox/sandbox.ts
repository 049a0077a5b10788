import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import Stripe from 'stripe';
import type { Account, Clock } from './account.ts';
import { createSandboxApp } from './api.ts';
import { type Bank, createBank } from './bank.ts';
import { SandboxClock } from './clock.ts';
import type { Intercept } from './fault.ts';
import type { NextMoment } from './sandbox-page.ts';
import type { Throttle } from './throttle.ts';
import { type Deliver, REDELIVERY_DELAYS_MS, Webhooks } from './webhooks.ts';

export { ApiError } from './answer.ts';
export type { Fault, Intercept } from './fault.ts';
export type { SentEvent } from './webhooks.ts';

/** The keys of every sandbox that is not given others; no Stripe account has them. */
export const SANDBOX_KEYS = {
  secretKey: 'sk_test_sandbox',
  publishableKey: 'pk_test_sandbox',
  webhookSecret: 'whsec_sandbox',
};

/** How the sandbox is set up; the keys are `SANDBOX_KEYS` when left out. */
export type SandboxOptions = Partial<typeof SANDBOX_KEYS> & {
  /** Any free port when left out. */
  port?: number;
  /** The address to listen at, 127.0.0.1 when left out. */
  host?: string;
  /** Where events are delivered; without it they are dropped until `setWebhookUrl` is called. */
  webhookUrl?: string;
  /** Takes one plain line for each request and each webhook attempt, free of personal and card data. */
  log?: (line: string) => void;
  /**
   * The business time: that of `created`, of a card's expiry and of the age of idempotency keys; real time when left
   * out. Signatures, timeouts and redeliveries always go by real time.
   */
  clock?: Clock;
  /** Where the business time stands at first, instead of at this moment. */
  startsAt?: Date;
  /** The moment that the page offers to move the clock to; none when left out. */
  nextMoment?: NextMoment;
  /** The waits before redeliveries of a webhook; the last one repeats. */
  redeliveryDelaysMs?: readonly number[];
  /** Asked of each event: how many times it is sent, and when. Once, at once, when left out. */
  deliver?: Deliver;
  /** How many calls it takes from the site; as many as come when left out. */
  throttle?: Throttle;
  /** Called before an API request is carried out: to hold it up, or to say what goes wrong with it. */
  intercept?: Intercept;
};

/** A running sandbox. */
export type Sandbox = {
  /** The origin, without a slash at the end. */
  url: string;
  host: string;
  port: number;
  /** Its business time, to be moved. */
  clock: SandboxClock;
  /** Declines, disputes, and what becomes of refunds. */
  bank: Bank;
  setWebhookUrl(url: string): void;
  /** Stops listening and delivering. Resolves when nothing is open any more. */
  close(): Promise<void>;
};

/** Starts a development stand-in for Stripe: API, webhooks and the page's script. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { secretKey, publishableKey, webhookSecret: secret } = { ...SANDBOX_KEYS, ...options };
  const {
    port = 0,
    host = '127.0.0.1',
    log = () => {},
    nextMoment = () => undefined,
    intercept = () => undefined,
    deliver = () => 1,
  } = options;
  const { webhookUrl: url, redeliveryDelaysMs = REDELIVERY_DELAYS_MS } = options;
  const clock = new SandboxClock(options.clock ?? { now: Date.now }, options.startsAt);
  const apiVersion = Stripe.API_VERSION;
  const webhooks = new Webhooks({ url, secret, apiVersion, redeliveryDelaysMs, deliver, clock, log });
  const account: Account = {
    charges: new Map(),
    customers: new Map(),
    deletedCustomers: new Map(),
    disputes: new Map(),
    nextDeclines: new Map(),
    paymentIntents: new Map(),
    paymentMethods: new Map(),
    products: new Map(),
    refunds: new Map(),
    setupIntents: new Map(),
    nowSeconds: () => Math.floor(clock.now() / 1000),
    publish: (type, object, cause) => webhooks.publish(type, object, cause),
  };
  const keys = { secretKey, publishableKey };
  const bank = createBank(account);
  const app = await createSandboxApp({
    ...{ account, bank, keys, apiVersion },
    ...{ intercept, clock, nextMoment, throttle: options.throttle, log },
  });
  const server = createServer(app).listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no port');
  return {
    url: `http://${host}:${address.port}`,
    host,
    port: address.port,
    clock,
    bank,
    setWebhookUrl: (webhookUrl) => webhooks.setUrl(webhookUrl),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, webhooks.close()]);
    },
  };
}

/** A sandbox for one test, closed after it, and the real SDK to look into it. */
export async function startTestSandbox(t: TestContext, options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ redeliveryDelaysMs: [1], ...options });
  t.after(() => sandbox.close());
  return { sandbox, stripe: connect(sandbox) };
}

/** The real SDK, pointed at a sandbox. */
export function connect(
  { host, port }: Pick<Sandbox, 'host' | 'port'>,
  key: string = SANDBOX_KEYS.secretKey,
  maxNetworkRetries = 0,
): Stripe {
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries, telemetry: false });
}
