import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { REFUSED_FOR_GOOD, startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { needsOf } from './office-needs.ts';

const NOTICE = new Date(edition.facts.balance.noticeAt);
const REMINDER = new Date(edition.facts.balance.reminderAt);

/** A registrant who got her welcome, and functions that change whether her address works. */
async function startWelcomed(t: TestContext) {
  const letters = await startMailing(t);
  const id = await letters.register();
  await letters.work();
  assert.deepEqual(await letters.sendAll(), ['office-paid', 'welcome']);
  const { payments, find, now } = letters;
  const bounce = async (kind: string, permanent = true) => {
    const { email: address } = (await find(id)).registrant;
    const event = { type: 'bounce', permanent, address, at: now(), paymentIntentId: id, kind } as const;
    assert.deepEqual((await payments.recordBounce(event, now())).marked, [id]);
  };
  const works = async () => payments.clearBounce(await find(id), 'Anna', now());
  const needs = async () => needsOf(await find(id), now()).map(({ need }) => need);
  return { ...letters, id, bounce, works, needs };
}

describe('after a letter has bounced', () => {
  test('none goes to that address, not even a queued one; the office is notified, and nothing is charged', async (t) => {
    const { at, work, sendAll, moveTo, bounce, needs, id, charged, mailServer } = await startWelcomed(t);
    assert.deepEqual(await at(NOTICE), ['balance-notice']);
    moveTo(REMINDER);
    await work();
    await bounce('balance-notice');
    const digest = (kinds: string[]) => kinds.filter((kind) => kind !== 'office-digest');
    assert.deepEqual(digest(await sendAll()), []);
    assert.deepEqual(await needs(), ['bounced']);
    const told = await at(DUE);
    assert.deepEqual(told, ['office-digest']);
    const text = mailServer.parsed.at(-1)?.text ?? '';
    assert.match(text, /Letters come back/);
    assert.match(text, /\$726\.25/);
    assert.deepEqual(digest(await at(daysAfter(DUE, 2))), []);
    assert.deepEqual(await charged(id), []);
  });

  test('a corrected address gets what she missed, and she is charged after that notice', async (t) => {
    const { at, bounce, payments, id, now, charged, mailServer, needs } = await startWelcomed(t);
    await bounce('welcome');
    assert.deepEqual(await at(NOTICE), ['office-digest']);
    for (const mail of (await payments.correctDetails(
      { id },
      { email: 'wilma@correct.example' },
      'Anna',
      now(),
    )) ?? [])
      assert.notEqual(mail.email, 'wilma@example.org');
    assert.deepEqual(await needs(), []);
    // The former address is not notified: letters to it bounce.
    const again = await at(new Date(NOTICE.getTime() + 60_000));
    assert.deepEqual(again, ['balance-notice', 'office-change', 'welcome']);
    for (const { to, subject } of mailServer.parsed.slice(-3))
      if (!subject?.includes('office')) assert.notEqual(to?.[0]?.address, 'wilma@example.org');
    await at(REMINDER);
    await at(DUE);
    assert.deepEqual(await charged(id), [72_625]);
  });
});

describe('a mailbox that permanently refuses a notice', () => {
  test('did not notify her: she is not charged, but asked to pay', async (t) => {
    const { at, mailServer, id, charged, find } = await startWelcomed(t);
    mailServer.refuse(REFUSED_FOR_GOOD);
    assert.deepEqual(await at(NOTICE), []);
    assert.equal((await find(id)).noticed, undefined);
    mailServer.refuse(undefined);
    assert.deepEqual(await at(daysAfter(DUE, 0.1)), ['office-digest', 'please-pay']);
    assert.deepEqual(await charged(id), []);
  });
});
