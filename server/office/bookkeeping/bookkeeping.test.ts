import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import express from 'express';
import type Stripe from 'stripe';
import request from 'supertest';
import { addsUp, comparedWithStripe, tellBookkeeping, totalsByWay } from '#server/acts/bookkeeping.ts';
import { type BookRow, totalOf } from '#server/acts/read-bookkeeping.ts';
import { officePaths } from '#server/office/paths.ts';
import { recordTransactions } from '#server/stripe/account-transactions.ts';
import { decide } from '#server/stripe/decide.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { DUE, recordReceived, startCharges, takeBackReceived } from '#server/testing/test-charges.ts';
import { type EngineName, engines, recordAct } from '#server/testing/test-database.ts';
import { noteSignedIn } from '#server/users/user.ts';
import { addBookkeepingPages } from './bookkeeping-pages.tsx';

const MONTH = '2025-12';
/** December in Pacific Time, in which the office's months are. */
const SPAN = { from: new Date('2025-12-01T08:00:00Z'), until: new Date('2026-01-01T08:00:00Z') };
const ANOTHER_SHOP = 5_000;

/**
 * A December in which two people pay by card, one of them and another one dispute, one pays by check, and somebody buys
 * in another shop of the same Stripe account; the last deposit is paid half an hour before the month is over, the next one
 * half an hour after it.
 */
async function playDecember(t: TestContext, engine: EngineName = 'sqlite') {
  const calls: string[] = [];
  const log = (line: string) => calls.push(line.split(' ', 2).join(' '));
  const charges = await startCharges(t, { engine, log });
  const { register, find, payments, stripe, sandbox, moveTo, now, tell, charge, database } = charges;
  const her = (firstName: string) => ({ firstName, email: `${firstName.toLowerCase()}@example.org` });
  const pays = async (firstName: string, card = 'pm_card_visa') => {
    moveTo(new Date(now().getTime() + 60_000));
    const id = await register({ ...her(firstName), card });
    await find(id);
    return id;
  };
  const [ann, bea, cem, dot] = [
    await pays('Ann'),
    await pays('Bea'),
    await pays('Cem', 'pm_card_createDispute'),
    await pays('Dot', 'pm_card_createDispute'),
  ];
  await stripe.paymentIntents.create({
    amount: ANOTHER_SHOP,
    currency: 'usd',
    confirm: true,
    payment_method: 'pm_card_visa',
  });
  moveTo(new Date('2025-12-09T20:00:00Z'));
  const on = new Date('2025-12-05T20:00:00Z');
  const received = { at: now(), by: 'Anna', way: 'check', cents: 75_000, on } as const;
  await payments.ask(recordReceived, await find(bea), received);
  const sentAt = new Date('2025-12-08T20:00:00Z').toISOString();
  await recordAct(database, bea, 'checkSent', { at: now(), cents: 5_000, sentAt });
  for (const [id, outcome] of [[cem, 'lost'] as const, [dot, 'won'] as const]) {
    for (const dispute of (await find(id)).disputes) sandbox.bank.closeDispute(dispute.id, outcome);
    await find(id);
  }
  await tell(ann);
  moveTo(DUE);
  await charge(ann);
  await payments.ask(decide, await find(ann), 'refund', {
    at: now(),
    by: 'Anna',
    cents: 10_000,
    reason: 'ill',
  });
  await payments.ask(makeDueRefunds, ann, now());
  await find(ann);
  moveTo(new Date('2026-01-01T07:30:00Z'));
  const eve = await pays('Eve');
  moveTo(new Date('2026-01-01T08:30:00Z'));
  const fay = await pays('Fay');
  moveTo(new Date('2026-01-05T20:00:00Z'));
  const stripeHas = await stripe.balanceTransactions.list({ limit: 100 });
  calls.length = 0;
  await payments.ask(recordTransactions, now());
  return {
    ...charges,
    calls,
    ann,
    bea,
    eve,
    fay,
    listAgain: () => payments.ask(recordTransactions, now(), true),
    books: (month = MONTH) => tellBookkeeping({ database }, month),
    atStripe: stripeHas.data.filter(({ created }) => isIn(new Date(created * 1000))),
  };
}

const isIn = (at: Date): boolean => at >= SPAN.from && at < SPAN.until;

const shown = ({ name, what, way, grossCents, feeAskedCents, stripeFeeCents, netCents }: BookRow) => [
  name.split(' ')[0],
  what,
  way,
  grossCents,
  feeAskedCents,
  stripeFeeCents,
  netCents,
];

