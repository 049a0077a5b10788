import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { queueLetters } from '#server/mail/queue.ts';
import { openBalance } from '#server/payments/open-balance.ts';
import { DUE, daysAfter, recordSent } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const NOTICE = new Date(edition.facts.balance.noticeAt);
const REMINDER = new Date(edition.facts.balance.reminderAt);
const BUSY = { responseCode: 451, message: 'Mailbox busy' };

/** A registrant who got her welcome. */
async function startWelcomed(t: TestContext) {
  const letters = await startMailing(t);
  const id = await letters.register();
  await letters.work();
  assert.deepEqual(await letters.sendAll(), ['office-paid', 'welcome']);
  const by = () => ({ at: letters.now(), by: 'Anna' });
  const { payments, find } = letters;
  const waive = async (cents: number) => payments.decide(await find(id), 'waived', { ...by(), cents });
  return { ...letters, id, waive };
}

describe('the letters about a balance, sent', () => {
  test('on time, each once, even if Redis loses everything in between', async (t) => {
    const { at, connection, state, id, charged } = await startWelcomed(t);
    assert.deepEqual(await at(new Date(NOTICE.getTime() - 60_000)), []);
    for (const [moment, letter] of [
      [NOTICE, 'balance-notice'],
      [REMINDER, 'balance-reminder'],
      [DUE, 'balance-paid'],
    ] as const) {
      assert.deepEqual(await at(moment), [letter]);
      await connection.flushall();
      assert.deepEqual(await at(moment), []);
    }
    assert.deepEqual([await state(id), await charged(id)], ['settled', [72_625]]);
    assert.deepEqual(await at(daysAfter(DUE, 40)), []);
  });

  test('never late: if the mail server was away over the due day, she is asked to pay', async (t) => {
    const { at, mailServer, charged, id } = await startWelcomed(t);
    mailServer.refuse(BUSY);
    for (const moment of [NOTICE, REMINDER, DUE]) assert.deepEqual(await at(moment), []);
    mailServer.refuse(undefined);
    assert.deepEqual(await at(daysAfter(DUE, 1)), ['office-digest', 'please-pay']);
    const [welcome, ...since] = mailServer.parsed.filter(({ subject }) => !subject?.startsWith('Paid: '));
    assert.match(welcome?.subject ?? '', /^Welcome/);
    for (const { text } of since) assert.doesNotMatch(text ?? '', /is charged to|We charge it|at 5:00/);
    assert.deepEqual(await charged(id), []);
  });

  test('to a corrected address, with a new link; from then on no earlier link opens her page', async (t) => {
    const { at, payments, now, mailServer, id, charged } = await startWelcomed(t);
    assert.deepEqual(await at(NOTICE), ['balance-notice']);
    await payments.correctDetails({ id }, { email: 'right@example.org' }, 'Anna', now());
    assert.deepEqual(await at(daysAfter(NOTICE, 1)), [
      'address-changed',
      'balance-notice',
      'office-change',
      'welcome',
    ]);
    const links = mailServer.parsed.flatMap(({ to, text }) => {
      const [, epoch] = /\/place\/v1\.pi_\w+\.(\d+)\.place\./.exec(text ?? '') ?? [];
      return epoch === undefined ? [] : [`${to?.[0]?.address} ${epoch}`];
    });
    assert.deepEqual(links.sort(), [
      'right@example.org 1',
      'right@example.org 1',
      'wilma@example.org 0',
      'wilma@example.org 0',
    ]);
    await at(REMINDER);
    await at(DUE);
    assert.deepEqual(await charged(id), [72_625]);
  });

  test('once, even if the worker died after the record and before it completed the job', async (t) => {
    const { moveTo, work, sendAll, payments, letterLog, id, now } = await startWelcomed(t);
    moveTo(NOTICE);
    await work();
    const letter = (await payments.findMail(id, 'balance-notice', now())) ?? assert.fail();
    await recordSent(letterLog, letter, NOTICE);
    assert.deepEqual(await sendAll(), []);
  });

  test('none that is outdated once she has paid on her page', async (t) => {
    const { at, moveTo, work, sendAll, stripe, find, id } = await startWelcomed(t);
    assert.deepEqual(await at(NOTICE), ['balance-notice']);
    moveTo(REMINDER);
    await work();
    const { id: balance } = await openBalance(stripe, await find(id));
    await stripe.paymentIntents.confirm(balance, { payment_method: 'pm_card_mastercard' });
    assert.deepEqual(await sendAll(), []);
    assert.deepEqual(await at(daysAfter(REMINDER, 1)), ['balance-paid']);
    assert.deepEqual(await at(DUE), []);
  });

  test('again when somebody asks for one, with what is true then', async (t) => {
    const { at, waive, payments, letterLog, bullQueue, sendAll, mailServer, now, charged, id } =
      await startWelcomed(t);
    assert.deepEqual(await at(NOTICE), ['balance-notice']);
    await waive(20_000);
    const letter = await payments.findMail(id, 'balance-notice', now());
    assert.ok(letter);
    await queueLetters(bullQueue, [
      { kind: letter.kind, id: await letterLog.oweAgain(letter, { name: '1' }, now()), again: true },
    ]);
    assert.deepEqual(await sendAll(), ['balance-notice']);
    assert.match(mailServer.parsed.at(-1)?.text ?? '', /\$518\.75/);
    await at(REMINDER);
    assert.equal(await payments.findMail(id, 'balance-notice', now()), undefined);
    const welcome = await payments.findMail(id, 'welcome', now());
    assert.ok(welcome?.kind === 'welcome' && welcome.hasMovedOn);
    await at(DUE);
    assert.deepEqual(await charged(id), [51_875]);
  });
});

describe('letters about what happens again, sent', () => {
  test('about a declined card after the first and the last decline of each round of tries', async (t) => {
    const { at, giveCard, payments, find, now, id } = await startWelcomed(t);
    await giveCard(id, 'pm_card_chargeCustomerFail');
    await at(NOTICE);
    await at(REMINDER);
    const failed = async (days: readonly number[]) => {
      const arrived: number[] = [];
      for (const day of days)
        arrived.push((await at(daysAfter(DUE, day))).filter((kind) => kind === 'balance-failed').length);
      return arrived;
    };
    assert.deepEqual(await failed([0, 1.01, 4.02, 11.03]), [1, 0, 0, 1]);
    await payments.decide(await find(id), 'charge', { at: now(), by: 'Anna' });
    assert.deepEqual(await failed([12, 13.01, 16.02, 23.03, 24]), [1, 0, 0, 1, 0]);
  });
});
