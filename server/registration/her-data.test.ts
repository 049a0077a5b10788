import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { InsertObject, KyselyPlugin } from 'kysely';
import { type Tables, tableNames } from '#server/database/database.ts';
import { recordTransactions } from '#server/stripe/catch-up.ts';
import { decide, recordActs } from '#server/stripe/decide.ts';
import { answerQuestions, askForAddress } from '#server/stripe/her-details.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { rightRows } from '#server/testing/right-rows.ts';
import { startCharged } from '#server/testing/test-charges.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { limitPlaces, testQuestions } from '#server/testing/test-editions.ts';
import { refreshIndex } from '#server/worker/look.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import {
  changeRow,
  exportOf,
  findRow,
  LEFT_OUT,
  NOBODY,
  readRegistrations,
  recordBounce,
  writeHolder,
} from './registration.ts';

/** Columns by which a row names somebody. */
const NAMING = ['digest', 'registration', 'payment', 'subject', 'address', 'email'];

/** An entry of the waiting list, without a name. */
const waiting = (at: Date) => ({
  edition: edition.facts.id,
  joinedAt: at,
  askedAt: at,
  ...NOBODY,
  confirmedAt: null,
  offeredAt: null,
  offeredUntil: null,
  offeredBy: null,
  nextAt: at,
});

