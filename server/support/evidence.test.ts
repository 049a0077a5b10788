import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { HERSELF } from '#server/record/acts.ts';
import { startSupport } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const BEGINS = new Date('2025-12-01T17:00:00Z');
const AGREED = new Date('2025-12-01T16:58:12.345Z');

/** A registration with its deposit paid, by default with the terms ticked. */
async function startPaid(t: TestContext, { consents = true } = {}) {
  const support = await startSupport(t, { startsAt: BEGINS });
  const { payments, stripe } = support;
  const { id, clientSecret } = await support.begin();
  const { version, digest } = edition.terms;
  if (consents) await payments.recordConsent(clientSecret, { version, digest, agreedAt: AGREED });
  await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  return {
    ...support,
    id,
    find: () => support.find(id),
    async print(): Promise<string> {
      const { code, out, err } = await support.run('evidence', id);
      assert.deepEqual([code, err], [0, '']);
      return out;
    },
  };
}

describe('evidence for a dispute', () => {
  test('contains who, what, the payments, and the exact text that she ticked', async (t) => {
    const { print, id, payments, stripe, sandbox, find, now } = await startPaid(t);
    sandbox.clock.moveTo(new Date('2025-12-10T17:00:00Z'));
    const { clientSecret } = await payments.payBalance(await find(), 72_625, now());
    const balance = clientSecret.split('_secret_')[0] ?? '';
    await stripe.paymentIntents.confirm(balance, { payment_method: 'pm_card_mastercard' });
    await payments.decide(await find(), 'refund', { at: now(), by: 'Anna', cents: 500, reason: 'x' });
    await payments.makeDueRefunds(id, now());
    const { latest_charge } = await stripe.paymentIntents.retrieve(id);
    sandbox.bank.openDispute(String(latest_charge), 'fraudulent');
    await payments.correctDetails({ id }, { email: 'new@example.org' }, HERSELF, now());

    const text = await print();
    for (const words of [
      /^Name: Wilma O’Hara$/m,
      /^E-mail: new@example\.org$/m,
      /^Until 2025-12-10 \S+ UTC her e-mail was wilma@example\.org; corrected by the registrant\.$/m,
      /^Deposit: \$721 on 2025-12-01 \S+ UTC with her Visa ending in 4242, payment pi_\w+$/m,
      /^Balance: \$726\.25 on 2025-12-10 \S+ UTC with her Mastercard ending in 4444, payment pi_\w+$/m,
      /^She has not cancelled\.$/m,
      /^Refund of the balance: \$5 on 2025-12-10 \S+ UTC, succeeded, re_\w+$/m,
      /^Dispute: The deposit: \$721 disputed on Dec 10, 2025, \S+ [AP]M PST as fraudulent, needs response \(du_\w+\)$/m,
      /version 4 of the policies, on 2025-12-01T16:58:12\.345Z by the clock of the site/,
      /^2025-12-10 \S+ UTC: corrected what was wilma@example\.org$/m,
      /^Whether she read a letter: a mail server took it, or did not\.$/m,
    ])
      assert.match(text, words);
    const lines = text.split('\n');
    for (const { title, paragraphs } of edition.terms.policies)
      for (const line of [title, ...paragraphs]) assert.ok(lines.includes(line), line);
    assert.ok(text.includes(edition.terms.digest));
    assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
  });

  test('says that a cancellation was undone, that all is waived, and nothing of her that the office or her bank did', async (t) => {
    const { print, payments, find, now, id, run, sandbox } = await startPaid(t);
    const at = now();
    const { id: card } = (await find()).card ?? assert.fail();
    sandbox.bank.renewCard(card, { last4: '1881', exp_month: 11, exp_year: 2031 });
    assert.ok(await payments.renewCard(card, new Date(at.getTime() + 1_000)));
    assert.equal((await run('look', id, '--by', 'Anna')).code, 0);
    await payments.decide(await find(), 'cancel', { at, by: HERSELF, writtenAt: at, onPage: true });
    await payments.decide(await find(), 'cancel', { at, by: 'Anna', withdrawn: true });
    await payments.decide(await find(), 'waived', { at, by: 'Anna', cents: 70_000 });
    const text = await print();
    assert.match(text, /^A cancellation was taken back on 2025-12-01 \S+ UTC, by Anna\.$/m);
    assert.match(text, /^Balance: waived$/m);
    assert.doesNotMatch(text, /She has not cancelled|not paid/);
    assert.match(text, /WHAT SHE DID ON HER OWN PAGE\nNothing is on record\./);
  });

  test('says what happened to each letter, and if no consent to the terms is recorded', async (t) => {
    const support = await startPaid(t, { consents: false });
    const { print, payments, id, mailQueue, log, now } = support;
    const welcome = await payments.findMail(id, 'welcome', now());
    assert.ok(welcome);
    await support.failToSend({ responseCode: 550, message: 'No such mailbox' }, welcome);
    assert.match(
      await print(),
      /^welcome to wilma@example\.org: it could not be delivered: .*No such mailbox/m,
    );
    await payments.correctDetails({ id }, { email: 'right@example.org' }, 'Anna', now());
    const again = await payments.findMail(id, 'welcome', now());
    assert.ok(again);
    const worker = support.startHastyWorker();
    await mailQueue.add(again);
    await log.until('Mail sent');
    await worker.close();
    const text = await print();
    assert.match(text, /^welcome to right@example\.org: a mail server took it on 20\d\d-/m);
    assert.match(text, /^No letter is on record that announced a charge of the balance\.$/m);
    assert.match(text, /^It is not on record that she agreed to the terms: this cannot be proven/m);
    assert.match(text, /^Nothing is on record\.$/m);
  });
});
