import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timelineOf } from '#server/office/timeline.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { DUE } from '#server/testing/test-charges.ts';
import { commandsFor } from '#server/testing/test-commands.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const { depositCents, balanceCents } = edition.facts.prices;
const NOTICE = new Date(edition.facts.balance.noticeAt);

/** Somebody has paid on two devices, and the worker's letters about that have arrived. */
async function startTwice(t: TestScope, { card = 'pm_card_visa' } = {}) {
  const mailing = await startMailing(t);
  const { first, second } = await mailing.registerTwice({ card });
  const arrived = await mailing.at(mailing.now());
  const office = commandsFor(mailing, second);
  return {
    ...office,
    first: commandsFor(mailing, first),
    deposit: await mailing.depositOf(second),
    arrived,
    happened: async () => timelineOf(await office.find()).map(({ what }) => what),
    /** What went back, the smaller sums first, with the payments. */
    async refunds() {
      const { data } = await mailing.stripe.refunds.list({ limit: 100 });
      const all = data.map(({ payment_intent, amount }) => [payment_intent, amount] as const);
      return all.toSorted(([, one], [, other]) => one - other);
    },
  };
}

describe('what may be paid twice by one person', () => {
  test('is listed with both places; one press gives one back whole and at once, and the other goes on', async (t) => {
    const twice = await startTwice(t);
    const { at, now, give, refuses, needs, state, refunds, first, deposit, charged, id } = twice;
    assert.deepEqual(twice.arrived, ['office-digest', 'office-paid', 'office-paid', 'welcome', 'welcome']);
    const digest = twice.mailServer.parsed.find(({ subject }) => subject?.includes('need you'));
    assert.match(digest?.text ?? '', /Paid twice\?/);
    assert.deepEqual([await first.needs(), await needs()], [['paid-twice'], ['paid-twice']]);
    await give('cancel-whole');
    assert.deepEqual(await at(now()), ['refund-made']);
    assert.deepEqual(await refunds(), [[deposit, depositCents]]);
    assert.deepEqual([await first.needs(), await needs()], [[], []]);
    assert.equal(await state(), 'refunded');
    const given = 'Anna: gives all of it back: she has paid for another place';
    assert.ok((await twice.happened()).includes(given));
    await refuses('cancel-whole', {}, /Nobody else with this name and address has a place/);
    await refuses('undo', { what: 'cancel' }, /Nothing is on record that could be taken back/);
    assert.deepEqual(await at(NOTICE), ['balance-notice']);
    twice.moveTo(DUE);
    await first.charge();
    assert.deepEqual([await charged(first.id), await charged(id)], [[balanceCents], []]);
  });
});
