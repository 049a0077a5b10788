import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import Stripe from 'stripe';
import { createRandom } from '#scripts/world/random.ts';
import { AppError } from '#server/http/app-error.ts';
import { recordTransactions } from '#server/stripe/account-transactions.ts';
import { catchUp } from '#server/stripe/catch-up.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { rightRows } from '#server/testing/right-rows.ts';
import { DAY_MS, daysAfter, killedAt, startCharges } from '#server/testing/test-charges.ts';
import { type EngineName, engines } from '#server/testing/test-database.ts';
import { decide, recordReceived } from './decide.ts';
import { type BookRow, readBookkeeping, totalOf } from './read-bookkeeping.ts';

const CARDS = ['pm_card_visa', 'pm_card_refundFail', 'pm_card_pendingRefund', 'pm_card_createDispute'];
/** Sixty of sixty steps ran before the books left Stripe. */
const LIVES = 3;
const STEPS = 40;
const HOUR_MS = DAY_MS / 24;
const LATER = new Date('2030-01-01T00:00:00Z');

/** An account that two shops share, and the register of one of them. */
async function startAccount(t: TestContext, engine: EngineName = 'sqlite') {
  const calls: string[] = [];
  const log = (line: string) => calls.push(line.split(' ', 2).join(' '));
  const charges = await startCharges(t, { engine, log });
  const { payments, database, stripe, now } = charges;
  return {
    ...charges,
    calls,
    /** What the worker does: it catches up with Stripe, and lists the transactions. */
    list: async (isAsked = true) => {
      await payments.ask(catchUp, now());
      calls.length = 0;
      await payments.ask(recordTransactions, now(), isAsked);
    },
    books: (from = new Date(0), until = LATER) => readBookkeeping({ database }, from, until),
    /** Somebody buys in the other shop. */
    sell: (amount: number, currency = 'usd') =>
      stripe.paymentIntents.create({ amount, currency, confirm: true, payment_method: 'pm_card_visa' }),
    all: (filter: Stripe.BalanceTransactionListParams = {}) =>
      stripe.balanceTransactions.list({ limit: 100, ...filter }).autoPagingToArray({ limit: 10_000 }),
  };
}

type Played = Awaited<ReturnType<typeof startAccount>>;

const isUsd = ({ currency }: Stripe.BalanceTransaction) => currency === 'usd';

const totalAtStripe = (some: readonly Stripe.BalanceTransaction[]) => ({
  count: some.length,
  grossCents: some.filter(isUsd).reduce((sum, { amount }) => sum + amount, 0),
  stripeFeeCents: some.filter(isUsd).reduce((sum, { fee }) => sum + fee, 0),
  netCents: some.filter(isUsd).reduce((sum, { net }) => sum + net, 0),
});

const sumsOf = (rows: readonly BookRow[]) => {
  const { name: _, feeAskedCents: __, ...sums } = totalOf('', rows);
  return sums;
};

/** The books say what Stripe and the ledger have, to the cent: of each registration, each payout and each span. */
async function assertRight({ books, all, stripe, database, now }: Played): Promise<void> {
  const { rows, others, atStripe, differences } = await books();
  assert.deepEqual(differences, []);
  const has = await all();
  const { name: _, feeAskedCents: __, ...stated } = atStripe;
  assert.deepEqual(stated, totalAtStripe(has));
  const byCard = rows.filter(({ way }) => way === 'card');
  const { feeAskedCents: asked, name: ___, ...added } = totalOf('', [...byCard, ...others]);
  assert.deepEqual(
    { ...added, count: byCard.length + others.reduce((sum, { count }) => sum + count, 0) },
    totalAtStripe(has),
  );

  const entries = await database.read((transaction) =>
    transaction.selectFrom('entries').selectAll().execute(),
  );
  const cards = entries.filter(({ kind }) => kind === 'card');
  assert.equal(
    asked,
    cards.reduce((sum, { feeCents }) => sum + feeCents, 0),
  );
  for (const registration of new Set(entries.map((entry) => entry.registration)))
    for (const isCard of [true, false]) {
      const moved = entries.filter(
        (one) => one.registration === registration && (one.payment !== null) === isCard,
      );
      const told = rows.filter((one) => one.registration === registration && (one.way === 'card') === isCard);
      assert.equal(
        totalOf('', told).grossCents,
        moved.reduce((sum, { cents, feeCents }) => sum + cents + feeCents, 0),
      );
    }

  const payouts = (await stripe.payouts.list({ limit: 100 })).data;
  const paidOut = new Map<string, string>();
  for (const { id } of payouts.filter(({ automatic }) => automatic))
    for (const { source, created, amount } of await all({ payout: id }))
      paidOut.set(`${source} ${created} ${amount}`, id);
  const byHand = payouts.find(({ automatic }) => !automatic)?.created ?? 0;
  for (const { payout, stripeId, at, grossCents } of byCard) {
    const made = at.getTime() / 1000;
    const known = paidOut.get(`${stripeId} ${made} ${grossCents}`);
    const told = typeof payout === 'object' ? payout.id : payout;
    assert.equal(told, known ?? (made <= byHand ? 'unknown' : undefined));
  }

  const middle = new Date(now().getTime() - 5 * DAY_MS);
  const parts = [await books(new Date(0), middle), await books(middle)];
  assert.deepEqual(sumsOf(parts.flatMap((part) => part.rows)), sumsOf(rows));
  assert.deepEqual(
    parts.map((part) => part.differences),
    [[], []],
  );
}

