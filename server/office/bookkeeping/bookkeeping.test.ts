import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import express from 'express';
import Stripe from 'stripe';
import request from 'supertest';
import { pageSender } from '#server/office/office-document.tsx';
import { officePaths } from '#server/office/paths.ts';
import { noteSignedIn } from '#server/office/users/user.ts';
import { catchUp, recordTransactions } from '#server/stripe/catch-up.ts';
import { decide } from '#server/stripe/decide.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { createRandom } from '#server/testing/random.ts';
import * as testCharges from '#server/testing/test-charges.ts';
import { type EngineName, engines, recordAct } from '#server/testing/test-database.ts';
import { BUILD } from '#server/testing/test-site.ts';
import { AppError } from '#server/web/app-error.ts';
import { readAssets } from '#server/web/assets.ts';
import { addBookkeepingPages, compareWithStripe, totalsByWay } from './bookkeeping-pages.tsx';
import { type BookMonth, readMonth } from './read-month.ts';

const { DAY_MS, DUE, killedAt, recordReceived, startCharges, takeBackReceived } = testCharges;
const CARDS = ['pm_card_visa', 'pm_card_refundFail', 'pm_card_pendingRefund', 'pm_card_createDispute'];
const LISTED = ['GET /v1/balance_transactions', 'GET /v1/payouts'];

/** An account that two shops share, and the register of one of them. */
async function startAccount(t: TestContext, engine: EngineName = 'sqlite') {
  const calls: string[] = [];
  const log = (line: string) => calls.push(line.split(' ', 2).join(' '));
  const charges = await startCharges(t, { engine, log });
  const { payments, database, stripe, now, moveTo, register, find } = charges;
  const after = (ms: number) => moveTo(new Date(now().getTime() + ms));
  return {
    ...charges,
    after,
    pays: async (firstName: string, card = 'pm_card_visa') => {
      after(60_000);
      const id = await register({ firstName, email: `${firstName.toLowerCase()}@example.org`, card });
      await find(id);
      return id;
    },
    /** What the worker does. */
    list: async (isAsked = false) => {
      await payments.ask(catchUp, now());
      calls.length = 0;
      await payments.ask(recordTransactions, now(), isAsked);
      return [...calls];
    },
    books: (month = '2025-12') => readMonth(database, month),
    sellElsewhere: (amount: number, currency = 'usd') =>
      stripe.paymentIntents.create({ amount, currency, confirm: true, payment_method: 'pm_card_visa' }),
    transactions: (filter: Stripe.BalanceTransactionListParams = {}) =>
      stripe.balanceTransactions.list({ limit: 100, ...filter }).autoPagingToArray({ limit: 10_000 }),
  };
}

/** Two people dispute; the last one but one pays half an hour before the month ends in Pacific Time, the last one after. */
async function playDecember(t: TestContext, engine?: EngineName) {
  const account = await startAccount(t, engine);
  const { find, payments, sandbox, moveTo, now, tell, charge, pays, database } = account;
  const [ann, bea] = [await pays('Ann'), await pays('Bea')];
  const cem = await pays('Cem', 'pm_card_createDispute');
  const dot = await pays('Dot', 'pm_card_createDispute');
  await account.sellElsewhere(5_000);
  moveTo(new Date('2025-12-09T20:00:00Z'));
  const by = { at: now(), by: 'Anna' };
  const on = new Date('2025-12-05T20:00:00Z');
  await payments.ask(recordReceived, await find(bea), { ...by, way: 'check', cents: 75_000, on });
  await recordAct(database, bea, 'checkSent', { ...by, cents: 5_000, sentAt: '2025-12-08T20:00:00.000Z' });
  for (const [id, outcome] of [[cem, 'lost'] as const, [dot, 'won'] as const]) {
    for (const dispute of (await find(id)).disputes) sandbox.bank.closeDispute(dispute.id, outcome);
    await find(id);
  }
  await tell(ann);
  moveTo(DUE);
  await charge(ann);
  const refund = { at: now(), by: 'Anna', cents: 10_000, reason: 'ill' };
  await payments.ask(decide, await find(ann), 'refund', refund);
  await payments.ask(makeDueRefunds, ann, now());
  moveTo(new Date('2026-01-01T07:30:00Z'));
  const eve = await pays('Eve');
  moveTo(new Date('2026-01-01T08:30:00Z'));
  const fay = await pays('Fay');
  moveTo(new Date('2026-01-05T20:00:00Z'));
  await account.list();
  return { ...account, ann, bea, eve, fay };
}

