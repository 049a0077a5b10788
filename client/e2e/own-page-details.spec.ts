import assert from 'node:assert/strict';
import { DESKTOP, expectNoise, PHONE } from './run/browser.ts';
import { linkIn } from './run/outcome.ts';
import { test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/axe.ts';
import { signIn } from './steps/office.ts';
import { openOwnPage, PROOF, typeNewCard } from './steps/own-page.ts';

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

  test('her place is handed over to her sister: both agree by link, and the page, the card and the letters are the sister’s', async ({
    site,
    product,
  }) => {
    const [first, second] = ['hands-over@example.org', 'sister@example.org'];
    const { page, link } = await openOwnPage(site, first);
    const id = await site.intentIdOf(first);
    const office = await site.openEmpty(DESKTOP);
    await office.goto(`${product.opsUrl}/office/registrations/${id}/hand-over`);
    await signIn(office, 'office');
    await office.getByLabel('First name of who gets it').fill('Mary');
    await office.getByLabel('Last name of who gets it').fill('Fuchs');
    await office.getByLabel('Her own e-mail').fill(second);
    await office.getByLabel('Her phone').fill('+1 555 555 0177');
    await office.getByRole('button', { name: 'Show what will happen' }).click();
    await office.getByRole('button', { name: 'Ask her to hand her place over to Mary Fuchs' }).click();
    await office.getByText('Her place is to be handed over to Mary Fuchs').waitFor();

    await site.untilSent('hand-over-asked', first);
    await page.reload();
    await page.getByRole('link', { name: 'See what it means, and agree' }).click();
    await assertAccessibleInBoth(page, 'handing a place over');
    await page.getByLabel(PROOF).fill('95060');
    await page.getByRole('button', { name: 'Yes, hand my place over' }).click();
    await page.getByText('A letter with the link to your place is on its way').waitFor();
    await site.untilSent('hand-over-offered', first);

    const taking = await site.openEmpty();
    await taking.goto(linkIn(await site.mailsTo(second), '/place/'));
    assert.equal(taking.url(), `${product.siteUrl}/place/take`);
    const accept = taking.getByRole('button', { name: 'Accept the place' });
    await accept.waitFor();
    await assertAccessibleInBoth(taking, 'accepting a place');
    await typeNewCard(taking, 'take', '5555 5555 5555 4444');
    await accept.click();
    assert.equal(await taking.getByLabel('I have read the policies above').isChecked(), false);
    await taking.getByLabel('I have read the policies above').check();
    await accept.click();
    await taking.getByText('Welcome. The place is yours').waitFor();
    await taking.getByRole('heading', { name: 'Your place, Mary' }).waitFor();
    await taking.getByText('Mastercard ending in 4444').first().waitFor();
    await product.untilPrinted(`Mail sent {"job":"handed-away-${id}`, 1);
    await product.untilPrinted(`Mail sent {"job":"handed-over-${id}`, 1);
    expectNoise(page, /status of 403/);
    assert.equal((await page.goto(link))?.status(), 403);
    await office.goto(`${product.opsUrl}/office?search=Fuchs`);
  });
});
