import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { daysAfter } from '#server/testing/test-charges.ts';
import { startCommands } from '#server/testing/test-commands.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formatCents } from '#shared/money.ts';

const { balanceBeforeFeeCents, balanceCents } = edition.facts.prices;
const money = (cents: number): string => formatCents(cents).replace('$', '\\$');
const cancelled = { written: '2025-12-19' };

describe('the office records a cancellation', () => {
  test('and takes it back within a day; sums and moments are shown before', async (t) => {
    const { give, tries, refuses, settle, workOff, at, moveTo, now, find, state } = await startCommands(t);
    await settle();
    await at(now());
    const shown = await tries('cancel', cancelled);
    for (const words of [
      new RegExp(`^balance by card: cancelled in time +${money(balanceBeforeFeeCents)}$`, 'm'),
      new RegExp(`^its card fee of ${money(balanceCents - balanceBeforeFeeCents)}: not refunded +\\$0$`, 'm'),
      /^It can be taken back until Dec 21, 2025, 12:00 PM PST\.$/m,
    ])
      assert.match(shown, words);
    await give('cancel', cancelled);
    const undone = await tries('undo', { what: 'cancel' });
    assert.deepEqual(undone.match(/“.+”/g), ['“You have not cancelled after all”']);
    await give('undo', { what: 'cancel' });
    assert.deepEqual([(await find()).decisions.cancel, await state()], [undefined, 'settled']);

    await give('cancel', cancelled);
    moveTo(daysAfter(now(), 1));
    await refuses('undo', { what: 'cancel' }, /Nothing is on record that could be taken back/);
    assert.deepEqual(await workOff(1), { type: 'given-back', cents: balanceBeforeFeeCents });
  });
});

describe('a dispute', () => {
  test('is over only when her bank has decided, also a second one; until then nothing is given back', async (t) => {
    const { give, refuses, settle, dispute, workOff } = await startCommands(t);
    await settle();
    const decides = await dispute('deposit');
    await refuses(
      'refund',
      { dollars: '5', reason: 'illness' },
      /She disputes a charge: nothing is given back/,
    );
    await give('cancel', cancelled);
    assert.deepEqual(await workOff(26), { type: 'stopped', why: 'disputed' });
    const open = /has not decided yet: The deposit: \$721 disputed on .*, needs response/;
    await refuses('dispute-over', {}, open);
    await decides('won');
    assert.match(
      await give('dispute-over'),
      /^The deposit: \$721 disputed on Dec 20, 2025, .* as \w+, won \(du_\w+\)\.$/m,
    );
    await refuses('dispute-over', {}, /No dispute holds anything up/);
    const decidesAgain = await dispute('deposit');
    await refuses('dispute-over', {}, /has not decided yet/);
    await decidesAgain('won');
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
    await give('dispute-over');
    assert.deepEqual(await workOff(), { type: 'given-back', cents: balanceBeforeFeeCents });
  });
});
