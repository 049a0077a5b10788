import assert from 'node:assert/strict';
import { join } from 'node:path';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { PHONE, type WatchedPage } from './run/browser.ts';
import { startProduct } from './run/product.ts';
import { copySources, replaceLine } from './run/project-copy.ts';
import { type Site, test } from './run/test.ts';
import { untilHydrated } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

const contact = { ...steps.visitor, email: 'journey@example.org' };

test.use({ visitor: { ...PHONE, reducedMotion: 'no-preference' } });

/** In development Redux warns if its own checks are slow, for example on a busy machine. */
const IN_DEVELOPMENT = { except: /more than the warning threshold/ };

/** Registers somebody, from the landing page to the completion view and two mails. */
async function register({ page, assertQuiet }: WatchedPage, site: Site): Promise<void> {
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
  await page.getByText(`on its way to ${contact.email}`).waitFor();

  for (const kind of ['registration-received', 'welcome']) await site.untilSent(kind, contact.email);
  const mails = await site.mailsTo(contact.email);
  assert.deepEqual(mails.map(({ subject }) => subject).sort(), [
    `We have your details for ${facts.title}`,
    `Welcome to ${facts.title}: your receipt and the schedule`,
  ]);
  const welcome = mails.find(({ subject }) => subject.startsWith('Welcome'));
  assert.match(welcome?.text ?? '', /Dear Wilma,/);
  assert.match(welcome?.text ?? '', /charged \$721 in US dollars/);
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
  assertQuiet(IN_DEVELOPMENT);
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

test.describe('npm run dev: a registration works end to end, and changes are shown', () => {
  test.describe.configure({ mode: 'serial' });

  const edition = join('shared/content/editions', facts.id);
  const untilStarted = async ({ product }: Site, times: number) => {
    for (const line of ['Listening {', 'Waiting for mails {']) await product.untilPrinted(line, times);
  };

  testDev(
    'R2.2 R4.2 R4.3 R5.1 R5.3 from the landing page to the completion view and two mails',
    async ({ site }) => {
      await register(await site.open(), site);
    },
  );

  testDev('changed texts of the edition are shown', async ({ site, project }) => {
    await replaceLine(join(project, edition, 'page.yaml'), /headline: .*/, 'headline: Words of today');
    await untilStarted(site, 2);
    const { page, assertQuiet } = await site.open();
    await page.getByRole('heading', { level: 1, name: 'Words of today' }).waitFor();
    assertQuiet(IN_DEVELOPMENT);
  });

  testDev(
    'changed colors of the edition show in the page and the browser’s frame',
    async ({ site, project }) => {
      const theme = join(project, edition, 'theme.yaml');
      await replaceLine(theme, /paper: \{ light: "#\w+"/, 'paper: { light: "#fbf6ee"');
      await untilStarted(site, 3);
      const { page, assertQuiet } = await site.open();
      await untilHydrated(page);
      const colors = await page.evaluate(() => [
        getComputedStyle(document.body).backgroundColor,
        document.querySelector('meta[name="theme-color"]')?.getAttribute('content'),
      ]);
      assert.deepEqual(colors, ['rgb(251, 246, 238)', '#fbf6ee']);
      assertQuiet(IN_DEVELOPMENT);
    },
  );

  testDev(
    'changed code reaches both server and browser, so that hydration still works',
    async ({ site, project }) => {
      await replaceLine(
        join(project, 'shared/content/registration.ts'),
        /select: '.*'/,
        "select: 'My place'",
      );
      await untilStarted(site, 4);
      const { page, assertQuiet } = await site.open();
      await page.locator('#register-stepper').scrollIntoViewIfNeeded();
      await untilHydrated(page, REGISTER_SECTION_ID);
      await page.getByRole('button', { name: 'My place' }).waitFor();
      assertQuiet(IN_DEVELOPMENT);
    },
  );
});
