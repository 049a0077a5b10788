import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startPaid } from '#server/testing/test-support.ts';

const BEGINS = new Date('2025-12-01T17:00:00Z');

async function startShown(t: TestContext) {
  const paid = await startPaid(t);
  return {
    ...paid,
    show: async () => JSON.parse((await paid.run('show', '--json')).out),
    moveTo: (moment: string) => paid.moveTo(new Date(moment)),
  };
}

/** The clock runs on while a command starts: a printed moment is a little later than the moment to which it was moved. */
function assertAbout(text: string, moment: RegExp, expected: string): void {
  const lateMs = Date.parse(moment.exec(text)?.[1] ?? '') - Date.parse(expected);
  assert.ok(lateMs >= 0 && lateMs < 60_000, text);
}

describe('the first acts of the office', () => {
  test('shows a registration at each moment of its life', async (t) => {
    const { show, say, runAny, id, moveTo } = await startShown(t);
    const shown = await say('show');
    for (const words of [
      /^Registration {2,}pi_/m,
      /^Edition {2,}january-2026: /m,
      /^State {2,}registered$/m,
      /^Agreed to {2,}nothing on record$/m,
      /^Balance {2,}\$726\.25 by card, due Dec 21, 2025, 5:00 PM PST$/m,
      /^Dec 1, 2025, 9:00 AM PST {2,}began to register$/m,
      /^Dec 1, 2025, 9:00 AM PST {2,}paid the deposit of \$721$/m,
    ])
      assert.match(shown, words);
    moveTo('2025-12-21T16:59:00-08:00');
    assert.equal((await show()).state, 'registered');
    moveTo('2025-12-21T17:00:00-08:00');
    assert.equal((await show()).state, 'due');
    const missing = await runAny('cancel', id, '--written', '2025-12-02');
    assert.equal(missing.code, 2);
    assert.match(missing.err, /--by NAME must say who does it/);
  });

  test('cancelling stops the charge; a dry run first explains what is refunded', async (t) => {
    const { say, show, run, moveTo, metadata } = await startShown(t);
    moveTo('2025-12-20T12:00:00-08:00');
    const tried = await say('cancel', '--written', '2025-12-19', '--dry-run');
    assert.match(tried, /She cancels as of Dec 19, 2025, 12:00 AM PST\. Nothing more is charged\./);
    assert.match(tried, /\$0 +deposit of \$721: not refunded/);
    assert.match(tried, /\$0 +balance: not paid, and no longer charged/);
    assertAbout(tried, /Nothing comes back\. It is carried out after (.*)\.$/m, '2025-12-21T21:00:00Z');
    assert.match(tried, /Only tried: nothing was changed\.$/m);
    assert.equal((await metadata()).cancel, undefined);
    assert.equal((await show()).state, 'registered');

    await say('cancel', '--written', '2025-12-19');
    const { state, timeline } = await show();
    assert.equal(state, 'cancelling');
    assert.equal(timeline.at(-1).what, 'Anna: she cancelled in writing on Dec 19, 2025, 12:00 AM PST');
    for (const [command, ...words] of [
      ['cancel', '--written', '2025-12-19'],
      ['waive', '200'],
      ['pay-by-check'],
      ['postpone', '2026-01-05'],
    ] as const) {
      const { code, err } = await run(command, ...words);
      assert.equal(code, 4);
      assert.match(err, /is cancelling: only who has paid|is cancelling: this is decided after/);
    }
  });

  test('a check settles the balance, and comes back by check when she cancels in time', async (t) => {
    const { say, run, show, moveTo } = await startShown(t);
    await say('pay-by-check');
    assert.match(await say('show'), /^Balance {2,}\$700 by check, due/m);
    moveTo('2025-12-12T12:00:00-08:00');
    await say('pay-by-check', '--received', '2025-12-11', '--by', 'Britt');
    assert.equal((await show()).state, 'settled');
    moveTo('2025-12-23T12:00:00-08:00');
    const inTime = await say('cancel', '--written', '2025-12-21T23:59', '--dry-run');
    assertAbout(inTime, /\$700 is owed by check, after (.*): send it then/, '2025-12-24T21:00:00Z');
    const sameDay = await run('cancel', '--written', '2025-12-11');
    assert.equal(sameDay.code, 2);
    assert.match(sameDay.err, /was paid on that day, .*: add the time at which she wrote/);
    const late = await say('cancel', '--written', '2025-12-22', '--dry-run');
    assert.match(late, /Nothing comes back\./);
  });

  test('a waived sum is not due, and is due again if the waiver is withdrawn', async (t) => {
    const { say, show, run } = await startShown(t);
    const waived = await say('waive', '200');
    assert.match(waived, /The balance is \$518\.75 by card\./);
    assert.match(waived, /-\$200 +waived\n +\$18\.75 +card fee of 3\.75% on the rest\n +\$518\.75 +in all/);
    assert.equal((await show()).balance.byCardCents, 51_875);
    const tooMuch = await run('waive', '700.01');
    assert.equal(tooMuch.code, 4);
    assert.match(tooMuch.err, /No more than the balance of \$700 can be waived\./);
    await say('withdraw', 'waived', '--by', 'Britt');
    const { balance, timeline } = await show();
    assert.equal(balance.byCardCents, 72_625);
    assert.equal(timeline.at(-1).what, 'Britt: withdrew the waiver');
    await say('waive', '700');
    assert.equal((await show()).state, 'settled');
  });

  test('a registration with its letters is also found by the payment of its balance', async (t) => {
    const { runAny, show, stripe, queue, payments, id } = await startShown(t);
    const welcome = await payments.findMail(id, 'welcome', BEGINS);
    assert.ok(welcome);
    await queue.add(welcome);
    const { customer } = await stripe.paymentIntents.retrieve(id);
    const { id: balance } = await stripe.paymentIntents.create({
      ...{ amount: 72_625, currency: 'usd', customer: String(customer) },
      metadata: {
        ...{ site: 'online-retreat', kind: 'balance', edition: 'january-2026', deposit: id },
        'before-fee': '70000',
      },
    });
    const { out } = await runAny('show', balance, '--json');
    assert.deepEqual(JSON.parse(out), await show());
    assert.match(out, /letter welcome: waiting/);
  });

  test('a postponed balance is due on its day, at the edition’s hour', async (t) => {
    const { say, show, run, moveTo } = await startShown(t);
    const sooner = await run('postpone', '2025-12-21');
    assert.equal(sooner.code, 4);
    assert.match(sooner.err, /The balance is due Dec 21, 2025, 5:00 PM PST: name a later day\./);
    assert.match(await say('postpone', '2026-01-05'), /is due Jan 5, 2026, 5:00 PM PST\./);
    moveTo('2025-12-23T12:00:00-08:00');
    assert.equal((await show()).state, 'postponed');
    for (const [date, words] of [
      ['2025-12-23T17:00', /DATE needs a day, such as/],
      ['2025-12-22', /2025-12-22 is past\./],
      ['2026-01-26', /The retreat is over by then/],
      ['2026-02-30', /DATE needs a day that its month has/],
    ] as const) {
      const { code, err } = await run('postpone', date);
      assert.match(err, words);
      assert.ok(code === 2 || code === 4, String(code));
    }
    moveTo('2026-01-05T17:00:00-08:00');
    assert.equal((await show()).state, 'due');
  });

  test('an impossible day is refused, and so is a payment that is no registration', async (t) => {
    const { run, runAny, moveTo, stripe } = await startShown(t);
    moveTo('2025-12-10T12:00:00-08:00');
    for (const [written, words] of [
      ['2025-12-11', /cannot have written in the future/],
      ['2025-11-30', /She registered later, on Dec 1, 2025/],
      ['soon', /--written needs a day/],
      ['2025-12-02T25:00', /--written needs a day, or a day and a time/],
      ['2025-02-29', /--written needs a day that its month has/],
    ] as const) {
      const { err } = await run('cancel', '--written', written);
      assert.match(err, words);
    }
    const { id: other } = await stripe.paymentIntents.create({ amount: 5_000, currency: 'usd' });
    for (const id of [other, 'pi_none']) {
      const { code, err } = await runAny('show', id);
      assert.deepEqual([code, err], [3, `There is no registration ${id}.\n`]);
    }
  });
});
