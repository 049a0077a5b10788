import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { owedByCheck, refundAt } from '#server/registration/registration.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { commandsFor, startCommands } from '#server/testing/test-commands.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formatCents } from '#shared/money.ts';

const { balanceBeforeFeeCents, balanceCents, depositCents } = edition.facts.prices;
const money = (cents: number): string => formatCents(cents).replace('$', '\\$');
const cancelled = { written: '2025-12-19' };
const exception = (cents: number) => ({ dollars: String(cents / 100), reason: 'illness' });

describe('the office records a cancellation', () => {
  test('of a balance paid by check: it comes back until the last minute of the last day for refunds', async (t) => {
    const { check, tries, refuses, state, moveTo } = await startCommands(t);
    moveTo(new Date('2025-12-12T20:00:00Z'));
    await check(balanceBeforeFeeCents / 100, '2025-12-11');
    assert.equal(await state(), 'settled');
    moveTo(new Date('2025-12-23T20:00:00Z'));
    const back = new RegExp(`${money(balanceBeforeFeeCents)} goes back by check`);
    assert.match(await tries('cancel', { written: '2025-12-21T23:59' }), back);
    assert.doesNotMatch(await tries('cancel', { written: '2025-12-22' }), back);
    const sameDay = /was paid on that day, .*: add the time at which she wrote/;
    await refuses('cancel', { written: '2025-12-11' }, sameDay, 'wrongUsage');
  });

  test('with no more than the day on which she paid the deposit: the deposit stays', async (t) => {
    const mailing = await startMailing(t);
    const { begin, stripe, sync, moveTo, now } = mailing;
    const { id, payment } = await begin();
    moveTo(new Date(+now() + 5 * 60 * 1000));
    await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
    await sync(id);
    moveTo(daysAfter(now(), 1));
    const { tries } = commandsFor(mailing, id);
    assert.match(await tries('cancel', { written: '2025-12-01' }), /then: .* Nothing goes back:/);
  });

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

  test('and takes it back before the balance is paid: it is charged only after another notice', async (t) => {
    const { give, tell, moveTo, now, charge, id } = await startCommands(t);
    await tell(id, now());
    await give('cancel', { written: '2025-12-01' });
    moveTo(daysAfter(now(), 0.9));
    assert.match(await give('undo', { what: 'cancel' }), /once she was told of it three days before/);
    moveTo(DUE);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'no-notice' });
    await tell(id);
    assert.deepEqual(await charge(), { type: 'charged', cents: balanceCents });
  });
});

describe('the office gives back', () => {
  test('an exception from the balance first, then from the deposit, to the cent and never beyond', async (t) => {
    const { give, refuses, settle, workOff, stripe, depositOf, id } = await startCommands(t);
    await settle();
    await give('refund', exception(balanceCents + 1));
    await refuses('refund', exception(100), /The exception that was decided before is not carried out yet/);
    assert.deepEqual(await workOff(), { type: 'given-back', cents: balanceCents + 1 });
    const deposit = await depositOf(id);
    const { data } = await stripe.refunds.list({ payment_intent: deposit });
    assert.deepEqual(
      data.map(({ amount }) => amount),
      [1],
    );
    await refuses('refund', exception(depositCents), new RegExp(`No more than ${money(depositCents - 1)}`));
    await refuses('undo', { what: 'refund' }, /Nothing is on record that could be taken back/);
  });

  test('what a scholarship leaves paid too much; what of the deposit is left does not come back', async (t) => {
    const { give, find, now, settle, workOff, told } = await startCommands(t);
    await settle();
    await told();
    const scholarship = balanceBeforeFeeCents + 10_000;
    await give('waive', { dollars: String(scholarship / 100), as: 'scholarship' });
    assert.deepEqual(await told(), ['tuition-reduced']);
    assert.equal(owedByCheck(await find()), scholarship);
    await give('refund', exception(scholarship));
    assert.deepEqual(await workOff(), { type: 'given-back', cents: scholarship });
    assert.equal(owedByCheck(await find()), 0);
    const { byCardCents, byCheckCents } = refundAt(await find(), now());
    assert.deepEqual([byCardCents, byCheckCents], [0, 0]);
  });
});

