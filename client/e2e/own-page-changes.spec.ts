import assert from 'node:assert/strict';
import { sampleMailEvents } from '#scripts/product/environment.ts';
import { tellMailEvent } from '#scripts/product/mail-server.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { PHONE } from './run/browser.ts';
import { linkIn } from './run/outcome.ts';
import { test } from './run/test.ts';
import { assertAccessible, assertAccessibleInBoth } from './steps/looks.ts';
import { openOwnPage, PROOF } from './steps/own-page.ts';

const [OLD, NEW] = ['dead-address@example.org', 'living-address@example.org'];

test.use({ visitor: PHONE });

test('letters to her bounce: her page says so, and what that means for the charge; a new address solves both', async ({
  site,
  product,
}) => {
  const { page, link } = await openOwnPage(site, OLD);
  assert.equal(await page.getByText('Our e-mail does not reach you').count(), 0);
  await page.getByText(/is charged to your .* on/).waitFor();

  const bounced = { type: 'email.bounced', address: OLD, at: new Date(edition.tryOutFrom) };
  const told = await tellMailEvent(product.siteUrl, sampleMailEvents.MAIL_EVENTS_SECRET, bounced);
  assert.equal(told.status, 200);
  await product.untilPrinted('A letter came back, or was marked as spam', 1);

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
  const id = await site.registrationOf(OLD);
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
