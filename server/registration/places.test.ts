import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import {
  type PaymentRow,
  type RegistrationRow,
  rowsWith,
  type Transaction,
  type WaitingEntryRow,
} from '#server/database/database.ts';
import type { PaymentRead } from '#server/stripe/payment-at-stripe.ts';
import { writePayments } from '#server/stripe/record-payments.ts';
import {
  bareDatabase,
  engines,
  openBareDatabase,
  openTestDatabase,
  registration,
  testDatabase,
} from '#server/testing/test-database.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import {
  createPlaces,
  freeOf,
  isRefused,
  NOBODY,
  type PlaceHolder,
  type PlacesDependencies,
  type RecordHeld,
  takeOffer,
  watchPlaces,
} from './registration.ts';

const MINUTE_MS = 60_000;

interface Opening {
  paid: readonly string[];
  holdMinutes: number;
  /** Each write runs once: sixty that wait for each other have no time for more. */
  isBare: boolean;
}

/** The places of an edition whose paid registrations are known, by default none, and a clock that the test moves. */
async function open(
  t: TestContext,
  engine: (typeof engines)[number],
  places: number,
  { paid = [], holdMinutes = 30, isBare = false }: Partial<Opening> = {},
) {
  const { database, url } = await (isBare ? bareDatabase : testDatabase)(t, engine);
  const facts = { ...edition.facts, places, holdMinutes };
  let minutes = 0;
  const now = () => new Date(Date.parse(edition.tryOutFrom) + minutes * MINUTE_MS);
  /** What happened to payments that were to be closed, in the order in which that was asked. */
  const closed: string[] = [];
  const paidMeanwhile = new Set<string>();
  const stripe: { isDown: boolean; meanwhile?: () => Promise<unknown> } = { isDown: false };
  const deposits: PlacesDependencies['deposits'] = {
    async cancel(id) {
      if (stripe.isDown) throw new Error('Stripe is down');
      closed.push(id);
      await stripe.meanwhile?.();
      return paidMeanwhile.has(id) ? 'paid' : 'closed';
    },
  };
  const own = createPlaces({ database, deposits, now });
  const another = createPlaces({
    database: (isBare ? openBareDatabase : openTestDatabase)(t, url),
    deposits,
    now,
  });
  /** Records a registration, unless it is on record. */
  const record =
    (id: string, changes: Partial<RegistrationRow> = {}): RecordHeld =>
    async (transaction, held) => {
      const own = { edition: facts.id, begunAt: held.submittedAt, ...held };
      const row = { ...registration(id), ...own, ...changes };
      const { numInsertedOrUpdatedRows: isNew } = await transaction
        .insertInto('registrations')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow();
      return Boolean(isNew);
    };
  const recordAll = (ids: readonly string[]) =>
    database.write(async (transaction) => {
      const held = { standing: 'open', heldUntil: new Date(0), submittedAt: now() } as const;
      const nobody = { agreedAt: null, heldBy: null, heldNetwork: null };
      for (const id of ids) await record(id)(transaction, { ...held, ...nobody });
    });
  /** Records the payments of deposits as Stripe shows them. */
  const note = async (status: PaymentRow['status'], ...ids: readonly string[]) => {
    await recordAll(ids);
    const read = ids.map((id) => depositRead(id, status));
    await database.write((transaction) => writePayments(transaction, read));
  };
  await note('paid', ...paid);
  return {
    facts,
    database,
    own,
    another,
    closed,
    paidMeanwhile,
    stripe,
    async after(later: number) {
      minutes += later;
    },
    hold: (id: string, more: Partial<PlaceHolder> = {}, using = own) =>
      using.hold(facts, { own: [id], ...more }, record(id)).then(
        () => 'held',
        (error: unknown) => {
          if (isRefused(error, 'retreat_full')) return 'full';
          throw error;
        },
      ),
    /** Takes the place that is offered to an entry, as its page does. */
    async takeOffer(entry: string) {
      const [row] = await database.read((transaction) =>
        rowsWith(transaction, 'waitingEntries', 'id', [entry]),
      );
      assert.ok(row);
      const { offeredAt, offeredUntil } = row;
      const offer = { at: offeredAt ?? now(), until: offeredUntil ?? now(), by: 'Olga' };
      const about = { registrant: NOBODY, edition: { ...edition, facts }, offer };
      const known = { isConfirmed: true, addressHasPlace: false, letters: [] };
      const id = await takeOffer(own, { ...row, ...about, ...known }, now());
      return id === undefined ? 'full' : id;
    },
    note,
    async count() {
      const { places: _places, holdMinutes: _holdMinutes, ...counts } = await own.count(facts);
      return counts;
    },
    /** Puts somebody on the waiting list, with an offer for some minutes or none. */
    async wait(id: string, offeredForMinutes?: number, isConfirmed = true) {
      const at = now();
      const end = (forMinutes: number) => new Date(at.getTime() + forMinutes * MINUTE_MS);
      const offeredUntil = offeredForMinutes === undefined ? null : end(offeredForMinutes);
      const row: WaitingEntryRow = {
        id,
        edition: facts.id,
        address: id,
        joinedAt: at,
        askedAt: at,
        confirmedAt: isConfirmed ? at : null,
        ...NOBODY,
        nextAt: at,
        offeredAt: offeredUntil,
        offeredUntil,
        offeredBy: offeredUntil && 'Olga',
      };
      await database.write((transaction) =>
        transaction
          .insertInto('waitingEntries')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
          .execute(),
      );
    },
  };
}