const total = (some: readonly Stripe.BalanceTransaction[]) => ({
  count: some.length,
  grossCents: some.reduce((sum, { amount }) => sum + amount, 0),
  stripeFeeCents: some.reduce((sum, { fee }) => sum + fee, 0),
  netCents: some.reduce((sum, { net }) => sum + net, 0),
});

for (const engine of engines)
  test(`the bookkeeper’s month, on ${engine}`, async (t) => {
    const played = await playDecember(t, engine);
    const { books, listAgain, atStripe, calls, bea, fay, payments, find, now, stripe, database } = played;

    await t.test(
      'has a row for each payment, refund, dispute and check, and adds up to what Stripe has to the cent',
      async () => {
        const december = await books();
        assert.deepEqual(december.rows.map(shown), [
          ['Ann', 'deposit', 'card', 72_100, 2_600, 2_121, 69_979],
          ['Bea', 'deposit', 'card', 72_100, 2_600, 2_121, 69_979],
          ['Cem', 'deposit', 'card', 72_100, 2_600, 2_121, 69_979],
          ['Cem', 'dispute', 'card', -72_100, undefined, 1_500, -73_600],
          ['Dot', 'deposit', 'card', 72_100, 2_600, 2_121, 69_979],
          ['Dot', 'dispute', 'card', -72_100, undefined, 1_500, -73_600],
          ['Bea', 'tuition', 'check', 75_000, undefined, 0, 75_000],
          ['Bea', 'refund', 'check', -5_000, undefined, 0, -5_000],
          ['Dot', 'dispute won', 'card', 72_100, undefined, 0, 72_100],
          ['Ann', 'balance', 'card', 72_625, 2_625, 2_136, 70_489],
          ['Ann', 'refund', 'card', -10_000, undefined, 0, -10_000],
          ['Eve', 'deposit', 'card', 72_100, 2_600, 2_121, 69_979],
        ]);
        const byCard = december.rows.filter(({ way }) => way === 'card');
        const payouts = atStripe.filter((change) => change.reporting_category === 'payout');
        const foreign = atStripe.filter(({ amount }) => amount === ANOTHER_SHOP);
        const own = atStripe.filter((change) => !payouts.includes(change) && !foreign.includes(change));
        const { feeAskedCents: _, name: ___, ...sums } = totalOf('', byCard);
        assert.deepEqual(sums, total(own));
        assert.deepEqual(
          comparedWithStripe(december).map(({ feeAskedCents: __, ...line }) => line),
          [
            { name: 'This site’s, by card', ...total(own) },
            { name: 'Not this site’s: charge', ...total(foreign) },
            { name: 'Not this site’s: payout', ...total(payouts) },
            { name: 'All transactions at Stripe', ...total(atStripe) },
          ],
        );
        assert.equal(addsUp(december), true);
        assert.equal(addsUp({ ...december, rows: december.rows.slice(1) }), false);
        const ways = totalsByWay(december).map(({ name, count, netCents }) => [name, count, netCents]);
        const netByCard = total(own).netCents;
        assert.deepEqual(ways, [
          ['By card', 10, netByCard],
          ['By check', 2, 70_000],
          ['Together', 12, netByCard + 70_000],
        ]);
        // Read by the worker: all transactions, the payouts, and those of each payout.
        assert.deepEqual(calls, [
          'GET /v1/balance_transactions',
          'GET /v1/payouts',
          ...payouts.map(() => 'GET /v1/balance_transactions'),
          'GET /v1/balance_transactions',
        ]);
      },
    );

    await t.test(
      'what was taken back stands on its own day, and leaves the month before as it was',
      async () => {
        const before = (await books()).rows.map(shown);
        const [payment] = (await find(bea)).received.counting;
        assert.ok(payment);
        const bounced = { at: now(), by: 'Anna', why: 'bounced' } as const;
        await payments.ask(takeBackReceived, await find(bea), payment, bounced);
        assert.deepEqual((await books()).rows.map(shown), before);
        assert.deepEqual((await books('2026-01')).rows.map(shown), [
          ['Fay', 'deposit', 'card', 72_100, 2_600, 2_121, 69_979],
          ['Bea', 'tuition taken back', 'check', -75_000, undefined, 0, -75_000],
        ]);
      },
    );

    await t.test(
      'what is not in the register, or in another currency, is named and never hidden',
      async () => {
        await database.write(async (transaction) => {
          for (const table of ['entries', 'payments'] as const)
            await transaction.deleteFrom(table).where('registration', '=', fay).execute();
        });
        await stripe.paymentIntents.create({
          amount: 900,
          currency: 'eur',
          confirm: true,
          payment_method: 'pm_card_visa',
        });
        await listAgain();
        const { others } = await books('2026-01');
        assert.deepEqual(
          others.map(({ name, count, grossCents }) => [name, count, grossCents]),
          [
            ['Not this site’s: charge, in EUR, which is in no sum', 1, 0],
            ['Not this site’s: payout', 1, -2 * 69_979],
            ['This site’s, but not in its register: charge', 1, 72_100],
          ],
        );
      },
    );
  });

