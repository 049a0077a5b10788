import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type MailKind, mailJobId, type RegistrationMail } from '#server/mail/job.ts';
import { findAllDue } from '#server/testing/test-charges.ts';
import { failToSend, type Support, startSupport, stateOf } from '#server/testing/test-mailing.ts';

const UNKNOWN = { responseCode: 550, message: 'No such mailbox' };
const RIGHT = 'wilma@correct.example';

/** Support, and somebody who has registered; none of her mails is queued yet. */
async function startWithRegistration(t: TestContext) {
  const support = await startSupport(t);
  const { id, letters } = await support.begin();
  const mail = (kind: MailKind): RegistrationMail => {
    const found = letters.find((letter) => letter.kind === kind);
    assert.ok(found);
    return found;
  };
  const pay = () => support.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  return { ...support, id, received: mail('registration-received'), notice: mail('office-notice'), pay };
}

const addressees = ({ mailServer }: Support) => mailServer.parsed.map(({ to }) => to?.[0]?.address);

describe('support’s command line, sending again', () => {
  test('R5.4 sends a sent mail again as often as asked, to the same address', async (t) => {
    const support = await startWithRegistration(t);
    const { id, received } = support;
    await support.queue.add(received);
    await support.sendAll();
    for (const number of [1, 2]) {
      const { code, out } = await support.run('resend', id, 'registration-received', '--by', 'Anna');
      const again = `${mailJobId(received)}-again-${number}`;
      assert.deepEqual([code, out], [0, `${again} will be sent to wilma@example.org once more.\n`]);
      await support.sendAll();
      assert.match((await support.run('show', again)).out, /^Sent again by {2,}Anna$/m);
    }
    await support.run('resend', id, 'registration-received', '--by', 'Anna');
    const third = `${mailJobId(received)}-again-3`;
    assert.equal((await support.run('dismiss', third)).code, 0);
    const { out: fourth } = await support.run('resend', id, 'registration-received', '--by', 'Anna');
    assert.match(fourth, /-again-4 will be sent/, 'after a dismissed copy');
    await support.sendAll();
    const unnamed = await support.run('resend', id, 'registration-received');
    assert.equal(unnamed.code, 2);
    assert.match(unnamed.err, /--by NAME must say who/);
    assert.deepEqual(
      addressees(support),
      Array.from({ length: 4 }, () => 'wilma@example.org'),
    );
  });

  test('R5.4 does not resend a mail that does not exist, was not sent, or is outdated', async (t) => {
    const support = await startWithRegistration(t);
    const { id } = support;
    await failToSend(support, UNKNOWN, support.received);
    const [failed, otherKind, otherIntent] = await Promise.all([
      support.run('resend', id, 'registration-received', '--by', 'Anna'),
      support.run('resend', id, 'welcome', '--by', 'Anna'),
      support.run('resend', 'pi', 'registration-received', '--by', 'Anna'),
    ]);
    assert.equal(failed.code, 4);
    assert.match(failed.err, /has not been sent yet \(it is failed\)\.$/m);
    assert.deepEqual(otherKind, {
      code: 3,
      out: '',
      err: `There is no welcome mail to send for ${id}: it no longer applies, letters to her come back, or there is no such payment.\n`,
    });
    assert.equal(otherIntent.code, 2);
    await support.pay();
    assert.equal((await support.run('resend', id, 'office-notice', '--by', 'Anna')).code, 3);
    assert.equal((await support.run('resend', id, 'welcome', '--by', 'Anna')).code, 0);
  });

  test('R5.4 sends a failed mail to a corrected address, and removes the mail to the old one', async (t) => {
    const support = await startWithRegistration(t);
    const { received } = support;
    await failToSend(support, UNKNOWN, received);
    const old = mailJobId(received);
    const next = mailJobId({ ...received, email: RIGHT });
    const { code, out, err } = await support.run('edit', old, '--email', ` ${RIGHT} `, '--by', 'Anna');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, new RegExp(`^E-mail {2}wilma@example\\.org {2}→ {2}${RIGHT}$`, 'm'));
    assert.match(out, /^These mails are queued: .*\nRecorded for Anna\.$/m);
    assert.ok(out.includes(next), out);
    assert.equal(await stateOf(support, old), 'unknown');
    await support.sendAll();
    assert.deepEqual(addressees(support).sort(), ['office@retreat.example', RIGHT]);
  });

  test('R5.4 corrects an address to which the mail was accepted and bounced later, paid or not', async (t) => {
    const support = await startWithRegistration(t);
    const { id, received, notice } = support;
    await support.queue.add(received, notice);
    await support.sendAll();
    const { code } = await support.run('edit', mailJobId(received), '--email', RIGHT, '--by', 'Anna');
    assert.equal(code, 0);
    assert.equal((await support.stripe.paymentIntents.retrieve(id)).receipt_email, RIGHT);
    await support.sendAll();
    assert.deepEqual(addressees(support).slice(2).sort(), ['office@retreat.example', RIGHT]);
    assert.match(support.mailServer.parsed.map(({ subject }) => subject).join('\n'), /Changed details/);

    await support.pay();
    const paid = await support.run('edit', id, '--email', 'wilma@third.example', '--by', 'Anna');
    assert.match(paid.out, new RegExp(`welcome-${id}`));
    assert.doesNotMatch(paid.out, /registration-received|office-notice/);
    await support.sendAll();
    const letters = support.mailServer.parsed.slice(4);
    const subjects = letters.map(({ subject = '' }) => subject.split(' ')[0]);
    assert.deepEqual(subjects.sort(), ['Changed', 'Paid:', 'Welcome', 'Your']);
    const toOld = letters.filter(({ to }) => to?.[0]?.address === RIGHT);
    assert.deepEqual(
      toOld.map(({ subject = '' }) => subject.split(' ')[0]),
      ['Your'],
    );
  });

  test('R5.4 a correction is refused where there is nothing to correct', async (t) => {
    const support = await startWithRegistration(t);
    await support.queue.add(support.received);
    const id = mailJobId(support.received);
    const [same, invalid, unknownMail, unknownPayment] = await Promise.all([
      support.run('edit', id, '--email', 'WILMA@example.org', '--by', 'Anna'),
      support.run('edit', id, '--email', 'wilma@', '--by', 'Anna'),
      support.run('edit', 'welcome-pi_9', '--email', 'new@example.org', '--by', 'Anna'),
      support.run('edit', 'pi_9', '--email', 'new@example.org', '--by', 'Anna'),
    ]);
    assert.equal(same.code, 0);
    assert.match(invalid.err, /^A valid email is required\.$/m);
    assert.match(unknownPayment.err, /^There is no registration pi_9\.$/m);
    assert.deepEqual(
      [invalid, unknownMail, unknownPayment].map(({ code }) => code),
      [2, 3, 3],
    );
    assert.equal(await stateOf(support, id), 'waiting');
  });

  test('R5.4 a dismissed failed mail stays dismissed, but a corrected address gets it nevertheless', async (t) => {
    const support = await startWithRegistration(t);
    const { id, received, payments } = support;
    await failToSend(support, UNKNOWN, received);
    const { code, out } = await support.run('dismiss', mailJobId(received));
    assert.deepEqual([code, out], [0, `${mailJobId(received)} is dismissed: it will not be sent.\n`]);
    assert.equal(await stateOf(support, mailJobId(received)), 'unknown');
    const due = async () =>
      (await findAllDue(support, new Date())).flatMap(({ letters }) => letters.map(({ kind }) => kind));
    assert.deepEqual(await due(), ['office-notice']);
    await payments.correctDetails({ id }, { email: RIGHT }, 'Anna', new Date());
    assert.deepEqual(await due(), ['registration-received', 'office-notice']);
  });
});
