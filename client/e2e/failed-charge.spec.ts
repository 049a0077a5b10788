import assert from 'node:assert/strict';
import { PHONE } from './run/browser.ts';
import { type Site, test } from './run/test.ts';
import { assertAccessible } from './steps/axe.ts';
import { goToMoment, openAct, openOwnPage, typeNewCard } from './steps/place.ts';
import { testCards } from './steps/registration.ts';

const DEPOSIT = 72_100;
const BALANCE = 72_625;

/** Requires 3-D Secure for every charge, also when the cardholder is not present. */
const ASKS_ALWAYS = '4000 0027 6000 3184';
/** Can be stored; each charge is declined. */
const DECLINES_LATER = '4000 0000 0000 0341';

// Not the shared product: the test moves its clock.
test.use({ productEnv: {}, visitor: PHONE });

test.describe('a charge that fails on the due day', () => {
  /** Registers somebody, and then replaces her card on file. */
  async function openWithCard(site: Site, email: string, cardNumber: string) {
    const watched = await openOwnPage(site, email);
    await openAct(watched.page, 'Change the card');
    await watched.page.getByLabel('Postal code of the card that paid your deposit').fill('95060');
    await typeNewCard(watched.page, 'card', cardNumber);
    await watched.page.getByRole('button', { name: 'Store this card' }).click();
    await watched.page.getByText('Your new card is stored.').waitFor();
    return watched;
  }

  test('her page says why it failed and what to do; what she then pays is charged once', async ({ site }) => {
    const [declined, asked] = ['declined-later@example.org', 'asked-later@example.org'];
    const { page } = await openWithCard(site, declined, DECLINES_LATER);
    const { page: askedPage } = await openOwnPage(site, asked, { card: ASKS_ALWAYS, authenticates: true });
    const { page: sandbox } = await site.openEmpty();
    await sandbox.goto(site.product.sandboxUrl);
    await goToMoment(sandbox, 'the balance is announced');
    await site.product.untilPrinted('Mail sent {"job":"balance-notice-', 2);
    await goToMoment(sandbox, 'the balance is charged');
    for (const email of [declined, asked]) {
      await site.untilSent('balance-failed', email);
      const mails = await site.mailsTo(email);
      assert.equal(mails.filter(({ subject }) => subject.includes('could not be charged')).length, 1);
    }

    await page.reload();
    await page.getByRole('heading', { name: 'The balance could not be charged yet' }).waitFor();
    await page.getByText('It is tried again on').waitFor();
    await assertAccessible(page, 'a declined charge');
    await openAct(page, 'Pay $726.25 now');
    await page.getByRole('button', { name: 'Pay $726.25', exact: true }).click();
    await page.getByRole('alert').getByText('Nothing was charged.').waitFor();
    await page.getByLabel('Another card').check();
    await typeNewCard(page, 'pay', testCards.succeeds);
    await page.getByRole('button', { name: 'Pay $726.25', exact: true }).click();
    await page.getByText('Your payment has arrived.').waitFor();
    assert.deepEqual(await site.chargesOf(declined), [DEPOSIT, -BALANCE, -BALANCE, BALANCE]);

    await askedPage.reload();
    await askedPage.getByRole('heading', { name: 'The balance needs you' }).waitFor();
    await askedPage.getByText('Your bank wants you to confirm this payment yourself.').waitFor();
    // The form is open already, because she has to pay.
    await askedPage.getByRole('button', { name: 'Pay $726.25', exact: true }).click();
    await askedPage.getByRole('button', { name: 'Complete authentication' }).click();
    await askedPage.getByText('Your payment has arrived.').waitFor();
    const charges = await site.chargesOf(asked);
    assert.deepEqual(
      charges.filter((cents) => cents > 0),
      [DEPOSIT, BALANCE],
    );
  });
});
