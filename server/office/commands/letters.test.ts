import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LetterName } from '#server/letters/table.ts';
import { officePaths } from '#server/office/paths.ts';
import { core, give } from '#server/testing/command-drivers.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { findMail } from '#server/worker/outbox.ts';

/** An office, and a registrant who has paid her deposit. */
async function startLetters(t: TestContext) {
  const office = await startOffice(t);
  const { payments, mailQueue, now, sendAll } = office;
  const id = await office.register();
  return {
    ...office,
    id,
    /** Has a letter sent, or tried; returns its id. */
    async post(kind: LetterName): Promise<string> {
      const letter = (await findMail(payments, id, kind, now())) ?? assert.fail(`There is no ${kind}`);
      await mailQueue.add(letter);
      await sendAll();
      return letter.id;
    },
  };
}

describe('the office repairs messages', () => {
  test('one that failed is shown with its reason, and arrives when it is tried again', async (t) => {
    const office = await startLetters(t);
    const { id, post, mailServer, seeRegistration, previewAt, sendAll } = office;
    mailServer.refuse({ responseCode: 550, message: 'No such <mailbox>' });
    const failed = await post('welcome');
    mailServer.refuse(undefined);
    const page = await seeRegistration(id);
    assert.match(page.text, /Mend a message that did not get through/);
    const reason = /“Welcome” to wilma@example\.org has failed.*refused it for good\. Is the address right\?/;
    assert.match(page.text, reason);
    assert.ok(page.text.includes('No such <mailbox>') && !page.html.includes('<mailbox>'));
    const links = [...page.document.querySelectorAll('.timeline a')].map((one) => one.textContent);
    assert.deepEqual(links.slice(0, 2), ['Try again now “Welcome”', 'Dismiss “Welcome”']);
    const shown = await previewAt(officePaths.letterAct(failed, 'retry'));
    assert.deepEqual(shown.says, ['“Welcome” will be tried again now.']);
    assert.match((await shown.confirm()).text, /“Welcome” will be tried again now\.By Anna\./);
    assert.deepEqual(await sendAll(), ['welcome']);
    assert.match((await seeRegistration(id)).text, /Message “Welcome” to wilma@example\.org was sent/);
  });

  test('one that was sent is sent once more, and her page keeps who asked for it', async (t) => {
    const office = await startLetters(t);
    const { id, post, sendAll, seeRegistration, mailServer } = office;
    const shown = await core(office, await post('welcome'), 'resend');
    const pressed = await Promise.allSettled([shown.press(), shown.press()]);
    assert.ok(pressed.some((one) => one.status === 'fulfilled' && one.value));
    await sendAll();
    assert.equal(mailServer.parsed.length, 2);
    const { text } = await seeRegistration(id);
    assert.match(text, /Message “Welcome” to wilma@example\.org was sent, asked for by Anna/);
  });

  test('one whose words no longer apply is not sent again', async (t) => {
    const office = await startLetters(t);
    const { id, post, moveTo, now } = office;
    await give(office, id, 'cancel', { written: '2025-12-01' });
    const received = await post('cancel-received');
    await give(office, received, 'resend');
    moveTo(daysAfter(now(), 0.5));
    await give(office, id, 'undo', { what: 'cancel' });
    await assert.rejects(give(office, received, 'resend'), /What it says does not apply any more/);
  });
});
