import assert from 'node:assert/strict';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { startProduct } from './run/product.ts';
import { copySources, replaceLine } from './run/project-copy.ts';
import { type Site, test } from './run/test.ts';
import { untilHydrated } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

const contact = { ...steps.visitor, email: 'journey@example.org' };

test.use({ visitor: { ...PHONE, reducedMotion: 'no-preference' } });

/** Registers somebody, from the landing page to the completion view and two mails. */
async function register(page: Page, site: Site): Promise<void> {
  await steps.choosePackage(page);
  await steps.giveContact(page, contact);
  await steps.typeCard(page, steps.testCards.succeeds);
  await steps.giveBillingDetails(page);
  const confirmed = page.waitForRequest('**/confirm');
  await steps.finish(page);
  const confirmation = new URLSearchParams((await confirmed).postData() ?? '');
  assert.equal(confirmation.get('receipt_email'), contact.email);
  assert.equal(confirmation.get('setup_future_usage'), 'off_session');
  await steps.expectCompletion(page);
  await page.getByText(`on its way to ${contact.email} Change`).waitFor();

  for (const kind of ['registration-received', 'welcome']) await site.untilSent(kind, contact.email);
  const mails = await site.mailsTo(contact.email);
  assert.deepEqual(mails.map(({ subject }) => subject).sort(), [
    `Welcome to ${facts.title}: your receipt and the schedule`,
    `Your details have arrived: ${facts.title}`,
  ]);
  const welcome = mails.find(({ subject }) => subject.startsWith('Welcome'));
  assert.match(welcome?.text ?? '', /Dear Wilma,/);
  assert.match(welcome?.text ?? '', /^Deposit: \$721, the card fee of \$26 included, Visa/m);
  const { paymentIntents, paymentMethods } = site.stripe;
  const intent = await paymentIntents.retrieve(await site.intentIdOf(contact.email));
  const { status, amount, receipt_email, setup_future_usage, payment_method } = intent;
  assert.deepEqual(
    { status, amount, receipt_email, setup_future_usage },
    { status: 'succeeded', amount: 72_100, receipt_email: contact.email, setup_future_usage: 'off_session' },
  );
  const { name, email, phone, address } = (await paymentMethods.retrieve(String(payment_method)))
    .billing_details;
  assert.deepEqual([name, email, phone], ['Wilma O’Hara', contact.email, contact.phoneNumber]);
  assert.deepEqual(address, steps.billingAddress);
}

test.describe('npm start: a registration works end to end', () => {
  test('R2.2 R4.2 R4.3 R5.1 R5.3 from the landing page to the completion view and two mails', {
    tag: '@journey',
  }, async ({ site }) => {
    await register(await site.open(), site);
  });
});

const testDev = test.extend<object, { project: string }>({
  project: [async ({ workerScope }, use) => use(await copySources(workerScope)), { scope: 'worker' }],
  product: [
    async ({ project, workerScope }, use) => {
      const product = await startProduct('dev', {}, project);
      workerScope.after(product.end);
      await use(product);
    },
    { scope: 'worker' },
  ],
});

const edition = join('shared/content/editions', facts.id);
/** What is changed while `npm run dev` runs, and how the page shows it. */
const CHANGES = [
  {
    what: 'a text of the edition',
    file: join(edition, 'page.yaml'),
    line: /headline: .*/,
    by: 'headline: Words of today',
    expectShown: (page: Page) => page.getByRole('heading', { level: 1, name: 'Words of today' }).waitFor(),
  },
  {
    what: 'a colour of the edition, also in the browser’s frame',
    file: join(edition, 'theme.yaml'),
    line: /paper: \{ light: "#\w+"/,
    by: 'paper: { light: "#fbf6ee"',
    async expectShown(page: Page) {
      await untilHydrated(page);
      await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(251, 246, 238)');
      await expect(page.locator('meta[name="theme-color"]').first()).toHaveAttribute('content', '#fbf6ee');
    },
  },
  {
    what: 'code of both server and browser, so that hydration still works',
    file: 'shared/content/registration.ts',
    line: /select: '.*'/,
    by: "select: 'My place'",
    async expectShown(page: Page) {
      await page.locator('#register-stepper').scrollIntoViewIfNeeded();
      await untilHydrated(page, REGISTER_SECTION_ID);
      await page.getByRole('button', { name: 'My place' }).waitFor();
    },
  },
];

testDev('npm run dev: a registration works end to end, and changes are shown', async ({ site, project }) => {
  const open = async () => {
    const page = await site.open();
    // In development Redux warns if its own checks are slow, for example on a busy machine.
    expectNoise(page, /more than the warning threshold/);
    return page;
  };
  await register(await open(), site);
  for (const [index, { what, file, line, by, expectShown }] of CHANGES.entries())
    await testDev.step(what, async () => {
      await replaceLine(join(project, file), line, by);
      for (const started of ['Listening {', 'Waiting for mails {'])
        await site.product.untilPrinted(started, index + 2);
      await expectShown(await open());
    });
});
