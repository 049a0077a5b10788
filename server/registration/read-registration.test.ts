import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { InsertObject, KyselyPlugin } from 'kysely';
import request from 'supertest';
import type { Database, Tables } from '#server/database/database.ts';
import { decide } from '#server/stripe/decide.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { ownMarksOfBalance, registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { DUE, daysAfter, paymentIn, startCharges } from '#server/testing/test-charges.ts';
import { type EngineName, engines, registration, testDatabase } from '#server/testing/test-database.ts';
import { limitPlaces } from '#server/testing/test-editions.ts';
import { BEGUN, balance, recordWith, refund, withCheck } from '#server/testing/test-registrations.ts';
import { startTestSite, submitContact } from '#server/testing/test-site.ts';
import { edition, facts } from '#shared/content/compiled/on-sale.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';
import {
  addressDigest,
  factsOfAct,
  findRegistration,
  HERSELF,
  isHandedOver,
  nextInstallment,
  readRegistrations,
  stateOf,
  writeBounced,
} from './registration.ts';

const MINUTE_DAYS = 1 / (24 * 60);

async function startTwice(t: TestContext, { isSamePerson = true } = {}) {
  const charges = await startCharges(t);
  const { registerTwice, payments, database, find, now, moveTo } = charges;
  const { first, second } = await registerTwice({ isSamePerson });
  return {
    ...charges,
    first,
    second,
    /** Whether each of the two is flagged, and which one is the younger. */
    flags: async () => Promise.all([first, second].map(async (id) => (await find(id)).paidTwice?.isYounger)),
    /** What the worker looks at again after `happens`. */
    async changedBy(happens: () => Promise<unknown>): Promise<readonly string[]> {
      const versions = () =>
        database.read((transaction) =>
          transaction.selectFrom('registrations').select(['id', 'version']).execute(),
        );
      const before = new Map((await versions()).map(({ id, version }) => [id, version]));
      await happens();
      const changed = (await versions()).filter(({ id, version }) => version !== before.get(id));
      return changed.map(({ id }) => id).toSorted();
    },
    async cancelFirst(): Promise<void> {
      const at = now();
      await payments.ask(decide, await find(first), 'cancel', { at, by: HERSELF, writtenAt: at });
      moveTo(daysAfter(at, 25 / 24));
      await payments.ask(makeDueRefunds, first, now());
    },
  };
}