const shown = ({ rows }: BookMonth) =>
  rows.map(({ name, what, way, grossCents, feeAskedCents, stripeFeeCents, netCents }) =>
    [name.split(' ')[0], what, way, grossCents, feeAskedCents ?? '', stripeFeeCents, netCents].join(' '),
  );

const sumOf = (all: readonly Stripe.BalanceTransaction[], of: 'amount' | 'fee' | 'net') =>
  all.reduce((sum, { currency, [of]: cents }) => (currency === 'usd' ? sum + cents : sum), 0);

for (const engine of engines)
  test(`a month, on ${engine}`, async (t) => {
    const played = await playDecember(t, engine);
    const { books, bea, fay, payments, find, now, database } = played;
    const december = await books();
    assert.deepEqual(shown(december), [
      'Ann deposit card 72100 2600 2121 69979',
      'Bea deposit card 72100 2600 2121 69979',
      'Cem deposit card 72100 2600 2121 69979',
      'Cem dispute card -72100  1500 -73600',
      'Dot deposit card 72100 2600 2121 69979',
      'Dot dispute card -72100  1500 -73600',
      'Bea tuition check 75000  0 75000',
      'Bea refund check -5000  0 -5000',
      'Dot dispute reversal card 72100  0 72100',
      'Ann balance card 72625 2625 2136 70489',
      'Ann refund card -10000  0 -10000',
      'Eve deposit card 72100 2600 2121 69979',
    ]);
    const created = { gte: Date.UTC(2025, 11, 1, 8) / 1_000, lt: Date.UTC(2026, 0, 1, 8) / 1_000 };
    const all = await played.transactions({ created });
    const { totals, addsUp } = compareWithStripe(december);
    assert.deepEqual(
      [...totalsByWay(december), ...totals].map(
        ({ name, count, netCents }) => `${name}: ${count}, ${netCents}`,
      ),
      [
        'card: 10, 335284',
        'check: 2, 70000',
        'Together: 12, 405284',
        'This site’s, by card: 10, 335284',
        'Not this site’s: charge: 1, 4825',
        'Not this site’s: payout: 3, -270130',
        `All transactions at Stripe: ${all.length}, ${sumOf(all, 'net')}`,
      ],
    );
    const { grossCents, stripeFeeCents } = december.totalAtStripe;
    assert.deepEqual([grossCents, stripeFeeCents], [sumOf(all, 'amount'), sumOf(all, 'fee')]);
    assert.deepEqual([addsUp, december.differences], [true, []]);
    assert.equal(compareWithStripe({ ...december, rows: december.rows.slice(1) }).addsUp, false);

    const [payment = assert.fail()] = (await find(bea)).received.counting;
    const bounced = { at: now(), by: 'Anna', why: 'bounced' } as const;
    await payments.ask(takeBackReceived, await find(bea), payment, bounced);
    assert.deepEqual(shown(await books()), shown(december));
    assert.deepEqual(shown(await books('2026-01')), [
      'Fay deposit card 72100 2600 2121 69979',
      'Bea tuition taken back check -75000  0 -75000',
    ]);

    await database.write(async (transaction) => {
      for (const table of ['entries', 'payments'] as const)
        await transaction.deleteFrom(table).where('registration', '=', fay).execute();
    });
    await played.sellElsewhere(900, 'eur');
    await played.payments.ask(recordTransactions, now(), true);
    assert.deepEqual(
      (await books('2026-01')).others.map(({ what, grossCents }) => `${what} ${grossCents}`).toSorted(),
      [
        'Not this site’s: charge, in EUR, which is in no sum 0',
        'Not this site’s: payout -139958',
        'This site’s, but not in its register: charge 72100',
      ],
    );
  });

