import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mailJobId } from '#server/mail/job.ts';
import { testMails } from '#server/testing/test-mails.ts';
import { failToSend, startSupport, stateOf } from '#server/testing/test-support.ts';

const { received, notice } = testMails;
const UNKNOWN = { responseCode: 550, message: 'No such mailbox' };

describe('support’s command line, sending anew', () => {
  test('R5.4 sends a sent mail once more as often as asked, to the same address', async (t) => {
    const support = await startSupport(t);
    support.startWorker();
    await support.queue.add(received);
    await support.log.until('Mail sent');
    for (const number of [1, 2]) {
      const arrival = support.mailServer.nextMail();
      const { code, out } = await support.mails('resend', 'pi_1', 'registration-received');
      const id = `${mailJobId(received)}-again-${number}`;
      assert.deepEqual([code, out], [0, `The mail is sent once more, as ${id}.\n`]);
      assert.equal((await arrival).to?.[0]?.address, 'wilma@example.org');
      await support.log.until('Mail sent', number + 1);
    }
    assert.equal(support.mailServer.mails.length, 3);
  });

  test('R5.4 sends nothing once more that is not there, or was not sent', async (t) => {
    const support = await startSupport(t);
    await failToSend(support, UNKNOWN, received);
    const [failed, otherKind, otherIntent] = await Promise.all([
      support.mails('resend', 'pi_1', 'registration-received'),
      support.mails('resend', 'pi_1', 'welcome'),
      support.mails('resend', 'pi', 'registration-received'),
    ]);
    assert.equal(failed.code, 4);
    assert.match(failed.err, /has not been sent yet \(it is failed\)\.$/m);
    assert.deepEqual(otherKind, { code: 3, out: '', err: 'There is no welcome mail of pi_1.\n' });
    assert.equal(otherIntent.code, 2);
  });

  test('R5.4 sends a failed mail to a corrected address, and the old one is gone', async (t) => {
    const support = await startSupport(t);
    await failToSend(support, UNKNOWN, received);
    const old = mailJobId(received);
    const next = mailJobId({ ...received, email: 'wilma@correct.example' });
    assert.deepEqual(await support.mails('edit-address', old, ' wilma@correct.example '), {
      code: 0,
      out: `The mail goes to wilma@correct.example now, as ${next}.\n`,
      err: '',
    });
    assert.equal(await stateOf(support, old), 'unknown');
    const arrival = support.mailServer.nextMail();
    support.startWorker();
    assert.equal((await arrival).to?.[0]?.address, 'wilma@correct.example');
    await support.log.until('Mail sent');
    assert.equal((await support.mails('edit-address', next, 'other@example.org')).code, 4);
  });

  test('R5.4 a mail that the queue has forgotten is sent again by Stripe’s record', async (t) => {
    const support = await startSupport(t);
    const { kind: _, paymentIntentId: __, ...metadata } = received;
    const { id } = await support.stripe.paymentIntents.create({
      amount: 72_100,
      currency: 'usd',
      metadata: { ...metadata, package: 'january_2026_retreat' },
    });
    support.startWorker();
    const arrival = support.mailServer.nextMail();
    assert.equal((await support.mails('resend', id, 'registration-received')).code, 0);
    assert.equal((await arrival).to?.[0]?.address, 'wilma@example.org');
    assert.equal((await support.mails('resend', id, 'welcome')).code, 3);
  });

  test('R5.4 a corrected address is corrected at Stripe too, for all later mails', async (t) => {
    const support = await startSupport(t);
    const customer = await support.stripe.customers.create({ email: received.email });
    const intent = await support.stripe.paymentIntents.create({
      amount: 72_100,
      currency: 'usd',
      customer: customer.id,
      receipt_email: received.email,
      metadata: { email: received.email, package: 'january_2026_retreat' },
    });
    const mail = { ...received, paymentIntentId: intent.id };
    await failToSend(support, UNKNOWN, mail);
    const { code } = await support.mails('edit-address', mailJobId(mail), 'wilma@correct.example');
    assert.equal(code, 0);
    const { receipt_email, metadata } = await support.stripe.paymentIntents.retrieve(intent.id);
    assert.deepEqual([receipt_email, metadata.email], ['wilma@correct.example', 'wilma@correct.example']);
    const corrected = await support.stripe.customers.list({ email: 'wilma@correct.example' });
    assert.equal(corrected.data.length, 1);
  });

  test('R5.4 corrects the address of a waiting mail, and of none that cannot have another', async (t) => {
    const support = await startSupport(t);
    await support.queue.add(received, notice);
    const id = mailJobId(received);
    const [same, office, invalid, unknown] = await Promise.all([
      support.mails('edit-address', id, 'WILMA@example.org'),
      support.mails('edit-address', mailJobId(notice), 'new@example.org'),
      support.mails('edit-address', id, 'wilma@'),
      support.mails('edit-address', 'welcome-pi_9', 'new@example.org'),
    ]);
    assert.match(same.err, /There is a mail to that address already/);
    assert.match(office.err, /goes to the office, whose address is OFFICE_EMAIL\.$/m);
    assert.match(invalid.err, /^A valid email is required\.$/m);
    assert.deepEqual(
      [same, office, invalid, unknown].map(({ code }) => code),
      [4, 4, 2, 3],
    );
    assert.equal((await support.mails('edit-address', id, 'new@example.org')).code, 0);
    assert.equal(await stateOf(support, mailJobId({ ...received, email: 'new@example.org' })), 'waiting');
    assert.equal(await stateOf(support, id), 'unknown');
  });
});
