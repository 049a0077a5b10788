import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import Stripe from 'stripe';
import type { Fault } from './fault.ts';
import { startTestSandbox } from './sandbox.ts';
import { createIntentOnce, isReplay, startWebhookEndpoint } from './test-sandbox.ts';

const payment = { amount: 72_100, currency: 'usd' } as const;
const idempotencyKey = 'registration';
const never = new Promise<never>(() => {});

type Steps = { opened: Promise<unknown> };

/** A sandbox with `meet` for its first POST; `arrived` resolves when that arrives, `unanswered` when it ends so. */
async function startSteps(t: TestContext, meet: (steps: Steps) => Promise<Fault | undefined>) {
  const steps = new EventEmitter();
  const [arrived, unanswered, opened] = [
    once(steps, 'arrived'),
    once(steps, 'unanswered'),
    once(steps, 'opened'),
  ];
  const endpoint = await startWebhookEndpoint(t);
  let first = true;
  const { sandbox, stripe } = await startTestSandbox(t, {
    webhookUrl: endpoint.url,
    intercept: async ({ method }) => {
      if (method !== 'POST' || !first) return undefined;
      first = false;
      steps.emit('arrived');
      return meet({ opened });
    },
    log: (line) => {
      if (line.includes('unanswered')) steps.emit('unanswered');
    },
  });
  const create = () => stripe.paymentIntents.create(payment, { idempotencyKey });
  const countMade = async () => (await stripe.paymentIntents.list()).data.length;
  const open = () => steps.emit('opened');
  return { sandbox, endpoint, arrived, unanswered, open, create, countMade };
}

/** Starts a request; the function returned makes its client give up. */
function startRequest(sandbox: Parameters<typeof createIntentOnce>[0]) {
  const controller = new AbortController();
  const answer = createIntentOnce(sandbox, idempotencyKey, controller.signal);
  return async () => {
    controller.abort();
    await assert.rejects(answer, { name: 'AbortError' });
  };
}

test('a late answer reaches a client that still waits', async (t) => {
  const { endpoint, open, create, countMade } = await startSteps(t, async ({ opened }) => ({
    kind: 'late-answer',
    until: opened,
  }));
  const answer = create();
  await endpoint.next();
  open();
  assert.equal(isReplay(await answer), false);
  assert.equal(await countMade(), 1);
});

test('R4.5 a client that gave up before a late answer gets it by a retry with its key', async (t) => {
  const { sandbox, endpoint, unanswered, open, create, countMade } = await startSteps(
    t,
    async ({ opened }) => ({ kind: 'late-answer', until: opened }),
  );
  const giveUp = startRequest(sandbox);
  await endpoint.next();
  await giveUp();
  await unanswered;
  assert.equal(isReplay(await create()), true);
  open();
  assert.equal(isReplay(await create()), true);
  assert.equal(await countMade(), 1);
});

test('R4.5 a request whose client gave up holds its key while in progress, and is carried out once', async (t) => {
  const { sandbox, endpoint, arrived, unanswered, open, create, countMade } = await startSteps(
    t,
    async ({ opened }) => {
      await opened;
      return undefined;
    },
  );
  const giveUp = startRequest(sandbox);
  await arrived;
  await giveUp();
  await unanswered;
  const busy = await createIntentOnce(sandbox, idempotencyKey);
  assert.deepEqual([busy.status, busy.headers.get('stripe-should-retry')], [409, 'true']);
  assert.equal((await busy.json()).error.code, 'idempotency_key_in_use');
  open();
  await endpoint.next();
  assert.equal(isReplay(await create()), true);
  assert.equal(await countMade(), 1);
});

test('R4.5 a request that hangs does nothing, and leaves its key free for a retry', async (t) => {
  const { sandbox, arrived, create, countMade, unanswered } = await startSteps(t, async () => ({
    kind: 'hang',
  }));
  const giveUp = startRequest(sandbox);
  await arrived;
  assert.equal(isReplay(await create()), false);
  await giveUp();
  await unanswered;
  assert.equal(await countMade(), 1);
});

test('a connection that is gone already can still be reset', async (t) => {
  const { sandbox, arrived, unanswered, open, create } = await startSteps(t, async ({ opened }) => {
    await opened;
    return { kind: 'reset', carryOut: false };
  });
  const giveUp = startRequest(sandbox);
  await arrived;
  await giveUp();
  await unanswered;
  open();
  assert.equal(isReplay(await create()), false);
});

const UNENDING: Fault[] = [{ kind: 'hang' }, { kind: 'late-answer', until: never }];

for (const fault of UNENDING) {
  test(`closing the sandbox ends a request under the fault ${fault.kind}`, async (t) => {
    const { sandbox, arrived, create } = await startSteps(t, async () => fault);
    const lost = assert.rejects(create, Stripe.errors.StripeConnectionError);
    await arrived;
    await sandbox.close();
    await lost;
  });
}

test('closing the sandbox ends a request that the interceptor holds up', async (t) => {
  const { sandbox, arrived, create } = await startSteps(t, () => never);
  const lost = assert.rejects(create, Stripe.errors.StripeConnectionError);
  await arrived;
  await sandbox.close();
  await lost;
});