function depositRead(registration: string, status: PaymentRow['status']): PaymentRead {
  const id = `pi_${registration}`;
  const at = new Date(edition.tryOutFrom);
  return {
    payment: {
      id,
      registration,
      number: 0,
      edition: edition.facts.id,
      status,
      asMade: 1,
      cents: 72_100,
      madeAt: at,
      paidAt: status === 'paid' ? at : null,
      charge: `ch_${id}`,
      disputed: 0,
      card: null,
      postalCode: null,
      beforeFeeCents: null,
    },
    refunds: [],
    disputes: [],
    moves: [],
  };
}

for (const engine of engines)
  describe(`places, on ${engine}`, () => {
    test('the last one is held for one person, however often she submits', async (t) => {
      const { hold, count } = await open(t, engine, 2, { paid: ['paid'] });
      assert.deepEqual(
        [await hold('anna'), await hold('anna'), await hold('berta'), await hold('anna')],
        ['held', 'held', 'full', 'held'],
      );
      assert.deepEqual(await count(), { paid: 1, held: 1, offered: 0, waiting: 0 });
    });

    test('sixty visitors through two connections at once get exactly as many places as there are', async (t) => {
      const { hold, own, another } = await open(t, engine, 10, { isBare: true });
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, (_, at) => hold(`visitor ${at}`, {}, at % 2 === 0 ? own : another)),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'held').length, 10);
    });

    test('many that are over and two visitors at once: no more payments are closed than places are needed', async (t) => {
      const { hold, after, closed, own, another } = await open(t, engine, 5);
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        await hold(name);
        await after(1);
      }
      await after(60);
      assert.deepEqual(await Promise.all([hold('f', {}, own), hold('g', {}, another)]), ['held', 'held']);
      // Both may close the same one.
      assert.deepEqual([...new Set(closed)].toSorted(), ['a', 'b']);
    });

    test('an offered place is hers alone and counts once', async (t) => {
      const { hold, takeOffer, wait, count } = await open(t, engine, 2, { paid: ['paid'] });
      await wait('waiting_1', 60);
      await wait('waiting_2');
      assert.deepEqual(await count(), { paid: 1, held: 0, offered: 1, waiting: 1 });
      assert.deepEqual(
        [await takeOffer('waiting_1'), await takeOffer('waiting_1')].map((id) => id.slice(0, 4)),
        ['reg_', 'reg_'],
      );
      assert.equal(await hold('anna'), 'full');
      assert.deepEqual(await count(), { paid: 1, held: 1, offered: 0, waiting: 1 });
    });

    test('the office takes the last place for one person, however often it presses', async (t) => {
      const { facts, own, another, wait } = await open(t, engine, 1);
      const offer = (places: typeof own, id: string) => {
        const until = new Date('2999-01-01T00:00:00Z');
        const work = async (transaction: Transaction) => {
          await transaction
            .updateTable('waitingEntries')
            .set({ offeredAt: until, offeredUntil: until, offeredBy: 'Olga' })
            .where('id', '=', id)
            .execute();
        };
        const kept = async (transaction: Transaction) => {
          const offered = transaction
            .selectFrom('waitingEntries')
            .select('id')
            .where('offeredUntil', '=', until);
          return (await offered.where('id', '=', id).executeTakeFirst())?.id;
        };
        return places.take(facts, { of: freeOf, own: [], kept, work });
      };
      await wait('waiting_1');
      await wait('waiting_2');
      const outcomes = await Promise.all([offer(own, 'waiting_1'), offer(another, 'waiting_2')]);
      assert.equal(outcomes.filter((outcome) => outcome === 'full').length, 1);
    });
  });

