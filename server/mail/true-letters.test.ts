import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HERSELF } from '#server/record/acts.ts';
import type { Decision, Withdrawal } from '#server/record/decisions.ts';
import { askForDueWork, RECORDED, register, startPost, untilReceived } from '#server/testing/test-mailing.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { submitContact } from '#server/testing/test-site.ts';

describe('letters are sent only while they are true', () => {
  test('R5.3 a registrant who has paid is not asked to pay, and the office is not told that she has not', async (t) => {
    const post = await startPost(t);
    const { id, client_secret } = await register(post);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    post.startWorker();
    assert.deepEqual(await untilReceived(post, 2), ['<office-paid', '<welcome']);
    await post.log.until('it is no longer due', 2);
    const corrected = { email: 'Wilma@example.org', paymentIntentClientSecret: client_secret };
    await submitContact(post.app, corrected).expect(200);
    assert.equal(post.mailServer.parsed.length, 2);
  });

  test('R5.3 a letter to an address that was corrected meanwhile goes to the new one only', async (t) => {
    const post = await startPost(t);
    const { client_secret } = await register(post);
    const corrected = { email: 'right@example.org', paymentIntentClientSecret: client_secret };
    await submitContact(post.app, corrected).expect(200);
    post.startWorker();
    assert.deepEqual(await untilReceived(post, 2), ['<office-notice', '<registration-received']);
    await post.log.until('it is no longer due');
    const addressees = post.mailServer.parsed.map(({ to }) => to?.[0]?.address);
    assert.deepEqual(addressees.sort(), ['office@retreat.example', 'right@example.org']);
    assert.match(post.mailServer.parsed.map(({ text }) => text).join('\n'), /right@example\.org/);
  });

  test('R5.3 an address that is corrected back gets the letter that was dropped', async (t) => {
    const post = await startPost(t);
    const { client_secret } = await register(post);
    const edit = (email: string) =>
      submitContact(post.app, { email, paymentIntentClientSecret: client_secret }).expect(200);
    await edit('wrong@example.org');
    post.startWorker();
    await post.log.until('it is no longer due');
    await edit(contactStep.email);
    while (!post.mailServer.parsed.some(({ to }) => to?.[0]?.address === contactStep.email)) {
      await post.mailServer.nextMail();
    }
  });

  test('a registrant who cancels before her welcome is sent gets it only once she has taken the cancellation back', async (t) => {
    const post = await startPost(t);
    const { id } = await register(post);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    const at = new Date();
    const decide = async (decision: Decision<'cancel'> | Withdrawal) => {
      const record = await post.payments.findRegistration(id);
      assert.ok(record);
      await post.payments.decide(record, 'cancel', decision);
    };
    const lettersNow = async () => (await post.payments.findRegistration(id))?.letters;
    await decide({ at, by: HERSELF, writtenAt: at });
    assert.deepEqual(await lettersNow(), { 'office-paid': 'owed' });
    await decide({ at, by: HERSELF, withdrawn: true });
    assert.deepEqual(await lettersNow(), { welcome: 'owed', 'office-paid': 'owed' });
    post.startWorker();
    while (!post.mailServer.parsed.some(({ subject }) => subject?.startsWith('Welcome')))
      await post.mailServer.nextMail();
  });

  test('R5.3 the office gets one notice when details change, and one when the deposit is paid', async (t) => {
    const post = await startPost(t);
    const { id, client_secret } = await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    const changed = { phoneNumber: '+1 (555) 555-0199', paymentIntentClientSecret: client_secret };
    for (let time = 0; time < 2; time += 1) await submitContact(post.app, changed).expect(200);
    await untilReceived(post, 3);
    await post.log.until(RECORDED, 3);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await askForDueWork(post);
    await untilReceived(post, 5);
    const toOffice = post.mailServer.parsed.filter(({ to }) => to?.[0]?.address === 'office@retreat.example');
    const subjects = toOffice.map(({ subject = '' }) => subject.split(':')[0]);
    assert.deepEqual(subjects, ['Details received, not paid', 'Changed details', 'Paid']);
    assert.match(toOffice[1]?.text ?? '', /555-0199/);
  });

  test('R5.3 before she pays, the office is told of one change of her details, and of the last ones once she has paid', async (t) => {
    const post = await startPost(t);
    const { id, client_secret } = await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    for (const phoneNumber of ['5550199', contactStep.phoneNumber, '5550177']) {
      await submitContact(post.app, { phoneNumber, paymentIntentClientSecret: client_secret }).expect(200);
      await untilReceived(post, 3);
      await post.log.until(RECORDED, 3);
    }
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await askForDueWork(post);
    await untilReceived(post, 6);
    const toOffice = post.mailServer.parsed.filter(({ to }) => to?.[0]?.address === 'office@retreat.example');
    const subjects = toOffice.map(({ subject = '' }) => subject.split(':')[0]);
    assert.deepEqual(subjects.toSorted(), [
      'Changed details',
      'Changed details',
      'Details received, not paid',
      'Paid',
    ]);
    assert.match(toOffice.at(-1)?.text ?? '', /5550177/);
  });
});
