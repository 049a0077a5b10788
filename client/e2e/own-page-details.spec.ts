import assert from 'node:assert/strict';
import { expectNoise, PHONE } from './run/browser.ts';
import { linkIn } from './run/outcome.ts';
import { test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/axe.ts';
import { openOwnPage, PROOF } from './steps/own-page.ts';

test.describe('she corrects her details on her page', () => {
  test.use({ visitor: PHONE });

  test('name and number, without scripts', async ({ site }) => {
    const { link } = await openOwnPage(site, 'corrects@example.org');
    const page = await site.openEmpty({ javaScriptEnabled: false });
    await page.goto(link);
    await page.getByRole('link', { name: 'Correct your name or phone' }).click();
    assert.equal(await page.getByLabel('Phone').inputValue(), '');
    await page.getByLabel(PROOF).fill('95060');
    await page.getByLabel('Last name').fill('Fuchs-Meyer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Thank you. Your details are saved.').waitFor();
    await page.getByText('Wilma Fuchs-Meyer').first().waitFor();
  });

  test('a new address is confirmed by a link sent there; the old one is notified, and its links stop working', async ({
    site,
  }) => {
    const [old, email] = ['old-address@example.org', 'new-address@example.org'];
    const { page, link } = await openOwnPage(site, old);
    await page.getByRole('link', { name: 'Change your e-mail address' }).click();
    await page.getByLabel('New e-mail address').fill(email);
    await page.getByLabel(PROOF).fill('95060');
    await page.getByRole('button', { name: 'Send the letter' }).click();
    await page.getByText('A letter is on its way to the new address.').waitFor();
    await page.getByText('Waiting for you to confirm n…@example.org').waitFor();
    const id = await site.intentIdOf(old);
    await site.untilSent('confirm-address', old);
    const confirming = linkIn(await site.mailsTo(email), '/place/');

    const plain = await site.openEmpty({ width: 320, height: 700 });
    await plain.goto(confirming);
    await assertAccessibleInBoth(plain, 'confirming an address');
    await plain.getByText(email).waitFor();
    await plain.getByRole('button', { name: 'Yes, write to me here' }).click();
    await plain.getByText('From now on we write to this address.').waitFor();
    await site.product.untilPrinted(`Mail sent {"job":"address-changed-${id}`, 1);
    assert.ok((await site.mailsTo(old)).some(({ subject }) => /address/i.test(subject)));
    expectNoise(plain, /status of 403/);
    const ended = await plain.goto(link);
    assert.equal(ended?.status(), 403);
    await plain.goto(confirming);
    await plain.getByText('all is done').waitFor();
    await plain.getByLabel('Your e-mail address').fill(email);
    await plain.getByRole('button', { name: 'Send me a new link' }).click();
    await site.product.untilPrinted(`Mail sent {"job":"place-link-${id}`, 1);
  });
});