describe('of two places under one name and address', () => {
  test('R4.5 R4.6 she pays again on another device, where nobody can ask her: both are flagged, and both have the ordinary letters', async (t) => {
    const site = await startTestSite(t);
    const pay = async (device: string) => {
      const { body } = await submitContact(site.app, {}, device.repeat(5)).expect(200);
      const { paymentIntentClientSecret } = body;
      const { version, digest } = edition.terms;
      const consent = { paymentIntentClientSecret, version, digest };
      await request(site.app).post(RECORD_CONSENT_PATH).send(consent).expect(204);
      const payment = paymentIn(String(paymentIntentClientSecret));
      site.sandbox.clock.moveTo(daysAfter(new Date(site.sandbox.clock.now()), MINUTE_DAYS));
      const paid = await site.stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
      await site.tell('payment_intent.succeeded', paid, { id: `evt_${payment}` }).expect(200);
      return registrationOf(paid);
    };
    const [first, second] = [await pay('laptop'), await pay('tablet')];
    const letters = (await site.lettersQueued()).map(({ letter }) => letter);
    for (const id of [first, second]) {
      const kinds = letters.filter(({ subject }) => subject === id).map(({ kind }) => kind);
      assert.ok(kinds.includes('welcome') && kinds.includes('office-paid'), `${kinds}`);
    }
    const flagOf = async (id: string) => (await findRegistration(site.payments, id))?.paidTwice;
    assert.deepEqual(await flagOf(first), { other: second, isYounger: false });
    assert.deepEqual(await flagOf(second), { other: first, isYounger: true });
  });

  test('the younger is not charged when the balance is due, however she was told; the older is', async (t) => {
    const { first, second, tell, moveTo, charge, charged, state } = await startTwice(t);
    for (const id of [first, second]) await tell(id);
    moveTo(DUE);
    for (const id of [first, second]) await charge(id);
    assert.deepEqual([await charged(first), await charged(second)], [[72_625], []]);
    assert.deepEqual([await state(first), await state(second)], ['settled', 'due']);
  });

  test('one that the office said is somebody else’s is none of them', async (t) => {
    const { flags } = await startTwice(t, { isSamePerson: false });
    assert.deepEqual(await flags(), [undefined, undefined]);
  });

  test('none is flagged any more once one has given up its place; both are read again', async (t) => {
    const { first, second, flags, state, cancelFirst, changedBy } = await startTwice(t);
    assert.deepEqual(await flags(), [false, true]);
    assert.deepEqual(await changedBy(cancelFirst), [first, second].toSorted());
    assert.deepEqual(await flags(), [undefined, undefined]);
    assert.equal(await state(second), 'registered');
  });

  test('a correction of one of the names or addresses parts them; both are read again', async (t) => {
    const { first, second, payments, flags, now, changedBy } = await startTwice(t);
    const correct = () =>
      payments.ask(correctDetails, { id: first }, { email: 'else@example.org' }, 'Anna', now());
    assert.deepEqual(await changedBy(correct), [first, second].toSorted());
    assert.deepEqual(await flags(), [undefined, undefined]);
  });

  test('people whose data were removed are not taken for one another', async (t) => {
    const { database, flags } = await startTwice(t);
    await database.write((transaction) =>
      transaction.updateTable('registrations').set({ person: '', address: '' }).execute(),
    );
    assert.deepEqual(await flags(), [undefined, undefined]);
  });

  test('is either given back or somebody else’s: of two decisions at once the second gets an error', async (t) => {
    const { second, payments, find, now } = await startTwice(t);
    const [record, at] = [await find(second), now()];
    await payments.ask(decide, record, 'twoPeople', { at, by: 'Anna' });
    const late = payments.ask(decide, record, 'cancel', { at, by: 'Berta', writtenAt: at, whole: true });
    await assert.rejects(late, { code: 'decided_meanwhile' });
    assert.equal((await find(second)).decisions.cancel, undefined);
  });

  for (const kind of ['cancel', 'twoPeople'] as const)
    test(`keeps one place: after ${kind} of one, the other is not given back at the same time`, async (t) => {
      const { first, second, payments, find, now } = await startTwice(t);
      const [older, younger, at] = [await find(first), await find(second), now()];
      const whole = { at, by: 'Berta', writtenAt: at, whole: true } as const;
      await payments.ask(decide, younger, kind, kind === 'cancel' ? whole : { at, by: 'Anna' });
      await assert.rejects(payments.ask(decide, older, 'cancel', whole), { code: 'decided_meanwhile' });
      assert.equal((await find(first)).decisions.cancel, undefined);
    });
});

const CHARGED = new Date(facts.balance.chargeAt);

/** A registration with its deposit paid, and a function that creates payments of its balance. */
async function startPaid(t: TestContext) {
  const charges = await startCharges(t);
  const id = await charges.register({ consents: false });
  const { customerId: customer = '' } = await charges.find(id);
  const { balanceCents: amount, balanceBeforeFeeCents: beforeFeeCents } = facts.prices;
  const ownMarks = ownMarksOfBalance(facts, id, { byCardCents: amount, beforeFeeCents }, 1);
  const createBalance = (marks: Record<string, string> = {}) => {
    const metadata = { ...ownMarks, ...marks };
    return charges.stripe.paymentIntents.create({ amount, currency: 'usd', customer, metadata });
  };
  return { ...charges, id, customer, createBalance, find: () => charges.find(id) };
}

describe('what Stripe has on record of a registration', () => {
  test('a try without a recorded result counts as in progress, also if her bank demands authentication', async (t) => {
    const { stripe, database, customer, id: registration, createBalance, find } = await startPaid(t);
    const [{ id }, begunAt] = [await createBalance(), CHARGED];
    const method = await stripe.paymentMethods.attach('pm_card_authenticationRequiredOnSetup', { customer });
    const tried = { payment_method: method.id, off_session: true };
    const confirm = stripe.paymentIntents.confirm(id, tried);
    await assert.rejects(confirm, { code: 'authentication_required' });
    await find();
    await database.write(async (transaction) => {
      const row = {
        id: 'attempt_1',
        registration,
        number: 1,
        try: 1,
        step: 1,
        begunAt,
        payment: id,
        card: method.id,
        endedAt: null,
        code: null,
        nextAt: null,
        final: 0,
      } as const;
      await transaction
        .insertInto('attempts')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    });
    const record = await find();
    assert.deepEqual([nextInstallment(record).payment?.status, nextInstallment(record).tries], ['open', 1]);
    assert.equal(stateOf(record, CHARGED), 'retrying');
  });

  test('a paid balance counts as paid even if there is a newer payment', async (t) => {
    const { stripe, createBalance, find } = await startPaid(t);
    const { id } = await createBalance();
    await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await createBalance();
    const record = await find();
    assert.deepEqual(
      [nextInstallment(record).payment?.id, nextInstallment(record).payment?.beforeFeeCents],
      [id, 70_000],
    );
    assert.equal(stateOf(record, CHARGED), 'settled');
  });

  test('a balance without a readable sum before the card fee is an error', async (t) => {
    const { createBalance, find } = await startPaid(t);
    await createBalance({ 'before-fee': '' });
    await assert.rejects(find(), { code: 'unreadable_payment' });
  });
});

