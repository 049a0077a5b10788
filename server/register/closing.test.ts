import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { readOnRecord } from '#server/record/on-record.ts';
import {
  askForDueWork,
  lastDueWork,
  register,
  startPost,
  untilReceived,
} from '#server/testing/test-mailing.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';

describe('when registration is over', () => {
  const HOUR_MS = 60 * 60 * 1000;
  const after = (ms: number) => () => new Date(Date.parse(facts.registration.closes) + ms);

  test('a payment still unpaid an hour later loses its contact details and is cancelled, with the reason', async (t) => {
    const post = await startPost(t, { env: { REGISTRATION: 'auto' }, changes: { now: after(-HOUR_MS) } });
    const unpaid = await register(post);
    const { body } = await submitContact(post.app, { email: 'paid@example.org' }, 'b'.repeat(32)).expect(200);
    const paidId = body.paymentIntentClientSecret.split('_secret_')[0];
    await post.stripe.paymentIntents.confirm(paidId, { payment_method: 'pm_card_visa' });
    post.startWorker({ now: after(HOUR_MS), registration: 'auto' });
    await post.log.until('"due":"closing"');
    const { status, receipt_email } = await post.stripe.paymentIntents.retrieve(unpaid.id);
    assert.equal(status, 'canceled');
    const { registration } = await readOnRecord(post, unpaid.id);
    assert.ok(!JSON.stringify(registration).includes(contactStep.email));
    assert.deepEqual([registration?.firstName, registration?.phoneNumber], ['', '']);
    assert.equal(receipt_email, null);
    const { data } = await post.stripe.customers.list({ email: contactStep.email });
    assert.deepEqual(data, []);
    const paid = await post.stripe.paymentIntents.retrieve(paidId);
    assert.deepEqual([paid.status, paid.receipt_email], ['succeeded', 'paid@example.org']);
    await untilReceived(post, 2);

    const { payments } = post;
    const submit = { somebodyElse: false, admitLetter: async () => true };
    const deposit = { contact: contactStep, facts, timeZone: '', ...submit };
    const edit = payments.updateDeposit(unpaid.client_secret ?? '', deposit, async () => {});
    const message = 'Registration for this retreat has closed';
    await assert.rejects(edit, { code: 'registration_closed', message });
  });

  for (const [what, registration, now] of [
    ['within the hour', 'auto', after(HOUR_MS - 1)],
    ['before the end, closed for a while', 'closed', after(-HOUR_MS)],
    ['where registration is kept open', 'open', after(HOUR_MS)],
  ] as const) {
    test(`${what} nothing is cancelled, and a payment is welcomed`, async (t) => {
      const post = await startPost(t);
      const { id } = await register(post);
      post.startWorker({ now, registration });
      await untilReceived(post, 2);
      while ((await lastDueWork(post)) === 0) await setImmediate();
      assert.equal((await post.stripe.paymentIntents.retrieve(id)).status, 'requires_payment_method');
      await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      await askForDueWork(post);
      assert.deepEqual((await untilReceived(post, 4)).slice(-2), ['<registration-received', '<welcome']);
    });
  }

  test('a payment made at the moment of closing is welcomed, with the details of its customer', async (t) => {
    let pay: (() => Promise<unknown>) | undefined;
    const post = await startPost(t, {
      intercept: async ({ path }) => {
        if (path.endsWith('/cancel')) await pay?.();
        return undefined;
      },
    });
    const { id } = await register(post);
    pay = () => post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    assert.equal(await post.payments.closeUnpaid(id), false);
    post.startWorker();
    await untilReceived(post, 2);
    const welcomed = post.mailServer.parsed.find(({ subject }) => subject?.startsWith('Welcome'));
    assert.equal(welcomed?.to?.[0]?.address, contactStep.email);
    assert.match(welcomed?.text ?? '', /Dear Wilma/);
  });
});
