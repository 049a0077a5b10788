import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { buildWithPlaces } from '#server/testing/processes.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { DESKTOP, expectNoise, type PageOptions, PHONE } from './run/browser.ts';
import { linkIn } from './run/outcome.ts';
import { startProduct } from './run/product.ts';
import { test as base, type Site } from './run/test.ts';
import { assertAccessible, assertAccessibleInBoth } from './steps/looks.ts';
import { signIn } from './steps/office.ts';
import { enterCard } from './steps/own-page.ts';
import * as steps from './steps/registration.ts';

/** `test` with a product that has one place. */
const test = base.extend({
  product: [
    async ({ workerScope }, use) => {
      const product = await startProduct('start', { BUILD_FOLDER: await buildWithPlaces(workerScope, 1) });
      workerScope.after(product.end);
      await use(product);
    },
    { scope: 'worker' },
  ],
  visitor: PHONE,
});

test('a full retreat: the last place, waiting list, offer, paid place, and the way off the list', async ({
  site,
}) => {
  const { product } = site;
  const full = (page: Page) => page.getByRole('heading', { name: registrationCopy.full.title });
  const expectNothingCharged = (page: Page) =>
    page.locator('#register-stepper').getByText('Nothing was charged').first().waitFor();

  await test.step('who had begun reads that it is full; who holds the only place goes on and pays', async () => {
    const second = await site.open();
    await steps.choosePackage(second);
    const page = await site.open();
    await steps.walkToPayment(page, 'first-in@example.org');
    expectNoise(second, /status of 409/);
    await steps.fillContact(second, { ...steps.visitor, email: 'second-in@example.org' });
    await second.getByRole('button', { name: 'Next' }).click();
    await full(second).waitFor();
    await expectNothingCharged(second);
    assert.ok(await second.evaluate(() => document.activeElement?.closest('#register-stepper') !== null));

    await page.reload();
    await steps.expectPaymentStep(page);
    await steps.payWith(page, steps.testCards.succeeds);
    await page.getByText('Your transaction has been completed').waitFor();
    // The page uses a count that is some seconds old.
    await expect.poll(async () => (await fetch(product.siteUrl)).text()).toContain('"isFull":true');
  });

  await test.step('a new visitor reads so from the start, joins on her phone, is offered a place, and pays', async () => {
    const page = await site.open();
    await full(page).waitFor();
    assert.equal(await page.getByText('EARLY BIRD RATE').count(), 0);
    await comeNear(page);
    assert.equal(await page.getByText('while you were registering').count(), 0);
    await assertAccessibleInBoth(page, 'waiting list', '#register-stepper');
    await joinAs(page, 'waits@example.org', assertAccessible);
    const received = await letter(site, 'waits@example.org', /waiting list/);
    assert.match(received.text, /48 hours/);
    const confirming = await openAt(site, linkIn([received], '/waiting/'));
    await assertAccessible(confirming, 'confirming');
    await confirming.getByRole('button', { name: 'Put me on the waiting list' }).click();
    await confirming.getByRole('heading', { name: 'You are on the waiting list' }).waitFor();
    await assertAccessible(confirming, 'confirmed');
    await letter(site, 'office@retreat.example', /On the waiting list: Wilma O’Hara/);

    const office = await openWaiting(site);
    await office.getByText('waits@example.org').waitFor();
    await assertAccessible(office, 'the waiting list');
    await office.getByRole('link', { name: 'Offer a place' }).click();
    await office.getByLabel('Also where none is free').check();
    await office.getByRole('button', { name: 'Show what will happen' }).click();
    await office.getByText('A place is kept for her until').waitFor();
    await assertAccessible(office, 'an offer, shown before');
    await office.getByRole('button', { name: 'Offer a place' }).click();
    await office.getByRole('heading', { name: 'Done' }).waitFor();
    assert.match(product.output(), /"audit":"offer".*"waiting":"waiting_/);

    const offered = await letter(site, 'waits@example.org', /A place is free for you/);
    const link = linkIn([offered], '/offer/');
    const taking = await openAt(site, link, PHONE);
    await assertAccessibleInBoth(taking, 'an offer');
    await taking.getByLabel('I have read the policies').check();
    await taking.getByRole('button', { name: 'Take the place' }).click();
    await taking.waitForURL('**/place');
    await taking.getByRole('link', { name: 'Give a card, then pay $721' }).click();
    await taking.getByLabel('Last four digits').fill('0142');
    await taking.getByRole('button', { name: 'Enter the card at Stripe' }).click();
    await enterCard(taking, steps.testCards.succeeds);
    await taking.getByText('Your new card is stored.').waitFor();
    assert.equal((await site.countPayments('waits@example.org')).paid, 0);
    await taking.getByRole('link', { name: 'Pay $721 now' }).click();
    await taking.getByLabel('Last four digits').fill('0142');
    await taking.getByRole('button', { name: 'Pay $721', exact: true }).click();
    await taking.getByText('Your payment has arrived').waitFor();
    await letter(site, 'waits@example.org', /Welcome to/);

    const again = await openAt(site, link);
    expectNoise(again, /status of 410/);
    await again.getByRole('heading', { name: 'This offer has been used' }).waitFor();
    await assertAccessible(again, 'a used offer');
    assert.doesNotMatch(product.output(), /v1\.waiting_/);
  });

  await test.step('another leaves on the linked page', async () => {
    const joins = await site.open();
    await joinAs(joins, 'carla@example.org');
    const received = await letter(site, 'carla@example.org', /waiting list/);
    const page = await openAt(site, linkIn([received], '.leave.'), { colorScheme: 'dark' });
    await assertAccessible(page, 'leaving');
    await page.getByRole('button', { name: 'Take me off the list' }).click();
    await page.getByRole('heading', { name: 'You are off the waiting list' }).waitFor();
    await assertAccessible(page, 'left');
    const office = await openWaiting(site);
    await office.getByText('Nobody waits.').waitFor();
  });
});

async function openAt(site: Site, url: string, options?: Partial<PageOptions>): Promise<Page> {
  const page = await site.openEmpty(options);
  await page.goto(url);
  return page;
}

/** Opens the office's waiting list. */
async function openWaiting(site: Site): Promise<Page> {
  const [url] = /http:\/\/\S+\/office\b/.exec(site.product.output()) ?? [];
  assert.ok(url, site.product.output());
  const page = await openAt(site, url, DESKTOP);
  await signIn(page, 'office');
  await page.getByRole('link', { name: 'Waiting list' }).click();
  return page;
}

/** Scrolls to the form, which loads once she is near. */
async function comeNear(page: Page): Promise<void> {
  await page.locator('#register-stepper').scrollIntoViewIfNeeded();
  await page.getByRole('heading', { name: 'Join the waiting list' }).scrollIntoViewIfNeeded();
}

async function joinAs(
  page: Page,
  email: string,
  check: (page: Page, state: string, part: string) => Promise<void> = async () => {},
): Promise<void> {
  await comeNear(page);
  await page.getByRole('button', { name: 'Join the waiting list' }).click();
  await page.getByText('First name is required').waitFor();
  await check(page, 'the form with errors', '#register-stepper');
  await steps.fillContact(page, { ...steps.visitor, email });
  await page.getByRole('button', { name: 'Join the waiting list' }).click();
  await page.getByRole('heading', { name: 'One more step and you’re on the waiting list.' }).waitFor();
  await check(page, 'joined', '#register-stepper');
}

/** Waits for a letter in the mailbox. */
async function letter({ mailsTo }: Site, to: string, subject: RegExp) {
  const find = async () => (await mailsTo(to)).find((mail) => subject.test(mail.subject));
  await expect.poll(find).toBeDefined();
  return (await find()) ?? assert.fail();
}
