import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { confirmDigest } from '#server/links/links.ts';
import { HERSELF } from '#server/record/acts.ts';
import type { Decision } from '#server/record/decisions.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';

const HOUR = 1 / 24;

/** A registrant who has paid both, and functions for what she does on her page. */
async function startSettled(t: TestContext) {
  const letters = await startMailing(t);
  const { payments, find, now, mailServer } = letters;
  const id = await letters.register();
  await letters.tell(id);
  assert.deepEqual(await letters.at(DUE), ['balance-paid', 'office-paid', 'welcome']);
  const cancel = async () => {
    const decision: Decision<'cancel'> = { at: now(), by: HERSELF, writtenAt: now(), onPage: true };
    await payments.decide(await find(id), 'cancel', decision);
  };
  const undo = async () =>
    payments.decide(await find(id), 'cancel', { at: now(), by: HERSELF, withdrawn: true });
  const workOff = () => payments.makeDueRefunds(id, now());
  /** The letters with a subject that arrived, each with its address and text. */
  const arrived = (subject: RegExp) =>
    mailServer.parsed
      .filter((mail) => subject.test(mail.subject ?? ''))
      .map(({ to, text = '' }) => ({ to: to?.[0]?.address, text: text.replaceAll('\u00a0', ' ') }));
  return { ...letters, id, cancel, undo, workOff, arrived };
}

describe('the letters about cancelling, sent', () => {
  test('to her and to the office, once each, and again once it is carried out, even if Redis loses everything', async (t) => {
    const { at, cancel, workOff, moveTo, connection, arrived } = await startSettled(t);
    await cancel();
    assert.deepEqual(await at(DUE), ['cancel-received', 'office-cancel']);
    await connection.flushall();
    assert.deepEqual(await at(daysAfter(DUE, HOUR)), []);
    const workedOff = daysAfter(DUE, 25.5 * HOUR);
    moveTo(workedOff);
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 70_000 });
    assert.deepEqual(await at(workedOff), ['cancelled']);
    await connection.flushall();
    assert.deepEqual(await at(daysAfter(DUE, 9)), []);
    const [first] = arrived(/^We have your cancellation/);
    assert.match(first?.text ?? '', /until Monday, December 22, 2025, at 5:00 pm Pacific Time/);
    const [last] = arrived(/^Your cancellation is complete/);
    assert.match(last?.text ?? '', /given \$700 back to your card, Visa ending in 4242/);
  });

  test('that her place is kept, instead of letters about the cancellation that were not sent yet', async (t) => {
    const { at, cancel, undo, work, moveTo } = await startSettled(t);
    await cancel();
    await work();
    moveTo(daysAfter(DUE, HOUR));
    await undo();
    assert.deepEqual(await at(daysAfter(DUE, HOUR)), ['cancel-undone', 'office-cancel-undone']);
    moveTo(daysAfter(DUE, 2 * HOUR));
    await cancel();
    assert.deepEqual(await at(daysAfter(DUE, 2 * HOUR)), ['cancel-received', 'office-cancel']);
  });
});

describe('the letters about an address, sent', () => {
  test('to the address that she asked for last, with a link for that address only, and not once it is hers', async (t) => {
    const { at, payments, find, id, now, work, moveTo, sendAll, mailServer } = await startSettled(t);
    await payments.askForAddress(await find(id), 'first@example.org', now());
    await work();
    moveTo(daysAfter(DUE, HOUR));
    const asked = { to: 'second@example.org', at: now() };
    await payments.askForAddress(await find(id), asked.to, asked.at);
    assert.deepEqual(await sendAll(), []);
    assert.deepEqual(await at(now()), ['confirm-address']);
    const mail = mailServer.parsed.at(-1);
    assert.equal(mail?.to?.[0]?.address, asked.to);
    assert.match(mail?.text ?? '', new RegExp(`\\.confirm-${confirmDigest(asked)}\\.`));
    await payments.confirmAddress(await find(id), asked.to, now());
    const sent = await at(now());
    assert.ok(!sent.includes('confirm-address') && sent.includes('address-changed'), sent.join());
    const told = mailServer.parsed.find(({ subject }) => subject?.startsWith('Your letters go'));
    assert.equal(told?.to?.[0]?.address, 'wilma@example.org');
    assert.doesNotMatch(told?.text ?? '', /second@example/);
    const notice = mailServer.parsed.find(({ subject }) => subject?.startsWith('Changed details'));
    const earlier = /Earlier e-mail: wilma@example\.org \(until .*, changed by the registrant\)/;
    assert.match(notice?.text ?? '', earlier);
  });
});