/** The office's pages of a played December. */
async function openPages(t: TestContext) {
  const played = await playDecember(t);
  const { database, now } = played;
  const app = express();
  app.use((_req, res, next) => {
    noteSignedIn(res, { user: { name: 'Anna', role: 'office' }, token: 'token' });
    next();
  });
  addBookkeepingPages(app, { assets: { officeStyle: '/office.css' }, database, now });
  const get = (path: string) => request(app).get(path).expect(200);
  return {
    ...played,
    get,
    textOf: async (path: string) => (await get(path)).text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' '),
  };
}

test('the page of a month', async (t) => {
  const { get, textOf, listAgain, ...played } = await openPages(t);
  const { database, ann, eve, stripe, sandbox, depositOf } = played;

  await t.test('shows rows, sums and the comparison, and changes nothing', async () => {
    const held = () =>
      database.read(async (transaction) => [
        await transaction.selectFrom('registrations').selectAll().execute(),
        await transaction.selectFrom('payments').selectAll().execute(),
        await transaction.selectFrom('acts').selectAll().execute(),
      ]);
    const before = await held();
    const text = await textOf(`${officePaths.bookkeeping}?month=${MONTH}`);
    assert.match(text, /Bookkeeping: December 2025/);
    assert.match(
      text,
      /2025-12-21 Ann O’Hara .{0,80} balance card 726\.25 26\.25 21\.36 704\.89 2025-12-24 po_/,
    );
    assert.match(text, /2025-12-31 Eve O’Hara/);
    assert.match(text, /add up to all of it, to the cent/);
    assert.match(text, /The register has the same payments and refunds for this month, to the cent/);
    assert.deepEqual(await held(), before);
    // A refund on the dashboard, of which no webhook has told yet.
    const { id } = await stripe.refunds.create({ payment_intent: await depositOf(eve), amount: 100 });
    await listAgain();
    const january = await textOf(officePaths.bookkeeping);
    assert.match(january, /Bookkeeping: January 2026 .* The month is not over/);
    assert.match(january, new RegExp(`${id} ?: 0\\.00 in the register, -1\\.00 at Stripe`));
    assert.match(january, /2026-01-05 Eve .* refund card -1\.00 0\.00 -1\.00 not yet/);
    assert.match(await textOf(`${officePaths.bookkeeping}?month=2025-10`), /No money moved in this month/);
  });

  await t.test('the spreadsheet has one line a row, plain sums, and no formula', async () => {
    await database.write((transaction) =>
      transaction
        .updateTable('registrations')
        .set({ firstName: '=Ann', lastName: 'A\nB' })
        .where('id', '=', ann)
        .execute(),
    );
    const answer = await get(`${officePaths.bookkeepingCsv}?month=${MONTH}`);
    assert.match(answer.headers['content-disposition'] ?? '', /filename=bookkeeping-2025-12\.csv/);
    const [head, first, ...rows] = parse(answer.text, { bom: true, record_delimiter: '\r\n' }) as string[][];
    assert.equal(rows.length, 11);
    assert.deepEqual(head?.slice(0, 4), ['Date (Pacific Time)', 'Name', 'Registration', 'Edition']);
    assert.deepEqual(first?.slice(0, 12), [
      '2025-12-01',
      "'=Ann A B",
      ann,
      'january-2026',
      'deposit',
      'card',
      '721.00',
      '26.00',
      '21.21',
      '699.79',
      first?.[10] ?? '',
      '2025-12-03',
    ]);
    assert.match(first?.slice(10).join(' ') ?? '', /^po_\w+ 2025-12-03 US ch_\w+$/);
    assert.equal(rows.find(([, , , , what]) => what === 'dispute')?.[6], '-721.00');
  });

  await t.test('says up to when it knows what moved at Stripe, also while Stripe is away', async () => {
    await sandbox.close();
    const text = await textOf(`${officePaths.bookkeeping}?month=${MONTH}`);
    assert.match(text, /Stripe’s transactions are known until 2026-01-05 12:00/);
    assert.match(text, /add up to all of it, to the cent/);
    await database.write((transaction) =>
      transaction.updateTable('register').set({ transactionsUntil: null }).execute(),
    );
    assert.match(await textOf(officePaths.bookkeeping), /Stripe’s transactions are not known yet/);
  });
});