const MOST_QUERIES = 8;

/** Registrations of each of which the register holds something in every table that can name her. */
async function startFull(t: TestContext, engine: EngineName, count: number) {
  const { database } = await testDatabase(t, engine);
  const at = BEGUN;
  const people = Array.from({ length: count }, (_, index) => {
    const id = `reg_${index}`;
    return {
      id,
      email: `wilma.${index}@example.org`,
      before: `wilma@${index}.example.org`,
      payment: `pi_${index}`,
    };
  });
  const parts = [1, 2].map((number) => ({ number, cents: 35_000, dueAt: CHARGED }));
  const records = people.map(({ id, email, payment }) => {
    const { registrant, edition: sold } = recordWith();
    const decline = { try: 1, at, code: 'insufficient_funds', card: 'pm_1', step: 1, next: CHARGED };
    return recordWith({
      id,
      registrant: { ...registrant, email },
      agreement: { version: sold.terms.version, digest: sold.terms.digest, agreedAt: at },
      balances: [balance({ id: `${payment}_whole`, tries: 2, decline })],
      refunds: [refund({ id: `re_${id}`, of: 'deposit', cents: 500 })],
      notices: [{ at, dueAt: CHARGED, cents: 35_000, to: addressDigest(email) }],
      decisions: {
        plan: { at, by: 'Anna', parts },
        refund: { at: daysAfter(at, 1), by: 'Anna', cents: 300, reason: 'illness' },
      },
      ...withCheck(70_000, at),
      disputed: true,
    });
  });
  await putOnRecord(database, records);
  const each = <Row>(rowOf: (person: (typeof people)[number]) => Row): Row[] => people.map(rowOf);
  await database.write(async (transaction) => {
    const add = <Name extends keyof Tables>(name: Name, rows: InsertObject<Tables, Name>[]) =>
      transaction
        .insertInto(name)
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    const act = { happenedAt: at, byWhom: 'Anna', undoes: null };
    const ofPart = {
      number: 2,
      edition: facts.id,
      status: 'paid',
      asMade: 1,
      cents: 36_313,
      madeAt: at,
      paidAt: at,
      disputed: 0,
      card: null,
      postalCode: null,
      beforeFeeCents: 35_000,
      version: 1,
    } as const;
    await add(
      'registrations',
      each(({ id, email }) => ({
        ...registration(`${id}_again`),
        edition: facts.id,
        person: id,
        address: email,
        standing: 'taken',
        paidAt: daysAfter(at, 1),
      })),
    );
    await add(
      'payments',
      each(({ id, payment }) => ({
        ...ofPart,
        id: `${payment}_part`,
        registration: id,
        charge: `ch_${payment}_part`,
      })),
    );
    await add(
      'disputes',
      each(({ id, payment }) => ({
        id: `du_${id}`,
        payment,
        cents: 500,
        reason: 'general',
        status: 'needs_response',
        openedAt: at,
        evidenceUntil: null,
      })),
    );
    await add(
      'acts',
      each(({ id, before }) => ({
        ...act,
        id: `corrected ${id}`,
        subject: id,
        number: 10,
        kind: 'corrected',
        facts: JSON.stringify({ detail: 'email', was: before }),
      })),
    );
    for (const { email, before } of people)
      for (const address of [email, before]) await writeBounced(transaction, address, at);
  });
  return { database, ids: people.map(({ id }) => id), ledgers: records.map(({ ledger }) => ledger) };
}

/** What is read of registrations, and in how many queries. */
function readCounted(database: Database, ids: readonly string[]) {
  let queries = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      queries += 1;
      return result;
    },
  };
  return database.read(async (transaction) => {
    const readings = await readRegistrations(transaction.withPlugin(counting), ids);
    return { readings, queries };
  });
}

