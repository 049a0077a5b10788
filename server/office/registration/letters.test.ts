import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LetterName } from '#server/letters/table.ts';
import { officePaths } from '#server/office/paths.ts';
import { recordBounce } from '#server/registration/bounces.ts';
import { isNoticed } from '#server/registration/charges.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { findMail } from '#server/worker/outbox.ts';

const UNKNOWN = { responseCode: 550, message: 'No such <mailbox>' };

/** An office, and a registrant who has paid her deposit. */
async function startLetters(t: TestContext) {
  const office = await startOffice(t);
  const { payments, mailQueue, now, mailServer, sendAll } = office;
  const id = await office.register();
  const letter = async (kind: LetterName) =>
    (await findMail(payments, id, kind, now())) ?? assert.fail(`There is no ${kind}`);
  return {
    ...office,
    id,
    letter,
    /** Makes the mail server refuse the welcome permanently; returns the id of its job. */
    async failWelcome() {
      mailServer.refuse(UNKNOWN);
      const welcome = await letter('welcome');
      await mailQueue.add(welcome);
      await sendAll();
      mailServer.refuse(undefined);
      return welcome.id;
    },
  };
}

describe('the office repairs letters with forms', () => {
  test('a failed letter is shown with its reason, and arrives when it is retried', async (t) => {
    const office = await startLetters(t);
    const { id, mailQueue, seeRegistration, previewAt, held, sendAll, audited } = office;
    const failed = await office.failWelcome();
    const page = await seeRegistration(id);
    assert.match(page.text, /Mend a message that did not get through: see Messages/);
    assert.match(
      page.text,
      /WelcomeTo wilma@example\.org\. Failed on .*refused it for good\. Is the address right\?/,
    );
    assert.ok(page.text.includes('No such <mailbox>') && !page.html.includes('<mailbox>'));
    const buttons = [...page.document.querySelectorAll('.letter-acts button')].map((one) => one.textContent);
    assert.deepEqual(buttons, ['Try again now “Welcome”', 'Dismiss “Welcome”']);

    const heldBefore = await held();
    const shown = await previewAt(officePaths.letterAct(failed, 'retry'));
    assert.deepEqual(shown.says, ['“Welcome” will be tried again now.']);
    assert.equal(shown.button, 'Try a message again now');
    assert.deepEqual(await held(), heldBefore);
    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.match(done.led?.text ?? '', /“Welcome” will be tried again now\.By Anna\./);
    assert.equal(await mailQueue.bullQueue.getJobState(failed), 'waiting');
    assert.equal((await shown.confirm()).status, 409);
    assert.deepEqual(audited, ['Anna retry: done']);

    assert.deepEqual(await sendAll(), ['welcome']);
    assert.match((await seeRegistration(id)).text, /WelcomeTo wilma@example\.org\. Sent on /);
  });

  test('a sent letter is sent again, and the page keeps who asked for it', async (t) => {
    const { id, letter, mailQueue, sendAll, previewAt, seeRegistration, mailServer } = await startLetters(t);
    const welcome = await letter('welcome');
    await mailQueue.add(welcome);
    await sendAll();
    const shown = await previewAt(officePaths.letterAct(welcome.id, 'resend'));
    assert.deepEqual(shown.says, ['“Welcome” will be sent to wilma@example.org once more.']);
    assert.equal(shown.button, 'Send “Welcome” again');
    const both = await Promise.all([shown.confirm(), shown.confirm()]);
    assert.ok(both.some(({ status }) => status === 303));
    const jobs = await mailQueue.bullQueue.getJobs();
    const again = jobs.filter((job) => job.id?.startsWith(welcome.id) && job.id !== welcome.id);
    assert.equal(again.length, 1);
    assert.equal((await shown.confirm()).status, 409);
    await sendAll();
    assert.equal(mailServer.parsed.length, 2);
    assert.match(
      (await seeRegistration(id)).text,
      /Sent on .*Asked for by Anna\..*Message “Welcome” was sent, asked for by Anna/s,
    );
  });

  test('what is no letter is found by no command, and nothing is done', async (t) => {
    const { previewAt, held } = await startLetters(t);
    const heldBefore = await held();
    for (const command of ['retry', 'dismiss', 'resend'])
      for (const id of ['meta', 'welcome-reg_none-1'])
        assert.equal((await previewAt(officePaths.letterAct(id, command))).status, 404);
    assert.deepEqual(await held(), heldBefore);
  });
});

/** A registrant who got her welcome; `told` records what the mail provider reports about it. */
async function startWelcomed(t: TestContext) {
  const office = await startOffice(t);
  const { payments, mailQueue, now, register, tell, moveTo, sendAll } = office;
  const id = await register();
  await mailQueue.add((await findMail(payments, id, 'welcome', now())) ?? assert.fail());
  assert.deepEqual(await sendAll(), ['welcome']);
  moveTo(daysAfter(DUE, -9));
  await tell(id, daysAfter(DUE, -10));
  const told = () => recordBounce(payments, { address: 'wilma@example.org', at: now() }, now());
  return { ...office, id, told };
}

describe('the office’s page of somebody whose letters come back', () => {
  test('says so at its top, and in the history; one press ends it', async (t) => {
    const { id, told, seeRegistration, preview, find, audited, payments } = await startWelcomed(t);
    await told();
    const { text, document } = await seeRegistration(id);
    assert.match(text, /Reach her otherwise: messages to her address come back/);
    assert.match(text, /The site does not charge her card automatically: her messages come back/);
    assert.match(text, /A message to her came back, or she marked it as spam/);
    // Nothing can be sent again to an address that takes no letters.
    assert.equal(document.querySelectorAll('.letter-acts button').length, 0);

    const shown = await preview(id, 'address-works');
    assert.equal(shown.says[0], 'Messages go to wilma@example.org again.');
    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.doesNotMatch(done.led?.text ?? '', /Reach her otherwise/);
    assert.match(done.led?.text ?? '', /Anna: her address works again/);
    const record = await find(id);
    assert.deepEqual([record.bounced?.by, isNoticed(record)], ['Anna', false]);
    assert.deepEqual((await findRegistration(payments, id))?.bounced, record.bounced);
    assert.equal((await preview(id, 'address-works')).status, 409);
    assert.deepEqual(audited, ['Anna address-works: done']);
  });
});
