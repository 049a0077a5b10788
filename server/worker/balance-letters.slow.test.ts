import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { lettersDue } from '#server/letters/table.ts';
import { findRegistration, recordBounce } from '#server/registration/registration.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { needsOf } from './office-needs.ts';

const NOTICE = new Date(edition.facts.balance.noticeAt);
const REMINDER = new Date(edition.facts.balance.reminderAt);
const BUSY = { responseCode: 451, message: 'Mailbox busy' };

/** A registrant who got her welcome, and functions that change what she owes and whether her address works. */
async function startWelcomed(t: TestContext) {
  const letters = await startMailing(t);
  const id = await letters.register();
  await letters.work();
  assert.deepEqual(await letters.sendAll(), ['office-paid', 'welcome']);
  const { payments, find, now } = letters;
  return {
    ...letters,
    id,
    async bounce() {
      const { email: address } = (await find(id)).registrant;
      const event = { address, at: now() };
      assert.deepEqual((await recordBounce(payments, event, now())).marked, [id]);
    },
    needs: async () => needsOf(await find(id), now()).map(({ need }) => need),
  };
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

describe('after a letter has bounced', () => {
  test('a corrected address gets what she missed, and she is charged after that notice', async (t) => {
    const { at, bounce, payments, id, now, charged, mailServer, needs } = await startWelcomed(t);
    await bounce();
    assert.deepEqual(await at(NOTICE), ['office-digest']);
    await payments.ask(correctDetails, { id }, { email: 'wilma@correct.example' }, 'Anna', now());
    const record = (await findRegistration(payments, id)) ?? assert.fail();
    for (const mail of lettersDue(record, now())) assert.notEqual(mail.address, 'wilma@example.org');
    assert.deepEqual(await needs(), []);
    // The former address is not notified: letters to it bounce.
    const again = await at(new Date(NOTICE.getTime() + 60_000));
    assert.deepEqual(again, ['balance-notice', 'welcome']);
    for (const { to, subject } of mailServer.parsed.slice(-3))
      if (!subject?.includes('office')) assert.notEqual(to?.[0]?.address, 'wilma@example.org');
    await at(REMINDER);
    await at(DUE);
    assert.deepEqual(await charged(id), [72_625]);
  });
});