test('transactions of which a killed process knew are listed by the next, and payouts once', async (t) => {
  const { pays, list, after, now, books, sandbox, database, letterLog } = await startAccount(t);
  const payoutDays = async () => (await books()).rows.map(({ payoutDay }) => payoutDay);
  await pays('Ann');
  after(3 * DAY_MS);
  assert.deepEqual(await list(), [...LISTED, LISTED[0]]);
  const { knownUntil } = await books();
  await pays('Bea');
  after(DAY_MS / 24);
  const killed = { database, letterLog, stripe: killedAt(2, false, sandbox) };
  await assert.rejects(recordTransactions(killed, now()));
  assert.deepEqual((await books()).knownUntil, knownUntil);
  await list();
  assert.ok(knownUntil && Number((await books()).knownUntil) > knownUntil.getTime());
  assert.match((await payoutDays()).join(), /^2025-\d\d-\d\d,not known$/);
  const back = { category: 'payout_reversal' };
  await database.write(async (transaction) => {
    await transaction.updateTable('transactions').set(back).where('category', '=', 'payout').execute();
  });
  assert.deepEqual(await payoutDays(), ['failed', 'not known']);
});

/** A few weeks in which money moves in every way, and the worker looks now and then. */
async function live(t: TestContext, seed: number): Promise<string[]> {
  const random = createRandom(seed);
  const { stripe, sandbox, payments, find, now, after, list, ...account } = await startAccount(t);
  const any = <One>(some: readonly One[]): One => some[Math.floor(random() * some.length)] ?? assert.fail();
  const ids: string[] = [];
  for (const [place, card] of CARDS.entries()) ids.push(await account.pays(`Ann${place}`, card));
  const failing = await account.depositOf(ids[1] ?? '');
  const steps: readonly (() => unknown)[] = [
    async function refundByHand() {
      const { data } = await stripe.charges.list({ limit: 100 });
      const { payment_intent, amount, amount_refunded } = any(
        data.filter(({ status }) => status === 'succeeded'),
      );
      const cents = 1 + Math.floor(random() * (amount - amount_refunded));
      await stripe.refunds.create({ payment_intent: String(payment_intent), amount: cents });
    },
    async function settle() {
      for (const { id, status, payment_intent } of (await stripe.refunds.list({ limit: 100 })).data)
        if (status === 'pending' || (status === 'succeeded' && payment_intent === failing))
          sandbox.bank.settleRefund(id);
    },
    async function closeDisputes() {
      for (const { id, status } of (await stripe.disputes.list({ limit: 100 })).data)
        if (status === 'needs_response') sandbox.bank.closeDispute(id, any(['won', 'lost']));
    },
    async function cancel() {
      const record = await find(any(ids));
      await payments.ask(decide, record, 'cancel', { at: now(), by: 'Anna', writtenAt: now() });
      after(2 * DAY_MS);
      await payments.ask(makeDueRefunds, record.id, now());
    },
    async function receive() {
      const cents = 1_000 + Math.floor(random() * 90_000);
      const received = { at: now(), by: 'Anna', way: any(['check', 'transfer'] as const), cents, on: now() };
      await payments.ask(recordReceived, await find(any(ids)), received);
    },
    () => account.sellElsewhere(700, any(['usd', 'eur'])),
    () => sandbox.bank.payOutByHand(),
    () => after(random() * 4 * DAY_MS),
    () => list(),
  ];
  for (let count = 0; count < 40; count += 1)
    try {
      await any(steps)();
    } catch (error) {
      // What Stripe or the ledger refuses moves nothing.
      const isRefused = error instanceof AppError && error.status < 500;
      if (!isRefused && !(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    }
  await list(true);
  const all = await account.transactions();
  const months: BookMonth[] = [];
  for (const one of ['2025-12', '2026-01', '2026-02', '2026-03']) months.push(await account.books(one));
  for (const books of months)
    assert.deepEqual([compareWithStripe(books).addsUp, books.differences], [true, []], `life ${seed}`);
  const net = months.reduce((sum, { totalAtStripe }) => sum + totalAtStripe.netCents, 0);
  assert.equal(net, sumOf(all, 'net'), `life ${seed}`);
  return months.flatMap(({ rows, others }) => [...rows, ...others].flatMap(({ what, way }) => [what, way]));
}

test('the books are what Stripe and the ledger have, to the cent, whatever happens', async (t) => {
  const seen = new Set([...(await live(t, 1)), ...(await live(t, 2)), ...(await live(t, 3))]);
  const own = 'deposit,tuition,refund,refund failure,dispute,dispute reversal,check,transfer'.split(',');
  const others = ['charge', 'charge, in EUR, which is in no sum', 'payout'];
  for (const what of [...own, ...others.map((one) => `Not this site’s: ${one}`)])
    assert.ok(seen.has(what), what);
});

test('the page and the spreadsheet', async (t) => {
  const { database, now, ann, eve, stripe, sandbox, ...played } = await playDecember(t);
  const app = express();
  app.use((_req, res, next) => {
    noteSignedIn(res, { user: { name: 'Anna', role: 'office' }, token: 'token' });
    next();
  });
  addBookkeepingPages(app, { send: pageSender(await readAssets(BUILD)), database, now });
  const get = (path: string) => request(app).get(path).expect(200);
  const says = async (query: string, ...patterns: readonly RegExp[]) => {
    const { text } = await get(`${officePaths.bookkeeping}${query}`);
    const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    for (const pattern of patterns) assert.match(words, pattern);
  };
  const agrees = [/add up to all of it, to the cent/, /register has the same .*, to the cent/];
  const row =
    /2025-12-21 Ann O’Hara reg_\S+ \S+ balance card 726\.25 26\.25 21\.36 704\.89 po_\w+ 2025-12-24 US/;
  await says('?month=2025-12', /Money: December 2025/, row, /2025-12-31 Eve O’Hara/, ...agrees);
  const { id } = await stripe.refunds.create({ payment_intent: await played.depositOf(eve), amount: 100 });
  await played.payments.ask(recordTransactions, now(), true);
  const differs = new RegExp(`${id}: 0\\.00 in the register, -1\\.00 at Stripe`);
  const january = [/Money: January 2026 .* The month is not over/, differs];
  await says('', ...january, /2026-01-05 Eve .* refund card -1\.00 0\.00 -1\.00 not known/);
  await says('?month=2025-13', ...january);

  const firstName = { firstName: '=Ann', lastName: 'A\nB' };
  await database.write(async (transaction) => {
    await transaction.updateTable('registrations').set(firstName).where('id', '=', ann).execute();
  });
  const answer = await get(`${officePaths.bookkeepingCsv}?month=2025-12`);
  assert.match(answer.headers['content-disposition'] ?? '', /filename=bookkeeping-2025-12\.csv/);
  const lines: string[][] = parse(answer.text, { bom: true, record_delimiter: '\r\n' });
  const [head = [], first = []] = lines;
  assert.equal(lines.length, 13);
  const names =
    'Date (Pacific Time)|Name|Registration|Edition|What|Way|Gross (USD)|Card fee asked (USD)|Stripe fee (USD)|Net (USD)|Payout|Payout date|Country of card|Stripe ID';
  assert.equal(head.join('|'), names);
  const cells = ["2025-12-01|'=Ann A B", ann, 'january-2026|deposit|card|721.00|26.00|21.21|699.79'].join(
    '|',
  );
  assert.ok(first.join('|').startsWith(`${cells}|po_`));
  assert.match(first.join('|'), /\|po_\w+\|2025-12-03\|US\|ch_\w+$/);
  await sandbox.close();
  await says('?month=2025-12', /Stripe’s transactions are known until 2026-01-05 12:00/, ...agrees);
  await database.write(async (transaction) => {
    await transaction.updateTable('register').set({ transactionsUntil: null }).execute();
  });
  await says('', /Stripe’s transactions are not known yet/);
});