/** Somebody of whom each table holds something, and others with the same name, or the same address. */
async function startFull(t: TestContext) {
  const charged = await startCharged(t);
  const { id, find, database, payments, sandbox, stripe, now, letterLog, register } = charged;
  const record = await find();
  const address = record.registrant.email;
  await recordBounce(payments, { address, at: now() }, now());
  await payments.ask(decide, await find(), 'refund', {
    at: now(),
    by: 'Anna',
    cents: 500,
    reason: 'illness',
  });
  await payments.ask(makeDueRefunds, id, now());
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(await charged.depositOf(id));
  sandbox.bank.openDispute(String(charge));
  await payments.ask(recordActs, await find(), [
    { kind: 'note', facts: { text: 'Comes by train' }, at: now(), by: 'Anna' },
  ]);
  const given = [{ question: testQuestions.table, answer: 'With my family' }];
  await answerQuestions(payments, await find(), given, now());
  await recordAct(database, 'reg_somebody_else', 'consent', { at: now() });
  const other = await register({ firstName: 'Berta', email: address });
  await database.write((transaction) =>
    transaction
      .insertInto('waitingEntries')
      .values([
        { ...waiting(now()), id: 'waiting_hers', address },
        { ...waiting(now()), id: 'waiting_other', address: 'berta@example.org', firstName: 'Berta' },
      ])
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  await database.write((transaction) => changeRow(transaction, id, { waiting: 'waiting_hers' }));
  const byCheck = { kind: 'check', number: null, payment: null } as const;
  const payout = { way: 'check', payment: null, paymentCents: null } as const;
  await database.write(async (transaction) => {
    const add = <Name extends 'installments' | 'entries' | 'payouts' | 'letters'>(
      name: Name,
      row: InsertObject<Tables, Name>,
    ) =>
      transaction
        .insertInto(name)
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    await add('installments', { ...rightRows.installments, registration: id, agreedIn: null });
    await add('entries', { ...rightRows.entries, registration: id, ...byCheck });
    await add('payouts', { ...rightRows.payouts, registration: id, ...payout });
    await add('letters', { ...rightRows.letters, subject: id, address: 'letter-to-another@example.org' });
  });
  await find();
  await payments.ask(recordTransactions, now());
  await refreshIndex(database, edition, now());
  assert.ok((await letterLog.about(id)).length > 0);
  const data = (await exportOf({ database }, id, now())) ?? assert.fail();
  return { ...charged, data, other };
}

const inCamelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('all that is kept about a registrant', () => {
  test('has rows of each table whose columns can name her, with each of their columns that is not left out for a reason', async (t) => {
    const { database, data, id } = await startFull(t);
    const tables = await database.read((transaction) => transaction.introspection.getTables());
    assert.equal(tables.length, tableNames.length);
    const exported = new Map<string, readonly Record<string, unknown>[]>(Object.entries(data.tables));
    for (const { name: snake, columns } of tables) {
      const name = inCamelCase(snake);
      const names = columns.map((column) => inCamelCase(column.name));
      const [row] = exported.get(name) ?? [];
      const isAboutHer = names.some((one) => NAMING.includes(one));
      assert.equal(row !== undefined, isAboutHer, `${name} holds something about her, and is not exported`);
      const kept = names.filter((one) => !(`${name}.${one}` in LEFT_OUT));
      if (row) assert.deepEqual(Object.keys(row).toSorted(), kept.toSorted(), name);
    }
    assert.deepEqual(
      data.tables.registrations?.map((row) => row.id),
      [id],
    );
  });

  test('has her notes, and nobody else’s data, secret or key', async (t) => {
    const { data, other, database, now } = await startFull(t);
    const json = JSON.stringify(data.tables);
    assert.match(json, /Comes by train/);
    assert.match(json, /"id":"waiting_hers"/);
    assert.doesNotMatch(json, new RegExp(`Berta|letter-to-another|waiting_other|${other}|reg_somebody_else`));
    assert.doesNotMatch(json, /_secret_/);
    assert.equal(await exportOf({ database }, 'reg_none', now()), undefined);
  });

  test('of a place that was handed over has nothing of who had it before', async (t) => {
    const { id, find, database, payments, now, letterLog } = await startCharged(t);
    const { firstName, lastName, email, phoneNumber } = (await find()).registrant;
    assert.ok((await letterLog.about(id)).length > 0);
    await payments.ask(recordActs, await find(), [
      { kind: 'note', facts: { text: 'Before' }, at: now(), by: 'Anna' },
    ]);
    const answer = 'With my family';
    await answerQuestions(payments, await find(), [{ question: testQuestions.table, answer }], now());
    await askForAddress(payments, await find(), 'asked@example.org', now());
    await database.write((transaction) =>
      changeRow(transaction, id, { heldBy: 'hmac-of-address', heldNetwork: 'hmac-of-network' }),
    );
    const at = new Date(now().getTime() + 1000);
    const registrant = {
      firstName: 'Ines',
      lastName: 'New',
      email: 'ines@example.org',
      phoneNumber: '5550199',
      timeZone: '',
    };
    const row = (await database.read((transaction) => findRow(transaction, id))) ?? assert.fail();
    await database.write(async (transaction) => {
      const act = { id: 'handed', subject: id, at, by: 'Anna' };
      await writeHolder(transaction, row, act, at, registrant);
    });
    await payments.ask(recordActs, await find(), [
      { kind: 'note', facts: { text: 'Since' }, at: new Date(at.getTime() + 1), by: 'Anna' },
    ]);
    const { tables } = (await exportOf({ database }, id, now())) ?? assert.fail();
    const json = JSON.stringify(tables);
    for (const others of [
      firstName,
      lastName,
      email,
      phoneNumber,
      answer,
      'asked@',
      'hmac-of',
      'Before',
      '"brand"',
    ])
      assert.ok(!json.includes(others), others);
    assert.match(json, /"firstName":"Ines".*Since/);
    assert.ok(tables.payments && !tables.letters && !tables.attempts);
  });
});

test('a registration of which every table holds something is read with at most eight queries, and so are several', async (t) => {
  limitPlaces(t, 80);
  const { database, id, other } = await startFull(t);
  for (const ids of [[id], [id, other]]) {
    let queries = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        queries += 1;
        return result;
      },
    };
    const readings = await database.read((transaction) =>
      readRegistrations(transaction.withPlugin(counting), ids),
    );
    assert.ok(queries > 0 && queries <= 8, `${queries} queries for ${ids.length}`);
    assert.deepEqual([...readings.keys()], ids);
    const { record, problem } = readings.get(id) ?? {};
    assert.ok(record?.agreement && record.bounced, problem?.why);
    const { balances, refunds, disputes, attempts, endedLetters, notes, answers, notices, ledger } = record;
    const { installments, entries, payouts } = ledger;
    for (const rows of [balances, refunds, disputes, attempts, endedLetters, notes, answers, notices])
      assert.notEqual(rows.length, 0);
    for (const rows of [installments, entries, payouts])
      assert.ok(rows.length > 0 && rows.every(({ registration }) => registration === id));
  }
});
