import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startPaid } from '#server/testing/test-support.ts';

const BEGINS = new Date('2025-12-01T17:00:00Z');
/** Before the last day for refunds is over. */
const IN_TIME = new Date('2025-12-20T20:00:00Z');
const HOUR_MS = 60 * 60 * 1000;

/** A registrant who has paid both, the balance on December 10. */
async function startSettled(t: TestContext, card = 'pm_card_visa') {
  const paid = await startPaid(t, { card });
  const { payments, stripe, now } = paid;
  paid.moveTo(new Date('2025-12-10T17:00:00Z'));
  const { clientSecret } = await payments.payBalance(await paid.find(), 72_625, now());
  await stripe.paymentIntents.confirm(clientSecret.split('_secret_')[0] ?? '', { payment_method: card });
  return paid;
}

describe('the office undoes a cancellation', () => {
  test('within a day; the command first shows the sums and times, and a new notice is needed', async (t) => {
    const { say, moveTo, refuse, find, now, metadata, run } = await startSettled(t);
    moveTo(IN_TIME);
    await refuse(/^She has not cancelled/, 'undo-cancel');
    const told = await say('cancel', '--written', '2025-12-19');
    assert.match(told, /^ +\$700 +balance by card: cancelled in time$/m);
    assert.match(told, /^ +\$0 +its card fee of \$26\.25: not refunded$/m);
    assert.match(told, /^\$700 goes back to her card automatically, after Dec 21, 2025, 1:00 PM PST\.$/m);
    assert.match(told, /^Until Dec 21, 2025, 12:00 PM PST it can be taken back\.$/m);
    const before = await metadata();
    assert.match(
      await say('undo-cancel', '--dry-run'),
      /her place is hers again\.\nNothing is left to pay\.\nOnly/,
    );
    assert.deepEqual(await metadata(), before);
    await say('undo-cancel');
    const { decisions } = await find();
    assert.equal(decisions.cancel, undefined);
    assert.match(
      (await run('show')).out,
      /^Dec 20, 2025, \S+ [AP]M PST {2,}Anna: took back her cancellation$/m,
    );

    await say('cancel', '--written', '2025-12-19');
    moveTo(new Date(now().getTime() + 24 * HOUR_MS));
    await refuse(/It could be taken back until Dec 21, 2025, 12:00 PM PST/, 'undo-cancel');
  });

  test('before the balance is paid: it is charged only after another notice', async (t) => {
    const { say, moveTo, find } = await startPaid(t);
    await say('cancel', '--written', '2025-12-01');
    assert.equal((await find()).decisions.cancel?.balanceOpen, true);
    moveTo(daysAfter(BEGINS, 0.9));
    const told = await say('undo-cancel');
    assert.match(told, /^The balance of \$726\.25 is to be paid again\.$/m);
    assert.match(told, /^Charged automatically: no: it is not on record that she agreed/m);
    assert.match(told, /a new letter has to reach her first/);
  });

  test('not once the worker has carried it out; two people who undo it at once do it once', async (t) => {
    const { say, moveTo, refuse, workOff, now, find, run } = await startSettled(t);
    moveTo(IN_TIME);
    await say('cancel', '--written', '2025-12-19');
    const both = await Promise.all([run('undo-cancel'), run('undo-cancel')]);
    assert.ok(both.some(({ code }) => code === 0));
    assert.equal((await find()).decisions.withdrawn.length, 1);
    await say('cancel', '--written', '2025-12-19');
    moveTo(new Date(now().getTime() + 25 * HOUR_MS));
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 70_000 });
    await refuse(/It was carried out on Dec 21, 2025/, 'undo-cancel');
    assert.match(await say('show'), /^Given back {2,}\$700$/m);
  });
});

test('letters about cancelling and refunds can be sent once more, like all others', async (t) => {
  const { say, runAny, id, moveTo, now, workOff } = await startSettled(t);
  moveTo(IN_TIME);
  await say('cancel', '--written', '2025-12-19');
  const first = await runAny('resend', id, 'cancel-received', '--by', 'Anna');
  assert.deepEqual([first.code, first.err], [0, '']);
  moveTo(new Date(now().getTime() + 25 * HOUR_MS));
  await workOff();
  assert.equal((await runAny('resend', id, 'cancelled', '--by', 'Anna')).code, 0);
  const past = await runAny('resend', id, 'cancel-undone', '--by', 'Anna');
  assert.deepEqual([past.code, past.out], [3, '']);
});

