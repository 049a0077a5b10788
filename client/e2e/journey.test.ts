import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { PHONE } from './run/browser.ts';
import { readMailsTo } from './run/mailbox.ts';
import { intentIdOf, onlyPaidIntent } from './run/payments.ts';
import { runProduct } from './run/run-product.ts';
import {
  billingAddress,
  choosePackage,
  expectCompletion,
  finish,
  giveBillingDetails,
  giveContact,
  testCards,
  typeCard,
  visitor,
} from './steps/registration.ts';

for (const command of ['start', 'dev'] as const) {
  describe(`npm run ${command}: a registration travels end to end`, () => {
    const run = runProduct({ command, visitor: { ...PHONE, reducedMotion: 'no-preference' } });

    test('R2.2 R4.2 R4.3 R5.1 R5.3 from the landing page to the completion view and two mails', async (t) => {
      const { page, assertQuiet } = await run.openSite(t);
      await choosePackage(page);
      await giveContact(page);
      await typeCard(page, testCards.succeeds);
      await giveBillingDetails(page);
      const confirmed = page.waitForRequest('**/confirm');
      await finish(page);
      const confirmation = new URLSearchParams((await confirmed).postData() ?? '');
      assert.equal(confirmation.get('receipt_email'), visitor.email);
      assert.equal(confirmation.get('setup_future_usage'), 'off_session');
      await expectCompletion(page);
      await page.getByText(`on its way to ${visitor.email}`).waitFor();

      const intentId = await intentIdOf(visitor.email, run.product.sandboxUrl);
      for (const kind of ['registration-received', 'welcome'])
        await run.product.untilPrinted(`Mail sent {"job":"${kind}-${intentId}`, 1);
      const mails = await readMailsTo(visitor.email, run.product.mailboxUrl);
      assert.deepEqual(mails.map(({ subject }) => subject).sort(), [
        `We have your details for ${facts.title}`,
        `Welcome to ${facts.title}: your receipt and the schedule`,
      ]);
      const welcome = mails.find(({ subject }) => subject.startsWith('Welcome'));
      assert.match(welcome?.text ?? '', /Dear Wilma,/);
      assert.match(welcome?.text ?? '', /charged \$721 in US dollars/);
      const intent = await onlyPaidIntent(run.product.sandboxUrl);
      assert.deepEqual(intent, {
        amount: 72_100,
        receipt_email: visitor.email,
        setup_future_usage: 'off_session',
        billing_details: {
          name: `${visitor.firstName} ${visitor.lastName}`,
          email: visitor.email,
          phone: visitor.phoneNumber,
          address: billingAddress,
        },
      });
      // In development Redux says when its own checks were slow, as on a busy machine.
      assertQuiet({ except: /more than the warning threshold/ });
    });
  });
}