/**
 * A few weeks of four registrations, in which money moves in every way, and the worker looks now and then.
 * @returns what was in the books
 */
async function live(t: TestContext, seed: number): Promise<string[]> {
  const random = createRandom(seed);
  const played = await startAccount(t);
  const { register, find, depositOf, payments, stripe, sandbox, moveTo, now, list, sell } = played;
  const any = <One>(some: readonly One[]): One | undefined => some[Math.floor(random() * some.length)];
  const ids: string[] = [];
  for (const [place, card] of CARDS.entries())
    ids.push(await register({ firstName: `Ann${place}`, email: `ann${place}@example.org`, card }));
  const failsLater = await depositOf(ids[1] ?? '');
  const office = () => ({ at: now(), by: 'Anna' });
  const hers = async () => find(any(ids) ?? '');
  const steps: Readonly<Record<string, () => Promise<unknown> | unknown>> = {
    async refundByHand() {
      const { data } = await stripe.charges.list({ limit: 100 });
      const charge = any(data.filter(({ status }) => status === 'succeeded'));
      const left = (charge?.amount ?? 0) - (charge?.amount_refunded ?? 0);
      if (charge && left > 0)
        await stripe.refunds.create({
          payment_intent: String(charge.payment_intent),
          amount: 1 + Math.floor(random() * left),
        });
    },
    async settle() {
      const { data } = await stripe.refunds.list({ limit: 100 });
      const waiting = data.filter(({ status }) => status === 'pending');
      const failing = data.filter((one) => one.payment_intent === failsLater && one.status === 'succeeded');
      for (const { id } of [...waiting, ...failing]) sandbox.bank.settleRefund(id);
    },
    async dispute() {
      const { data } = await stripe.charges.list({ limit: 100 });
      const charge = any(data.filter(({ status, disputed }) => status === 'succeeded' && !disputed));
      if (charge) sandbox.bank.openDispute(charge.id);
    },
    async close() {
      const { data } = await stripe.disputes.list({ limit: 100 });
      const open = any(data.filter(({ status }) => status === 'needs_response'));
      if (open) sandbox.bank.closeDispute(open.id, random() < 0.5 ? 'won' : 'lost');
    },
    async cancel() {
      const record = await hers();
      await payments.ask(decide, record, 'cancel', { ...office(), writtenAt: now() });
      moveTo(daysAfter(now(), 2));
      await payments.ask(makeDueRefunds, record.id, now());
    },
    check: async () =>
      payments.ask(recordReceived, await hers(), {
        ...office(),
        way: random() < 0.5 ? 'check' : 'transfer',
        cents: 1_000 + Math.floor(random() * 90_000),
        on: now(),
      }),
    sell: () => sell(1_000 + Math.floor(random() * 9_000)),
    sellAbroad: () => sell(700, 'eur'),
    payOutByHand: () => sandbox.bank.payOutByHand(),
    daysPass: () => moveTo(new Date(now().getTime() + random() * 4 * DAY_MS)),
    list: () => list(random() < 0.5),
  };
  const names = [...Object.keys(steps), 'daysPass', 'refundByHand'];
  const done: string[] = [];
  try {
    for (let count = 0; count < STEPS; count += 1) {
      const name = any(names) ?? '';
      try {
        await steps[name]?.();
        done.push(name);
      } catch (error) {
        // What Stripe or the ledger refuses moves nothing.
        const isRefused = error instanceof AppError && error.status < 500;
        if (!isRefused && !(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      }
    }
    await list();
    await assertRight(played);
    const { rows, others } = await played.books();
    const isOpen = rows.some(({ payout }) => payout === 'unknown') ? ['paid out by hand'] : [];
    return [...rows.map(({ what }) => what), ...others.map(({ name }) => name), ...isOpen];
  } catch (error) {
    throw new Error(`life ${seed}: ${done.join(', ')}`, { cause: error });
  }
}

test('the books are what Stripe and the ledger have, to the cent, whatever happens', async (t) => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= LIVES; seed += 1) for (const what of await live(t, seed)) seen.add(what);
  for (const what of [
    ...['deposit', 'tuition', 'refund', 'refund that failed', 'dispute', 'dispute won', 'paid out by hand'],
    ...['charge', 'charge, in EUR, which is in no sum', 'payout'].map((other) => `Not this site’s: ${other}`),
  ])
    assert.ok(seen.has(what), what);
});

