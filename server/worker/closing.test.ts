import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '#server/database/database.ts';
import { readRegistrations } from '#server/registration/registration.ts';
import { updateDeposit } from '#server/stripe/deposit.ts';
import { paymentIn } from '#server/testing/test-charges.ts';
import { startPost } from '#server/testing/test-mailing.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { messages } from '#shared/registration.ts';

const HOUR_MS = 60 * 60 * 1000;

async function readingOf({ database }: { database: Database }, id: string) {
  const read = await database.read((transaction) => readRegistrations(transaction, [id]));
  return read.get(id) ?? assert.fail(id);
}

describe('when registration is over', () => {
  const after = (ms: number) => () => new Date(Date.parse(facts.registration.closes) + ms);

  test('a payment still unpaid an hour later loses its contact details and is cancelled, with the reason', async (t) => {
    const post = await startPost(t, { env: { REGISTRATION: 'auto' }, changes: { now: after(-HOUR_MS) } });
    const unpaid = await post.register();
    const { body } = await submitContact(post.app, { email: 'paid@example.org' }, 'b'.repeat(32)).expect(200);
    const paidId = paymentIn(body.paymentIntentClientSecret);
    await post.stripe.paymentIntents.confirm(paidId, { payment_method: 'pm_card_visa' });
    post.startWorker({ now: after(HOUR_MS), registration: 'auto' });
    await post.log.until('"due":"closing"');
    const { status, receipt_email } = await post.stripe.paymentIntents.retrieve(unpaid.payment);
    assert.equal(status, 'canceled');
    const { row } = await readingOf(post, unpaid.id);
    assert.ok(!JSON.stringify(row).includes(contactStep.email));
    assert.deepEqual([row.firstName, row.phoneNumber], ['', '']);
    assert.equal(receipt_email, null);
    const { data } = await post.stripe.customers.list({ email: contactStep.email });
    assert.deepEqual(data, []);
    const paid = await post.stripe.paymentIntents.retrieve(paidId);
    assert.deepEqual([paid.status, paid.receipt_email], ['succeeded', 'paid@example.org']);
    await post.untilSent(2);

    const { payments } = post;
    const admitLetter = async () => true;
    const deposit = { contact: contactStep, facts, timeZone: '', admitLetter };
    const edit = payments.ask(updateDeposit, unpaid.clientSecret, deposit, async () => {});
    await assert.rejects(edit, { code: 'payment_canceled', message: messages.paymentCanceled });
  });

  for (const [what, registration, now] of [
    ['within the hour', 'auto', after(HOUR_MS - 1)],
    ['before the end, closed for a while', 'closed', after(-HOUR_MS)],
    ['where registration is kept open', 'open', after(HOUR_MS)],
  ] as const) {
    test(`${what} nothing is cancelled, and a payment is welcomed`, async (t) => {
      const post = await startPost(t, { changes: { now: after(-HOUR_MS) } });
      const { payment, payUnnoticed } = await post.register();
      post.startWorker({ now, registration });
      await post.untilSent(2);
      await post.untilWorked();
      assert.equal((await post.stripe.paymentIntents.retrieve(payment)).status, 'requires_payment_method');
      await payUnnoticed();
      await post.askForDueWork();
      assert.deepEqual((await post.untilSent(4)).slice(-2), ['registration-received', 'welcome']);
    });
  }
});
