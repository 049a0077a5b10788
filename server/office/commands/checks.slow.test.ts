import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { owedByCheck } from '#server/registration/registration.ts';
import { IN_TIME, startCommands } from '#server/testing/test-commands.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formatCents } from '#shared/money.ts';

const { facts } = edition;
const TUITION = facts.prices.balanceBeforeFeeCents / 100;
const MIDDLE = new Date('2025-12-12T20:00:00Z');

describe('the office records checks and transfers', () => {
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
});