for (const engine of engines)
  describe(`the transactions of the account, on ${engine}`, () => {
    test('are listed once an hour, in two requests while nothing moves, and each payout once', async (t) => {
      const { register, list, calls, moveTo, now, books, all } = await startAccount(t, engine);
      const transactions = 'GET /v1/balance_transactions';
      const listed = [transactions, 'GET /v1/payouts'];
      await register();
      await list(false);
      assert.deepEqual(calls, listed);
      await list(false);
      assert.deepEqual(calls, []);
      moveTo(new Date(now().getTime() + HOUR_MS));
      await list(false);
      assert.deepEqual(calls, listed);
      moveTo(daysAfter(now(), 3));
      await list(false);
      assert.deepEqual(calls, [...listed, transactions]);
      moveTo(new Date(now().getTime() + HOUR_MS));
      await list(false);
      assert.deepEqual(calls, listed);
      const { rows, atStripe } = await books();
      assert.equal(typeof rows[0]?.payout, 'object');
      assert.equal(atStripe.count, (await all()).length);
    });

    test('are known up to when all were listed: what was broken off begins again', async (t) => {
      const { register, list, books, moveTo, now, sandbox, payments, database, letterLog, all } =
        await startAccount(t, engine);
      await register();
      await list();
      const { knownUntil } = await books();
      moveTo(daysAfter(now(), 3));
      await register({ email: 'ann@example.org' });
      const killed = { database, letterLog, stripe: killedAt(2, false, sandbox) };
      await assert.rejects(recordTransactions(killed, now()));
      assert.deepEqual((await books()).knownUntil, knownUntil);
      assert.ok(knownUntil);
      await payments.ask(recordTransactions, now());
      const { atStripe, ...after } = await books();
      assert.ok(after.knownUntil && after.knownUntil > knownUntil);
      assert.equal(atStripe.count, (await all()).length);
    });

    test('a payout that came back is told of, and one made by hand leaves open what it holds', async (t) => {
      const { register, list, books, moveTo, now, sandbox, database, stripe } = await startAccount(t, engine);
      const payoutsOf = async () => (await books()).rows.map(({ payout }) => payout);
      await register();
      moveTo(daysAfter(now(), 3));
      const [payout] = (await stripe.payouts.list()).data;
      assert.ok(payout);
      await register({ email: 'ann@example.org' });
      sandbox.bank.payOutByHand();
      await list();
      moveTo(new Date(now().getTime() + HOUR_MS));
      await register({ email: 'bea@example.org' });
      await list();
      const arrivesAt = new Date(payout.arrival_date * 1000);
      const first = { id: payout.id, arrivesAt, failed: false };
      assert.deepEqual(await payoutsOf(), [first, 'unknown', undefined]);
      const { amount } = payout;
      await database.write((transaction) =>
        transaction
          .insertInto('transactions')
          .values({
            ...rightRows.transactions,
            id: 'txn_back',
            source: payout.id,
            category: 'payout_reversal',
            amount,
            fee: 0,
            net: amount,
            payout: null,
            arrivesAt: null,
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
      assert.deepEqual(await payoutsOf(), [{ ...first, failed: true }, 'unknown', undefined]);
    });
  });
