import assert from 'node:assert/strict';
import { WITH_PIXEL } from './run/measured-site.ts';
import { ONCE } from './run/outcome.ts';
import { test } from './run/test.ts';
import * as steps from './steps/registration.ts';

// With a pixel, so that other parts of the page use the store too.
test.use({ productEnv: WITH_PIXEL });

test.describe('R2.1 the registration that a tab keeps', () => {
  test('after a reload the registration continues where it was, with everything typed except the card', async ({
    site,
  }) => {
    const page = await site.open();
    await steps.choosePackage(page);
    await page.getByLabel('First name').fill('Wilma');
    await page.reload();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await page.getByLabel('First name').inputValue(), 'Wilma');

    await steps.giveContact(page, { ...steps.visitor, email: 'reload@example.org' });
    await steps.fillPayment(page, steps.testCards.succeeds);
    await page.reload();
    await steps.expectPaymentStep(page);
    const kept = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]));
    assert.equal(kept.match(/Santa Cruz/g)?.length, 1);
    assert.doesNotMatch(kept, /4242|123"|•|termsAgreement/);
    assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');
    assert.equal(await page.getByLabel('Credit or debit card number').inputValue(), '');
    assert.equal(await page.getByRole('checkbox').isChecked(), false);

    await steps.pay(page);
    await page.reload();
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments('reload@example.org'), ONCE);
    const shown = await page.evaluate(() => sessionStorage.getItem('registration') ?? '');
    assert.match(shown, /reload@example\.org/);
    assert.doesNotMatch(shown, /O’Hara|555-0142|Orchard/);
  });

  test('progress that another release stored, or that is corrupt, is ignored: the stepper starts over', async ({
    site,
  }) => {
    const page = await site.open();
    for (const kept of ['{"activeStep":2}', 'nonsense', '{"activeStep":9,"data":{"package":"x"}}']) {
      await page.evaluate((text) => sessionStorage.setItem('registration', text), kept);
      await page.reload();
      await steps.choosePackage(page);
    }
  });
});