describe('an exceptional refund', () => {
  test('is taken from the balance first, then from the deposit, to the cent and never beyond', async (t) => {
    const { say, refuse, workOff, metadata, run } = await startSettled(t);
    const before = await metadata();
    const tried = await say('refund', '726.26', '--reason', 'illness', '--dry-run');
    assert.match(
      tried,
      /^\$726\.26 goes back to her card as soon as the site gets to it, as an exception\.$/m,
    );
    assert.match(tried, /^ +\$726\.25 +of the balance, of which \$726\.25 is left$/m);
    assert.match(tried, /^ +\$0\.01 +of the deposit, of which \$721 is left$/m);
    assert.match(tried, /^ +\$726\.26 +in all$/m);
    assert.match(tried, /^What has gone back cannot be taken back\.$/m);
    assert.deepEqual(await metadata(), before);
    await refuse(
      /No more than \$1,447\.25 of what her card paid is left/,
      'refund',
      '1447.26',
      '--reason',
      'x',
    );
    const noReason = await run('refund', '1');
    assert.deepEqual([noReason.code, (await run('refund', '0', '--reason', 'x')).code], [2, 2]);
    assert.match(noReason.err, /--reason TEXT must say why/);

    await say('refund', '726.26', '--reason', 'illness');
    await refuse(/the refund that was decided before is not carried out yet/, 'refund', '1', '--reason', 'x');
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 72_626 });
    await refuse(/No more than \$720\.99/, 'refund', '721', '--reason', 'x');
    await refuse(/It is carried out: what went back/, 'withdraw', 'refund');
    const shown = await say('show');
    assert.match(shown, /^Exception {2,}\$726\.26: illness \(Anna, .*\), carried out$/m);
    assert.match(shown, /P[SD]T {2,}\$726\.25 of the balance went back to her$/m);
    assert.match(shown, /P[SD]T {2,}Anna: gives back \$726\.26 as an exception: illness$/m);
  });

  test('is refused while a cancellation is waiting, and while she disputes a charge', async (t) => {
    const { say, refuse, moveTo, sandbox, stripe, id } = await startSettled(t);
    moveTo(IN_TIME);
    await say('cancel', '--written', '2025-12-19');
    await refuse(
      /not while a cancellation waits to be carried out or undone/,
      'refund',
      '5',
      '--reason',
      'x',
    );
    await say('undo-cancel');
    const { latest_charge } = await stripe.paymentIntents.retrieve(id);
    sandbox.bank.openDispute(String(latest_charge));
    await refuse(/She disputes a charge: nothing is given back/, 'refund', '5', '--reason', 'x');
  });

  test('by two people at once is decided once; a long reason is refused, not cut', async (t) => {
    const { run, runAny, id, find } = await startSettled(t);
    const words = ['--reason', '"'.repeat(200), '--by', '"'.repeat(80)];
    const long = await runAny('refund', id, '5', ...words);
    assert.equal(long.code, 2);
    const both = await Promise.all([
      run('refund', '5', '--reason', 'one'),
      run('refund', '7', '--reason', 'other'),
    ]);
    assert.equal(both.filter(({ code }) => code === 0).length, 1, both.map(({ err }) => err).join(''));
    const { reason } = (await find()).decisions.refund ?? assert.fail();
    assert.equal(both[reason === 'one' ? 0 : 1]?.code, 0);
  });
});

describe('a check to her', () => {
  test('is recorded only for exactly the sum that is owed, and a mistaken record can be withdrawn', async (t) => {
    const { say, refuse, moveTo, now, workOff, find } = await startPaid(t);
    moveTo(new Date('2025-12-12T20:00:00Z'));
    await say('pay-by-check', '--received', '2025-12-11');
    moveTo(IN_TIME);
    await refuse(/no check is owed to her/, 'refund-by-check', '700', '--sent', '2025-12-20');
    await say('cancel', '--written', '2025-12-19');
    moveTo(new Date(now().getTime() + 26 * HOUR_MS));
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 0 });
    assert.match(await say('show'), /^Owed by check {2,}\$700$/m);
    await refuse(
      /\$700 is owed to her by check, not \$700\.01/,
      'refund-by-check',
      '700.01',
      '--sent',
      '2025-12-21',
    );
    await refuse(/cannot have been sent in the future/, 'refund-by-check', '700', '--sent', '2025-12-22');
    await refuse(/It was not owed before Dec 21, 2025/, 'refund-by-check', '700', '--sent', '2025-12-20');
    await say('refund-by-check', '700', '--sent', '2025-12-21', '--dry-run');
    assert.equal((await find()).decisions.checkSent, undefined);
    await say('refund-by-check', '700', '--sent', '2025-12-21');
    assert.match(await say('show'), /P[SD]T {2,}Anna: sent her a check of \$700 on Dec 21, 2025/m);
    await refuse(/no check is owed to her/, 'refund-by-check', '700', '--sent', '2025-12-21');
    assert.match(await say('withdraw', 'checkSent'), /^\$700 is owed to her by check\.$/m);
    await say('refund-by-check', '700', '--sent', '2025-12-21');
  });
});

test('checks add up, and withdrawing a mistaken second one still counts the first', async (t) => {
  const { say, moveTo, sandbox, stripe, workOff, now } = await startSettled(t, 'pm_card_refundFail');
  moveTo(IN_TIME);
  const failLast = async () => {
    const { data } = await stripe.refunds.list();
    sandbox.bank.settleRefund(data[0]?.id ?? '');
  };
  await say('refund', '100', '--reason', 'illness');
  await workOff();
  await failLast();
  await say('refund-by-check', '100', '--sent', '2025-12-20');
  await say('cancel', '--written', '2025-12-19');
  moveTo(new Date(now().getTime() + 26 * HOUR_MS));
  await workOff();
  await failLast();
  await say('refund-by-check', '600', '--sent', '2025-12-21');
  assert.match(await say('show'), /^Checks before it {2,}\$100$/m);
  assert.match(
    await say('withdraw', 'checkSent'),
    /^\$700 is owed to her by check, with \$100 that an earlier check brought her\.$/m,
  );
});

