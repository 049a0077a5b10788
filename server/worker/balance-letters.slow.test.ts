import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const NOTICE = new Date(edition.facts.balance.noticeAt);
const REMINDER = new Date(edition.facts.balance.reminderAt);
const BUSY = { responseCode: 451, message: 'Mailbox busy' };

/** A registrant who got her welcome, and functions that change what she owes and whether her address works. */
async function startWelcomed(t: TestContext) {
  const letters = await startMailing(t);
  const id = await letters.register();
  await letters.work();
  assert.deepEqual(await letters.sendAll(), ['office-paid', 'welcome']);
  return { ...letters, id };
}

describe('the letters about a balance, sent', () => {
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
});
