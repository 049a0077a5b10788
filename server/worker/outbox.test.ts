import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { correctDetails } from '#server/stripe/her-details.ts';
import { type Charges, recordReceived, startCharges } from '#server/testing/test-charges.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { mailingFor } from '#server/testing/test-mailing.ts';
import { createOutbox } from './outbox.ts';

/** Somebody whose deposit is paid, and whose welcome is owed. */
async function startOwing(t: TestContext) {
  const { register, payments, database, letterLog, now } = await startCharges(t);
  const deposit = await register();
  const welcome = (await findMail(payments, deposit, 'welcome', now())) ?? assert.fail();
  await letterLog.owe([welcome], now());
  const waitingList = { find: async () => undefined };
  const outbox = createOutbox({
    database,
    waitingList,
    letterLog,
    now,
    findDigest: async () => undefined,
  });
  const { id } = welcome;
  const state = async () => (await letterLog.find([id])).get(id)?.state;
  return { deposit, payments, database, letterLog, outbox, welcome, id, state, now };
}

describe('what the mail worker finds for a job', () => {
  test('R5.1 the letter with the facts of this moment', async (t) => {
    const { outbox, payments, deposit, id, now } = await startOwing(t);
    await payments.ask(correctDetails, { id: deposit }, named('Wilhelmina'), 'Anna', now());
    const due = await outbox.findDue(id);
    assert.ok(typeof due === 'object' && due.kind === 'welcome');
    assert.equal(due.person?.firstName, 'Wilhelmina');
  });

  test('R5.1 that it was sent, if the job begins once more', async (t) => {
    const { outbox, welcome, id, now } = await startOwing(t);
    await outbox.markSent(welcome, now(), id);
    assert.equal(await outbox.findDue(id), 'sent');
  });

  test('R5.1 nothing once it goes to another address, or was dismissed, or is not on record', async (t) => {
    const { outbox, letterLog, payments, deposit, id, state, now } = await startOwing(t);
    await payments.ask(correctDetails, { id: deposit }, { email: 'else@example.org' }, 'Anna', now());
    assert.equal(await outbox.findDue(id), 'not due');
    assert.equal(await state(), 'dropped');
    await payments.ask(
      correctDetails,
      { id: deposit },
      { email: 'wilma@example.org' },
      'Anna',
      new Date(now().getTime() + 1_000),
    );
    await letterLog.owe([(await findMail(payments, deposit, 'welcome', now())) ?? assert.fail()], now());
    assert.equal(typeof (await outbox.findDue(id)), 'object');
    await letterLog.dismiss(id, now());
    assert.equal(await outbox.findDue(id), 'not due');
    assert.equal(await state(), 'dismissed');
    assert.equal(await outbox.findDue('welcome-reg_unknown-1'), 'not due');
  });
});

describe('what the mail worker leaves alone', () => {
  test('R5.1 a letter while the register cannot be written: that it was sent could not be recorded', async (t) => {
    const { outbox, letterLog, id, state } = await startOwing(t);
    const { mock } = t.mock.method(letterLog, 'noteTry', async () => {
      throw new Error('The register is read-only');
    });
    await assert.rejects(outbox.findDue(id), /read-only/);
    assert.equal(await state(), 'owed');
    mock.restore();
    assert.equal(typeof (await outbox.findDue(id)), 'object');
  });
});

/** What is done while the mail server is away; returns the first sum in each message that arrives once it is back. */
async function sumsTold(t: TestContext, world: Charges, acts: readonly (() => Promise<unknown>)[]) {
  const { mailServer, work, sendAll } = await mailingFor(t, world);
  await work();
  await sendAll();
  const before = mailServer.parsed.length;
  mailServer.refuse({ responseCode: 451, message: 'Try later' });
  for (const act of acts) {
    await act();
    await work();
    await sendAll();
  }
  mailServer.refuse(undefined);
  await sendAll();
  return mailServer.parsed.slice(before).map(({ text }) => /\$[\d.,]+\d/.exec(text ?? '')?.[0]);
}

describe('what two acts tell her that were done while mail was away', () => {
  test('R5.1 two checks are two messages, each with its own sum', async (t) => {
    const charges = await startCharges(t);
    const { register, find, payments, now } = charges;
    const id = await register();
    const receive = (cents: number) => async () => {
      const check = { at: now(), by: 'Anna', way: 'check', cents, on: now() } as const;
      await payments.ask(recordReceived, await find(id), check);
    };
    const sums = await sumsTold(t, charges, [receive(20_000), receive(30_000)]);
    assert.deepEqual(sums.toSorted(), ['$200', '$300']);
  });
});

const named = (firstName: string) => ({ firstName, lastName: 'O’Hara', phoneNumber: '+1 (555) 555-0142' });