describe('a dispute', () => {
  test('is over only when her bank has decided; then the command says what continues', async (t) => {
    const { say, refuse, moveTo, sandbox, stripe, id, workOff, now, find } = await startSettled(t);
    moveTo(IN_TIME);
    await refuse(/No dispute holds anything up/, 'dispute-over');
    const { latest_charge } = await stripe.paymentIntents.retrieve(id);
    const dispute = sandbox.bank.openDispute(String(latest_charge));
    const told = await say('cancel', '--written', '2025-12-19');
    assert.match(told, /none of it happens before it is recorded that the dispute is over/);
    moveTo(new Date(now().getTime() + 26 * HOUR_MS));
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
    await refuse(/has not decided yet: The deposit: \$721 disputed on .*, needs response/, 'dispute-over');
    sandbox.bank.closeDispute(dispute, 'won');
    const over = await say('dispute-over');
    assert.match(
      over,
      /^The deposit: \$721 disputed on Dec 20, 2025, \S+ [AP]M PST as \w+, won \(du_\w+\)\.$/m,
    );
    assert.match(over, /^What was decided to go back goes back as soon as the site gets to it\.$/m);
    assert.deepEqual((await find()).decisions.disputeOver?.charges, [latest_charge]);
    await refuse(/No dispute holds anything up/, 'dispute-over');
    // A second dispute about the same charge.
    const another = sandbox.bank.openDispute(String(latest_charge));
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
    await refuse(/has not decided yet/, 'dispute-over');
    sandbox.bank.closeDispute(another, 'won');
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
    await say('dispute-over');
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 70_000 });
  });

  test('that she won closes her cancellation: nothing is refunded twice, and she is not asked to pay', async (t) => {
    const { say, refuse, moveTo, sandbox, stripe, workOff, now, find } = await startSettled(t);
    moveTo(IN_TIME);
    await say('cancel', '--written', '2025-12-19');
    const { balance } = await find();
    const { latest_charge } = await stripe.paymentIntents.retrieve(balance?.id ?? '');
    sandbox.bank.closeDispute(sandbox.bank.openDispute(String(latest_charge)), 'lost');
    await say('dispute-over');
    moveTo(new Date(now().getTime() + 26 * HOUR_MS));
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 0 });
    const shown = await say('show');
    assert.match(shown, /^State {2,}nothing-back$/m);
    assert.match(shown, /^Lost in a dispute {2,}\$726\.25$/m);
    assert.match(shown, /Anna: the dispute is over; her bank took \$726\.25 back$/m);
    await refuse(/No more than \$721 of what her card paid is left/, 'refund', '721.01', '--reason', 'x');
  });

  test('delays a check for a failed refund; once she has won, no check is owed', async (t) => {
    const paid = await startSettled(t, 'pm_card_refundFail');
    const { say, refuse, moveTo, sandbox, stripe, workOff, now, find } = paid;
    moveTo(IN_TIME);
    await say('cancel', '--written', '2025-12-19');
    moveTo(new Date(now().getTime() + 26 * HOUR_MS));
    await workOff();
    const { data } = await stripe.refunds.list();
    sandbox.bank.settleRefund(data[0]?.id ?? '');
    const { balance } = await find();
    const { latest_charge } = await stripe.paymentIntents.retrieve(balance?.id ?? '');
    const dispute = sandbox.bank.openDispute(String(latest_charge));
    await refuse(/She disputes a charge/, 'refund-by-check', '700', '--sent', '2025-12-21');
    sandbox.bank.closeDispute(dispute, 'lost');
    await say('dispute-over');
    assert.match(await say('show'), /^State {2,}refunded$/m);
    assert.doesNotMatch(await say('show'), /Owed by check/);
  });

  test('that she won: the command names the lost money, and says whether the balance is still charged', async (t) => {
    const { say, sandbox, stripe, id } = await startPaid(t);
    const { latest_charge } = await stripe.paymentIntents.retrieve(id);
    const dispute = sandbox.bank.openDispute(String(latest_charge));
    sandbox.bank.closeDispute(dispute, 'lost');
    const over = await say('dispute-over');
    assert.match(over, /lost: her bank took the money back/);
    assert.match(over, /^Charged automatically: no: her deposit was given back/m);
  });
});

test('a cancellation written after the last day for refunds gets nothing back, to the millisecond', async (t) => {
  const { say, moveTo } = await startSettled(t);
  moveTo(daysAfter(DUE, 3));
  assert.match(await say('cancel', '--written', '2025-12-21T23:59', '--dry-run'), /^\$700 goes back/m);
  assert.match(await say('cancel', '--written', '2025-12-22', '--dry-run'), /^Nothing comes back\./m);
});