describe('a dispute', () => {
  test('is over only when her bank has decided, also a second one; until then nothing is given back', async (t) => {
    const { give, refuses, settle, dispute, workOff } = await startCommands(t);
    await settle();
    const decides = await dispute('deposit');
    await refuses('refund', exception(500), /She disputes a charge: nothing is given back/);
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

  test('that she won closes her cancellation: nothing goes back twice, and she is not asked to pay', async (t) => {
    const { give, refuses, settle, dispute, workOff, state, stripe, at, charge } = await startCommands(t);
    await settle();
    await give('cancel', cancelled);
    await (await dispute('balance'))('lost');
    await give('dispute-over');
    assert.deepEqual(await workOff(26), { type: 'given-back', cents: 0 });
    assert.deepEqual((await stripe.refunds.list()).data, []);
    assert.equal(await state(), 'nothing-back');
    assert.deepEqual(await at(daysAfter(DUE, 1)), ['cancelled', 'office-paid']);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'not-due' });
    const left = new RegExp(`No more than ${money(depositCents)} of what her card paid is left`);
    await refuses('refund', exception(depositCents + 1), left);
  });

  test('delays a check for a failed refund; once she has won, no check is owed', async (t) => {
    const card = 'pm_card_refundFail';
    const { give, refuses, settle, dispute, workOff, failRefund, state } = await startCommands(t, { card });
    const sent = { dollars: String(balanceBeforeFeeCents / 100), sent: '2025-12-21' };
    await settle(card);
    await give('cancel', cancelled);
    await workOff(26);
    await failRefund();
    const decides = await dispute('balance');
    await refuses('refund-by-check', sent, /No check is owed to her/);
    await decides('lost');
    await give('dispute-over');
    assert.equal(await state(), 'refunded');
    await refuses('refund-by-check', sent, /No check is owed to her/);
  });

  test('that she won before the balance was paid: the lost money is named, and she is not charged', async (t) => {
    const { give, dispute } = await startCommands(t);
    await (await dispute('deposit'))('lost');
    const over = await give('dispute-over');
    assert.match(over, /lost: her bank took the money back/);
    assert.match(over, /does not charge her card automatically: her deposit was given back/);
  });
});

describe('the office charges a balance', () => {
  test('before the retry that was planned after a decline; the worker does it', async (t) => {
    const { give, tries, tell, moveTo, decline, charge, charged, id } = await startCommands(t);
    await tell(id);
    moveTo(DUE);
    await decline('insufficient_funds');
    await tries('charge');
    assert.deepEqual(await charge(), { type: 'stopped', why: 'declined' });
    await give('charge');
    assert.deepEqual(await charged(id), [-balanceCents]);
    assert.deepEqual(await charge(), { type: 'charged', cents: balanceCents });
  });

  test('on a later day, of which a letter can tell her three days before', async (t) => {
    const { give, moveTo, state } = await startCommands(t);
    moveTo(daysAfter(DUE, -0.5));
    const told = await give('postpone', { day: '2025-12-26' });
    assert.match(
      told,
      /automatically, on Dec 26, 2025, 5:00 PM PST, once she was told of it three days before/,
    );
    moveTo(daysAfter(DUE, 4.9));
    assert.equal(await state(), 'postponed');
    moveTo(daysAfter(DUE, 5));
    assert.equal(await state(), 'due');
  });

  test('less what is not asked of her, until that is taken back; all of it leaves nothing to pay', async (t) => {
    const { give, tell, moveTo, charge, id, state, find } = await startCommands(t);
    await give('waive', { dollars: '200', as: 'reduction' });
    await give('undo', { what: 'waived' });
    assert.equal((await find()).decisions.waived, undefined);
    await tell(id);
    moveTo(DUE);
    assert.deepEqual(await charge(), { type: 'charged', cents: balanceCents });
    assert.equal(await state(), 'settled');
  });
});
