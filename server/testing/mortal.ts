import Stripe from 'stripe';
import { SANDBOX_KEYS, type Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Database } from '#server/database/database.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import type { Stage } from './test-stage.ts';

/** At which of its steps a process is killed: before the step, or after it, when what it answers is lost. */
export interface Death {
  step: number;
  isDone: boolean;
}

/**
 * A process whose steps are counted: requests to Stripe, commits, and what the test has it do by `step`. Killed at one, it
 * does nothing more.
 */
export function mortal({ sandbox, database }: Pick<Stage, 'sandbox' | 'database'>, death?: Death) {
  const steps: string[] = [];
  const killed = new Error('The process was killed');
  let isDead = false;
  const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    if (isDead) throw killed;
    steps.push(name);
    isDead = steps.length === death?.step;
    if (isDead && !death?.isDone) throw killed;
    const result = await work();
    if (isDead) throw killed;
    return result;
  };
  const dying: Database = {
    ...database,
    write: (work) => step('commit', () => database.write(work)),
    read: async (work) => (isDead ? Promise.reject(killed) : database.read(work)),
  };
  const ask: typeof fetch = (url, request) =>
    step(`${request?.method} ${operationOf(String(url))}`, () => fetch(url, request));
  return { stripe: stripeBy(ask, sandbox), database: dying, letterLog: createLetterLog(dying), steps, step };
}

export type Mortal = ReturnType<typeof mortal>;

/** A client of the sandbox that sends its requests by this. */
export function stripeBy(send: typeof fetch, { host, port }: Pick<Sandbox, 'host' | 'port'>): Stripe {
  return new Stripe(SANDBOX_KEYS.secretKey, {
    host,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(send),
  });
}

/** Without ids: `payment_intents/confirm`. */
function operationOf(url: string): string {
  const [resource = '', ...rest] = new URL(url).pathname.split('/').slice(2);
  return [resource, ...rest.slice(1)].join('/');
}
