import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lettersNow } from '#server/letters/table.ts';
import { nextInstallment, owedByCheck } from '#server/registration/registration.ts';
import { payOnPage } from '#server/testing/test-cards.ts';
import { DUE } from '#server/testing/test-charges.ts';
import { IN_TIME, startCommands } from '#server/testing/test-commands.ts';
import { assertSaid } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';

const { facts } = edition;
const TUITION = facts.prices.balanceBeforeFeeCents / 100;
const MIDDLE = new Date('2025-12-12T20:00:00Z');
/** The balance by card, once so many dollars came otherwise. */
const byCardAfter = (dollars: number): number => balanceOf(facts, dollars * 100).byCardCents;

describe('the office records checks and transfers', () => {
  test('of a part: the rest is charged to her card, and a receipt names both', async (t) => {
    const { check, find, tell, moveTo, charge, id, state, told } = await startCommands(t);
    moveTo(new Date('2025-12-09T20:00:00Z'));
    await check(200, '2025-12-08', '1042');
    assert.deepEqual(await told(), ['payment-received']);
    await tell(id);
    moveTo(DUE);
    assert.deepEqual(await charge(), { type: 'charged', cents: byCardAfter(200) });
    const { payment } = nextInstallment(await find());
    assert.equal(payment?.beforeFeeCents, (TUITION - 200) * 100);
    assert.equal(await state(), 'settled');
    assert.deepEqual(await told(), ['balance-paid']);
  });

  test('of two parts: one that bounced is owed again, and charged only after a notice', async (t) => {
    const { check, give, refuses, tell, moveTo, charge, id, state, told } = await startCommands(t);
    await tell(id);
    moveTo(MIDDLE);
    await check(TUITION - 400, '2025-12-10');
    await check(400, '2025-12-11');
    assert.equal(await state(), 'settled');
    await give('undo', { what: 'payment-2-bounced' });
    await refuses(
      'undo',
      { what: 'payment-2-bounced' },
      /what you chose is no longer possible/,
      'wrongUsage',
    );
    assert.deepEqual(await told(), ['payment-received', 'payment-returned']);
    // A notice of the new sum went out beside it.
    moveTo(DUE);
    assert.deepEqual(await charge(), { type: 'charged', cents: byCardAfter(TUITION - 400) });
  });

  test('that bounced after her card paid the rest is asked of her again, and no card is charged', async (t) => {
    const { check, give, tell, moveTo, charge, id, find, now, state, told, needs } = await startCommands(t);
    await tell(id);
    moveTo(MIDDLE);
    await check(100, '2025-12-10');
    moveTo(DUE);
    assert.deepEqual(await charge(), { type: 'charged', cents: byCardAfter(100) });
    await told();
    await give('undo', { what: 'payment-1-bounced' });
    assert.deepEqual(await told(), ['payment-returned']);
    const [letter] = lettersNow('payment-returned', await find(), now());
    assertSaid(letter ?? assert.fail(), [`$${TUITION} less $${TUITION - 100} that has come`, '$100']);
    assert.deepEqual([await state(), await needs()], ['due', ['asked-to-pay']]);
    assert.equal((await charge()).type, 'stopped');
    await check(100, '2025-12-21');
    assert.deepEqual([await state(), await needs()], ['settled', []]);
    assert.deepEqual(await told(), ['balance-paid']);
  });

  test('that leave less than a card can pay: nothing is charged, and the office takes it off', async (t) => {
    const { check, give, tell, moveTo, charge, id, state, payments, find, now, needs } =
      await startCommands(t);
    await tell(id);
    moveTo(MIDDLE);
    await check(TUITION - 0.3, '2025-12-11');
    await assert.rejects(payOnPage({ payments }, await find(), now(), 31));
    moveTo(DUE);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'check' });
    assert.deepEqual(await needs(), ['check-overdue']);
    await give('waive', { dollars: '0.30', as: 'reduction' });
    assert.equal(await state(), 'settled');
  });

  test('beyond what is left: what is more is owed to her, and the same check twice is pointed out', async (t) => {
    const { check, tries, give, find, moveTo, state } = await startCommands(t);
    moveTo(MIDDLE);
    const more = { way: 'check', dollars: String(TUITION + 50), on: '2025-12-11', number: '7' };
    await give('received', more);
    assert.equal(owedByCheck(await find()), 5_000);
    const twice = await tries('received', more);
    assert.match(
      twice,
      /^Please look: a check 7 of \$750 was recorded before, by Anna.*This is one more\.$/m,
    );
    await give('received', more);
    await give('undo', { what: 'payment-2-mistake' });
    await give('refund-by-check', { dollars: '50', sent: '2025-12-12' });
    assert.equal(owedByCheck(await find()), 0);
    // What was sent to her is asked of her again once hers has bounced.
    await give('undo', { what: 'payment-1-bounced' });
    await check(TUITION + 50, '2025-12-12', '8');
    assert.deepEqual([await state(), owedByCheck(await find())], ['settled', 0]);
  });

  test('of a promised one that does not come: her card is charged only after a notice', async (t) => {
    const { give, tries, tell, moveTo, charge, id } = await startCommands(t);
    await tell(id);
    await give('pay-by-check');
    moveTo(new Date('2025-12-24T01:00:00Z'));
    const shown = await tries('undo', { what: 'check' });
    assert.match(shown, /does not charge her card automatically: she was not told of it three days before/);
    await give('undo', { what: 'check' });
    assert.deepEqual(await charge(), { type: 'stopped', why: 'no-notice' });
  });
});

describe('the office sends a check', () => {
  test('of exactly what is owed, once it is owed; a mistaken record is taken back', async (t) => {
    const { check, give, refuses, moveTo, workOff, find } = await startCommands(t);
    moveTo(MIDDLE);
    await check(TUITION, '2025-12-11');
    moveTo(IN_TIME);
    await give('cancel', { written: '2025-12-19' });
    assert.deepEqual(await workOff(26), { type: 'given-back', cents: 0 });
    const sent = { dollars: String(TUITION), sent: '2025-12-21' };
    const owed = formatCents(TUITION * 100).replace('$', '\\$');
    for (const [wrong, why] of [
      [{ dollars: `${TUITION}.01` }, new RegExp(`${owed} is owed to her by check, not ${owed}\\.01`)],
      [{ sent: '2025-12-22' }, /cannot have been sent in the future/],
      [{ sent: '2025-12-20' }, /It was not owed before Dec 21, 2025/],
    ] as const)
      await refuses('refund-by-check', { ...sent, ...wrong }, why);
    await give('refund-by-check', sent);
    await refuses('refund-by-check', sent, /No check is owed to her/);
    await give('undo', { what: 'checkSent' });
    assert.equal(owedByCheck(await find()), TUITION * 100);
    await give('refund-by-check', sent);
  });

  test('of two: to take a mistaken second one back still counts the first', async (t) => {
    const { give, settle, workOff, failRefund, find } = await startCommands(t, {
      card: 'pm_card_refundFail',
    });
    await settle('pm_card_refundFail');
    await give('refund', { dollars: '100', reason: 'illness' });
    await workOff();
    await failRefund();
    await give('refund-by-check', { dollars: '100', sent: '2025-12-20' });
    await give('cancel', { written: '2025-12-19' });
    await workOff(26);
    await failRefund();
    await give('refund-by-check', { dollars: String(TUITION - 100), sent: '2025-12-21' });
    await give('undo', { what: 'checkSent' });
    assert.equal(owedByCheck(await find()), (TUITION - 100) * 100);
  });
});