describe('a reading of registrations', () => {
  for (const engine of engines)
    test(`takes at most ${MOST_QUERIES} queries on ${engine}, for one of which everything is on record and for 40 of them`, async (t) => {
      limitPlaces(t, 80);
      const { database, ids, ledgers } = await startFull(t, engine, 40);
      for (const some of [ids.slice(0, 1), ids]) {
        const { readings, queries } = await readCounted(database, some);
        assert.ok(queries > 0 && queries <= MOST_QUERIES, `${queries} queries for ${some.length}`);
        assert.deepEqual([...readings.keys()], some);
        for (const { row, record, problem } of readings.values()) {
          assert.ok(record, problem?.why);
          const { balances, refunds, disputes, received, endedLetters } = record;
          assert.deepEqual(
            [balances.length, refunds.length, disputes.length, received.counting.length],
            [2, 1, 1, 1],
          );
          assert.deepEqual(
            record.attempts.flatMap(({ code }) => code ?? []),
            ['insufficient_funds'],
          );
          assert.deepEqual(
            endedLetters.map(({ kind }) => kind),
            ['balance-notice'],
          );
          assert.deepEqual(
            [record.agreed?.prices.balanceBeforeFeeCents, record.agreement?.version],
            [70_000, '4'],
          );
          const written = ledgers.find(({ registration: of }) => of === row.id) ?? assert.fail();
          assert.ok(written.entries.length > 0 && written.payouts.length > 0);
          for (const table of ['installments', 'entries', 'payouts'] as const)
            assert.deepEqual(new Set<object>(record.ledger[table]), new Set<object>(written[table]), table);
          assert.ok(
            record.decisions.plan && record.corrections.email && record.bounced && record.bouncedBefore,
          );
          assert.deepEqual(record.paidTwice, { other: `${row.id}_again`, isYounger: false });
        }
      }
    });
});

const paidAs = { name: 'Anna Maria O’Hara', email: 'anna@example.org' };

/** First name, last name and address that she would have, and whether they are another person's. */
const CASES: readonly (readonly [firstName: string, lastName: string, email: string, is: boolean])[] = [
  ['Berta', 'Fuchs', 'berta@example.org', true],
  ['Berta', 'Fuchs', 'anna@example.org', false],
  ['Berta', 'Fuchs', 'Anna@Example.org', false],
  // She marries, and changes her mail provider.
  ['Anna Maria', 'Fuchs', 'fuchs@example.org', false],
  ['ÁNNA', 'Fuchs', 'fuchs@example.org', false],
  ['Anna-Maria', 'Fuchs', 'fuchs@example.org', false],
  ['Berta', "O'hara", 'berta@example.org', false],
  ['Berta', 'Maria O’Hara', 'berta@example.org', false],
  // First and last name were typed into each other's field.
  ['O’Hara', 'Anna Maria', 'other@example.org', false],
  // Parts of a name are none.
  ['Ann', 'Hara', 'other@example.org', true],
  ['Maria', 'Fuchs', 'other@example.org', true],
  ['-', 'Fuchs', 'other@example.org', true],
];

test('what has neither her first name nor her last name nor her address of the payment is another person’s', () => {
  for (const [firstName, lastName, email, is] of CASES) {
    const to = { firstName, lastName, email };
    assert.equal(isHandedOver(recordWith({ paidAs }), to), is, Object.values(to).join(' '));
    assert.equal(isHandedOver(recordWith(), to), false, 'she has not paid');
  }
});

test('what is not corrected stays as it is now, in whatever steps it became that', () => {
  const registrant = { ...recordWith().registrant, firstName: 'Berta', lastName: 'Fuchs' };
  const renamed = recordWith({ paidAs, registrant: { ...registrant, email: 'anna@example.org' } });
  assert.equal(isHandedOver(renamed, { email: 'berta@example.org' }), true);
  const moved = { ...registrant, firstName: 'Anna Maria', email: 'new@example.org' };
  const record = recordWith({ paidAs, registrant: moved });
  assert.equal(isHandedOver(record, { phoneNumber: '+1 (555) 555-0143' }), false);
  assert.equal(isHandedOver(record, { firstName: 'Berta' }), true);
});

test('who is to get a place, and who had it, are read although a field of theirs is younger than the act', () => {
  const at = new Date('2025-12-01T12:00:00Z');
  const known = { firstName: 'Berta', lastName: 'Fuchs', email: 'berta@example.org' };
  const act = { id: 'a', subject: 'reg_1', number: 1, happenedAt: at, byWhom: 'Anna', undoes: null };
  const decided = factsOfAct({ ...act, kind: 'handOver', facts: JSON.stringify(known) }, 'handOver');
  assert.deepEqual(decided, { at, by: 'Anna', ...known, phoneNumber: '' });
  const facts = JSON.stringify({ ...known, linksEpoch: 1, of: at.toISOString() });
  const handedOver = factsOfAct({ ...act, kind: 'handed-over', facts }, 'handed-over');
  assert.deepEqual(handedOver, { at, ...known, phoneNumber: '', linksEpoch: 1, of: at });
});
