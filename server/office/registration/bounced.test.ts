import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { isNoticed } from '#server/record/charge-plan.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startOffice } from '#server/testing/test-office.ts';

/** A registrant who got her welcome; `told` records what the mail provider reports about it. */
async function startWelcomed(t: TestContext) {
  const office = await startOffice(t);
  const { payments, queue, now, register, tell, moveTo, sendAll } = office;
  const id = await register();
  await queue.add((await payments.findMail(id, 'welcome', now())) ?? assert.fail());
  assert.deepEqual(await sendAll(), ['welcome']);
  moveTo(daysAfter(DUE, -9));
  await tell(id, daysAfter(DUE, -10));
  const event = { permanent: true, address: 'wilma@example.org', paymentIntentId: id, kind: 'welcome' };
  const told = (type: 'bounce' | 'complaint') => payments.recordBounce({ ...event, type, at: now() }, now());
  return { ...office, id, told };
}

describe('the office’s page of somebody whose letters come back', () => {
  test('says so at its top, beside the letter, and in the history; one press ends it', async (t) => {
    const { id, told, seeRegistration, preview, find, audited, registrationList } = await startWelcomed(t);
    await told('bounce');
    const { text, document } = await seeRegistration(id);
    assert.match(text, /Reach her otherwise: letters to her address come back/);
    assert.match(text, /The site does not charge her card automatically: her letters come back/);
    assert.match(text, /WelcomeTo wilma@example\.org\. Sent on [^.]*\. It came back on Dec 12, 2025/);
    assert.match(text, /the letter “Welcome” came back: call her, and correct her address/i);
    assert.equal(document.querySelectorAll('.letter--failed').length, 1);
    // Nothing can be sent again to an address that takes no letters.
    assert.equal(document.querySelectorAll('.letter-acts button').length, 0);

    const shown = await preview(id, 'address-works');
    assert.equal(shown.says[0], 'Letters go to wilma@example.org again.');
    assert.match(
      shown.says[1] ?? '',
      /^Charged automatically: \$726\.25 .*, once she was told of it three days/,
    );
    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.doesNotMatch(done.led?.text ?? '', /Reach her otherwise/);
    assert.match(done.led?.text ?? '', /Anna: her address works again/);
    const record = await find(id);
    assert.deepEqual([record.bounced?.by, isNoticed(record)], ['Anna', false]);
    assert.deepEqual((await registrationList.find(id))?.record.bounced, record.bounced);
    assert.equal((await preview(id, 'address-works')).status, 409);
    assert.deepEqual(audited, ['Anna address-works: done']);
  });

  test('shows a complaint until somebody has called her; the charge goes on', async (t) => {
    const { id, told, seeRegistration, preview } = await startWelcomed(t);
    await told('complaint');
    const { text } = await seeRegistration(id);
    assert.match(text, /Call her: she marked a letter as spam/);
    assert.match(text, /The site charges \$726\.25 to her Visa/);
    assert.match(text, /She marked it as spam on Dec 12, 2025/);
    const shown = await preview(id, 'address-works');
    assert.match(shown.says[0] ?? '', /Her complaint is taken off the list/);
    assert.doesNotMatch((await shown.confirm()).led?.text ?? '', /Call her: she marked/);
  });
});
