import assert from 'node:assert/strict';
import { DESKTOP, expectNoise, PHONE } from './run/browser.ts';
import { linkIn } from './run/outcome.ts';
import { test } from './run/test.ts';
import { assertAccessible, assertAccessibleInBoth } from './steps/looks.ts';
import { signIn } from './steps/office.ts';
import { openOwnPage, PROOF, typeNewCard } from './steps/own-page.ts';

const [OLD, NEW] = ['dead-address@example.org', 'living-address@example.org'];

test.use({ visitor: PHONE });

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
  await page.getByText('An e-mail with the link to your place is on its way').waitFor();
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
  await office.getByRole('link', { name: 'Mary Fuchs' }).waitFor();
});

test('letters to her bounce: her page says so, and what that means for the charge; a new address solves both', async ({
  site,
  product,
}) => {
  const { page, link } = await openOwnPage(site, OLD);
  assert.equal(await page.getByText('Our e-mail does not reach you').count(), 0);
  await page.getByText(/is charged to your .* on/).waitFor();

  const provider = await site.openEmpty();
  await provider.goto(product.bouncesUrl);
  const welcome = provider.getByRole('row').filter({ hasText: OLD }).filter({ hasText: 'Welcome' });
  await welcome.getByRole('button', { name: 'Bounce' }).click();
  await provider.getByText('answered 200').waitFor();
  await product.untilPrinted('"kind":"welcome","type":"bounce"', 1);

  await page.goto(link);
  await page.getByRole('heading', { name: 'Our e-mail does not reach you' }).waitFor();
  await page.getByText(`A message that we sent to ${OLD} came back`).waitFor();
  await page.getByText('Until then nothing is charged to your card automatically').waitFor();
  await page.getByText('Nothing is charged automatically.').waitFor();
  await assertAccessible(page, 'a page of somebody whom no letter reaches');

  await page
    .getByRole('region', { name: 'Our e-mail does not reach you' })
    .getByRole('link', { name: 'Change your e-mail address' })
    .click();
  await page.getByLabel('New e-mail address').fill(NEW);
  await page.getByLabel(PROOF).fill('95060');
  await page.getByRole('button', { name: 'Send the link' }).click();
  const id = await site.intentIdOf(OLD);
  await site.untilSent('confirm-address', OLD);
  await page.goto(linkIn(await site.mailsTo(NEW), '/place/'));
  await assertAccessibleInBoth(page, 'confirming an address');
  await page.getByRole('button', { name: 'Yes, write to me here' }).click();
  await page.getByText('From now on we write to this address.').waitFor();

  // The letter that bounced is sent to the new address.
  await product.untilPrinted(`Mail sent {"job":"welcome-${id}`, 2);
  const welcomes = (await site.mailsTo(NEW)).filter(({ subject }) => subject.startsWith('Welcome'));
  await page.goto(linkIn(welcomes, '/place/'));
  await page.getByText(/is charged to your .* on/).waitFor();
  assert.equal(await page.getByText('Our e-mail does not reach you').count(), 0);
});
