import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import { connectWorker } from '#server/ops/connect-redis.ts';
import { Metrics } from '#server/ops/metrics.ts';
import { nextInstallment } from '#server/registration/registration.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { decide } from '#server/stripe/decide.ts';
import { recordPayment } from '#server/stripe/record-payments.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { DAY_MS, DUE } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { withBefore } from '#server/testing/test-stage.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { readLastDueWork } from './due-work.ts';
import { needsOf } from './office-needs.ts';
import { reportRegister } from './registration-index.ts';

const BALANCE = 72_625;
const HOUR_MS = DAY_MS / 24;
const QUARTER_MS = HOUR_MS / 4;

/** Registrations, and a worker that does what is due for them on a real Redis. */
async function startWorking(t: TestContext, options: SandboxOptions = {}) {
  const mailing = await startMailing(t, options);
  const { database, now, payments, register, tell, moveTo, charge, find } = mailing;
  const metrics = new Metrics();
  reportRegister(metrics, database);
  /** Registers people who are told of the charge, and waits until it is due. */
  const due = async (...names: string[]) => {
    const ids: string[] = [];
    for (const name of names) {
      const id = await register({ email: `${name}@example.org` });
      await tell(id);
      ids.push(id);
    }
    moveTo(DUE);
    return ids;
  };
  return {
    ...mailing,
    due,
    after: (ms: number) => moveTo(new Date(now().getTime() + ms)),
    work: (by: Payments = payments) => mailing.work({ payments: by, metrics, catchesUp: false }),
    catchUp: () => mailing.work({ metrics }),
    async paid(...names: string[]) {
      const ids = await due(...names);
      for (const id of ids) await charge(id);
      return ids;
    },
    cancel: async (id: string) =>
      payments.ask(decide, await find(id), 'cancel', { at: now(), by: 'Anna', writtenAt: now() }),
    counted: async (line: RegExp) => assert.match(await metrics.metrics(), line),
    refunded: async (id: string) => (await find(id)).refunds.map(({ cents }) => cents),
  };
}

type Working = Awaited<ReturnType<typeof startWorking>>;
/** Runs before money is moved for a registration; if it fails, so does that. */
type Before = (id: string) => Promise<void>;

/** What the worker does about money: for whom, how something comes before it, and how it is seen to be done. */
const MONEY = {
  charges: {
    prepare: ({ due }: Working, names: string[]) => due(...names),
    by: (payments: Payments, before: Before) =>
      withBefore(payments, chargeBalance, (id) => before(String(id))),
    made: ({ charged }: Working, id: string) => charged(id),
    once: [BALANCE],
    fails: 'A balance could not be charged',
    counted: /^balances_overdue\{reason="waiting"\} 1$/m,
  },
  refunds: {
    async prepare({ paid, cancel, after }: Working, names: string[]) {
      const ids = await paid(...names);
      for (const id of ids) await cancel(id);
      after(26 * HOUR_MS);
      return ids;
    },
    by: (payments: Payments, before: Before) =>
      withBefore(payments, makeDueRefunds, (id) => before(String(id))),
    made: ({ refunded }: Working, id: string) => refunded(id),
    once: [70_000],
    fails: 'A refund could not be made',
    counted: /^refunds_total\{outcome="refused"\} 0$/m,
  },
};

for (const [what, { prepare, by, made, once, fails, counted }] of Object.entries(MONEY))
  test(`${what} that fail stop no others, and are retried a quarter of an hour later`, async (t) => {
    const working = await startWorking(t);
    const { payments, work, log, after } = working;
    const [failing = '', ...others] = await prepare(working, ['a', 'b', 'c']);
    const down = by(payments, async (id) => {
      if (id === failing) throw new Error('Stripe is down');
    });
    await work(down);
    for (const id of others) assert.deepEqual(await made(working, id), once);
    assert.deepEqual(await made(working, failing), []);
    assert.match(log.text(), new RegExp(`"level":"error".*${failing}.*${fails}`));
    await working.counted(counted);
    after(QUARTER_MS);
    await work();
    assert.deepEqual(await made(working, failing), once);
  });

test('refunds that Stripe refuses stop no others, are logged and counted, and leave by check', async (t) => {
  let meanwhile: { of: string; act: () => Promise<unknown> } | undefined;
  const working = await startWorking(t, {
    async intercept({ method, path, parameters }) {
      const isOf = meanwhile && JSON.stringify(parameters).includes(meanwhile.of);
      if (!meanwhile || !isOf || method !== 'POST' || path !== '/v1/refunds') return undefined;
      const { act } = meanwhile;
      meanwhile = undefined;
      await act();
      return undefined;
    },
  });
  const { paid, payments, stripe, find, now, catchUp, refunded, counted, log } = working;
  const [refused = '', fine = ''] = await paid('refused', 'fine');
  const act = () => ({ at: now(), by: 'Anna', reason: 'illness' });
  await payments.ask(decide, await find(refused), 'refund', { ...act(), cents: BALANCE });
  await payments.ask(decide, await find(fine), 'refund', { ...act(), cents: 10_000 });
  // Somebody refunds a part in the dashboard at this very moment.
  const of = nextInstallment(await find(refused)).payment?.id ?? '';
  meanwhile = { of, act: () => stripe.refunds.create({ payment_intent: of, amount: 100 }) };
  await catchUp();
  assert.deepEqual([await refunded(refused), await refunded(fine)], [[100], [10_000]]);
  await counted(/^refunds_total{outcome="refused"} 1$/m);
  assert.match(log.text(), new RegExp(`"level":"error".*${refused}.*Stripe refuses`));
  const needs = needsOf(await find(refused), now()).map(({ need }) => need);
  assert.deepEqual(needs, ['check-to-send']);
});

const { balance } = edition.facts;
const MINUTE_MS = 60_000;

test('R8 a machine whose clock differs from Stripe’s by more than ten minutes charges nothing, and says so', async (t) => {
  const { register, tell, at, work, moveTo, charged, payments, depositOf, log, redis } =
    await startMailing(t);
  const connection = connectWorker(redis.url, log.logger);
  t.after(() => connection.quit());
  const id = await register();
  await tell(id);
  await at(new Date(balance.noticeAt));
  moveTo(new Date(balance.chargeAt));
  const { now } = Date;
  const clock = t.mock.method(Date, 'now', () => now() - 11 * MINUTE_MS);
  await payments.ask(recordPayment, await depositOf(id));
  clock.mock.restore();
  assert.ok(Math.abs(payments.clockAheadS() + 11 * 60) <= 5, String(payments.clockAheadS()));
  await work({ payments: { ...payments, clockAheadS: () => -601 } });
  assert.deepEqual(await charged(id), []);
  assert.match(log.text(), /"level":"error".*"clockAheadS":-601.*no money moves until it is right/);
  assert.equal((await readLastDueWork(connection))?.clockAheadS, -601);
  await work();
  assert.equal((await readLastDueWork(connection))?.clockAheadS, undefined);
  assert.deepEqual(await charged(id), [edition.facts.prices.balanceCents]);
});