describe('a place that is held while somebody pays', () => {
  test('at most two from one address and ten from one network, until they are paid or their time is over', async (t) => {
    const { hold, after, note } = await open(t, 'sqlite', 40);
    const from = (address: string, network = 'one') => ({ from: { address, network } });
    const refused = (retryAfterS: number) => ({ code: 'too_many_held', status: 429, retryAfterS });
    await hold('anna', from('a'));
    await after(10);
    await hold('berta', from('a'));
    await assert.rejects(hold('carla', from('a')), refused(20 * 60));
    assert.equal(await hold('anna', from('a')), 'held', 'who has one presses again');
    await note('paid', 'anna');
    assert.equal(await hold('carla', from('a')), 'held');
    for (let other = 3; other <= 10; other += 1) await hold(`visitor ${other}`, from(`${other}`));
    await assert.rejects(hold('dora', from('d')), refused(30 * 60));
    assert.equal(await hold('dora', from('d', 'two')), 'held');
    await after(31);
    assert.equal(await hold('emma', from('a')), 'held');
  });

  test('for as long as the edition says, and once more from her first consent, however often she presses', async (t) => {
    const { hold, after, count } = await open(t, 'sqlite', 1, { holdMinutes: 45 });
    const isHeld = async () => (await count()).held === 1;
    await hold('anna');
    await after(44);
    await hold('anna');
    assert.equal(await hold('anna', { agrees: true }), 'held');
    await after(44);
    assert.equal(await isHeld(), true);
    assert.equal(await hold('anna', { agrees: true }), 'held');
    await after(2);
    assert.equal(await isHeld(), false);
  });

  test('after that her payment is closed before another visitor gets it, and only then', async (t) => {
    const { hold, after, closed, count } = await open(t, 'sqlite', 1);
    await hold('anna');
    await after(30);
    assert.deepEqual([await count(), closed], [{ paid: 0, held: 0, offered: 0, waiting: 0 }, []]);
    assert.equal(await hold('berta'), 'held');
    assert.deepEqual(closed, ['anna']);
    assert.equal(await hold('anna', { agrees: true }), 'full');
  });

  test('who has paid in the last moment keeps it, and nobody else gets it', async (t) => {
    const { hold, after, paidMeanwhile, count } = await open(t, 'sqlite', 1);
    await hold('anna');
    await after(31);
    paidMeanwhile.add('anna');
    assert.equal(await hold('berta'), 'full');
    assert.deepEqual(await count(), { paid: 1, held: 0, offered: 0, waiting: 0 });
  });

  test('a payment that cannot be closed gives its place to nobody until it can', async (t) => {
    const { hold, after, stripe, closed, count } = await open(t, 'sqlite', 1);
    await hold('anna');
    await after(31);
    stripe.isDown = true;
    await assert.rejects(hold('berta'), /Stripe is down/);
    assert.equal((await count()).held, 0);
    stripe.isDown = false;
    assert.equal(await hold('clara'), 'held');
    assert.deepEqual(closed, ['anna']);
  });

  test('who comes back while her payment is being closed for another visitor keeps her place', async (t) => {
    const { hold, after, stripe, count } = await open(t, 'sqlite', 1);
    await hold('anna');
    await after(31);
    stripe.meanwhile = async () => assert.equal(await hold('anna'), 'held');
    assert.equal(await hold('berta'), 'full');
    assert.equal((await count()).held, 1);
  });

  test('a free place is not given to a visitor while somebody waits for it', async (t) => {
    const { hold, wait } = await open(t, 'sqlite', 2, { paid: ['paid'] });
    await wait('waiting_1');
    assert.equal(await hold('anna'), 'full');
  });

  test('a place that was offered and taken is held for a day after the offer, and ends with the payment', async (t) => {
    const { takeOffer, wait, after, note, count } = await open(t, 'sqlite', 1);
    await wait('waiting_1', 1);
    const id = await takeOffer('waiting_1');
    await after(24 * 60);
    assert.equal((await count()).held, 1);
    await note('paid', id);
    assert.deepEqual(await count(), { paid: 1, held: 0, offered: 0, waiting: 0 });
  });

  test('an offer that has expired admits nobody to a full retreat, and its place is free', async (t) => {
    const { hold, takeOffer, wait, after } = await open(t, 'sqlite', 1);
    await wait('waiting_1', 5);
    assert.equal(await hold('berta'), 'full');
    await after(5);
    assert.equal(await hold('berta'), 'held');
    assert.equal(await takeOffer('waiting_1'), 'full');
  });

  test('an unpaid registration that nobody counted is closed before its place is given on', async (t) => {
    const { note, hold, closed, paidMeanwhile } = await open(t, 'sqlite', 1);
    await note('open', 'lost');
    paidMeanwhile.add('lost');
    assert.equal(await hold('anna'), 'full');
    assert.deepEqual(closed, ['lost']);
  });
});

test('the page is full only while places can be counted and none is left', async (t) => {
  const { facts, own, hold } = await open(t, 'sqlite', 1);
  const { logger, text } = createTestLog();
  const shown = watchPlaces(own, facts, logger);
  t.after(shown.close);
  await shown.look();
  assert.equal(shown.isFull(), false);
  await hold('anna');
  await shown.look();
  assert.equal(shown.isFull(), true);
  t.mock.method(own, 'count', () => Promise.reject(new Error('locked')));
  await shown.look();
  assert.equal(shown.isFull(), false);
  assert.match(text(), /The places that are left cannot be read/);
});
