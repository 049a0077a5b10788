import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { DESKTOP, type PageOptions, PHONE } from './run/browser.ts';
import { linkIn } from './run/outcome.ts';
import { type Product, startProduct } from './run/product.ts';
import { copySources, replaceLine } from './run/project-copy.ts';
import { test as base, type Site } from './run/test.ts';
import { assertAccessible } from './steps/axe.ts';
import { look, signIn } from './steps/office.ts';
import * as steps from './steps/registration.ts';

/** `test` with a product that has one place. */
const test = base.extend({
  product: [
    async ({ workerScope }, use) => {
      const project = await copySources(workerScope);
      const edition = join(project, 'shared/content/editions/january-2026/edition.yaml');
      await replaceLine(edition, /^siteName:/m, 'places: 1\nsiteName:');
      const product = await startProduct('start', { EDITION_UNDER_TEST: 'january-2026' }, project);
      workerScope.after(product.end);
      await use(product);
    },
    { scope: 'worker' },
  ],
  visitor: PHONE,
});

test('a full retreat: waiting list, offer, paid place, and two ways off the list', {
  tag: '@journey',
}, async ({ site }) => {
  const { product } = site;

  await test.step('the only place is taken', async () => {
    const { page } = await site.open();
    await steps.choosePackage(page);
    await steps.giveContact(page, { ...steps.visitor, email: 'first-in@example.org' });
    await steps.payWith(page, steps.testCards.succeeds);
    await page.getByText('Your transaction has been completed').waitFor();
    await untilFull(product);
  });

  await test.step('somebody joins on her phone, is offered a place, and pays', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, assertQuiet } = await site.open({ colorScheme });
      await page.getByRole('heading', { name: 'Every place is taken' }).waitFor();
      await comeNear(page);
      await assertAccessible(page, `waiting list, ${colorScheme}`, '#register-stepper');
      assertQuiet();
    }
    const { page, assertQuiet } = await site.open();
    await joinAs(page, 'waits@example.org', assertAccessible);
    const received = await letter(site, 'waiting-received', 'waits@example.org', /waiting list/);
    assert.match(received.text, /48 hours/);
    await letter(site, 'office-waiting', 'office@retreat.example', /On the waiting list: Wilma O’Hara/);

    const office = await openAt(site, officeUrl(product), DESKTOP);
    await signIn(office.page, 'office');
    await office.page.getByRole('link', { name: 'Waiting list' }).click();
    await office.page.getByText('waits@example.org').waitFor();
    await look(office.page, 'the waiting list');
    await office.page.getByRole('link', { name: 'Offer a place, also without a free one' }).click();
    await office.page.getByText('A place is kept for her until').waitFor();
    await look(office.page, 'an offer, shown before');
    await office.page.getByRole('button', { name: 'Offer a place all the same' }).click();
    await office.page.getByRole('heading', { name: 'Done' }).waitFor();
    office.assertQuiet();
    assert.match(product.output(), /"audit":"waiting-offer-without-place".*"waiting":"cus_/);

    const offered = await letter(site, 'place-offered', 'waits@example.org', /A place is free for you/);
    const link = linkIn([offered], '/offer/');
    await page.goto(link);
    assert.match(page.url(), /\/offer#register-stepper$/);
    await steps.choosePackage(page);
    await steps.giveContact(page, { ...steps.visitor, email: 'waits@example.org' });
    await steps.payWith(page, steps.testCards.succeeds);
    await page.getByText('Your transaction has been completed').waitFor();
    assertQuiet();
    await letter(site, 'welcome', 'waits@example.org', /Welcome to/);

    const again = await openAt(site, link);
    await again.page.getByRole('heading', { name: 'This offer has been used' }).waitFor();
    await assertAccessible(again.page, 'a used offer');
    assert.doesNotMatch(product.output(), /w1\.cus_/);
  });

  await test.step('two others leave: on the linked page, and by the mail client’s unsubscribe', async () => {
    const mails = [];
    for (const email of ['carla@example.org', 'dora@example.org']) {
      const { page } = await site.open();
      await joinAs(page, email);
      mails.push(await letter(site, 'waiting-received', email, /waiting list/));
    }
    const [carla, dora] = mails;
    assert.ok(carla && dora);
    const { page, assertQuiet } = await openAt(site, linkIn([carla], '/waiting/'), {
      colorScheme: 'dark',
    });
    await assertAccessible(page, 'leaving');
    await page.getByRole('button', { name: 'Take me off the list' }).click();
    await page.getByRole('heading', { name: 'You are off the waiting list' }).waitFor();
    await assertAccessible(page, 'left');
    assertQuiet();

    const source = await fetch(`${product.mailboxUrl}/api/email/${dora.id}/source`);
    const head = (await source.text()).replaceAll(/\r?\n[ \t]+/g, ' ');
    const [, url = ''] = /^List-Unsubscribe: <([^>]+)>\r?$/m.exec(head) ?? [];
    const [, press = ''] = /^List-Unsubscribe-Post: (.*?)\r?$/m.exec(head) ?? [];
    assert.equal(press, 'List-Unsubscribe=One-Click');
    const body = new URLSearchParams([press.split('=')]);
    const answer = await fetch(url, { method: 'POST', body });
    assert.equal(answer.status, 200);
    const office = await openAt(site, officeUrl(product), DESKTOP);
    await signIn(office.page, 'office');
    await office.page.getByRole('link', { name: 'Waiting list' }).click();
    await office.page.getByText('Nobody waits.').waitFor();
  });
});

async function openAt(site: Site, url: string, options?: Partial<PageOptions>) {
  const watched = await site.openEmpty(options);
  await watched.page.goto(url);
  return watched;
}

/** Waits until the page says that the retreat is full: it uses a count that is some seconds old. */
async function untilFull({ siteUrl }: Product): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await (await fetch(siteUrl)).text()).includes('"isFull":true'))
    assert.ok(Date.now() < deadline, 'The page is not full');
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
  await page.getByRole('heading', { name: 'You are on the waiting list.' }).waitFor();
  await check(page, 'joined', '#register-stepper');
}

/** Reads a letter from the mailbox, once the worker has logged that it was sent. */
async function letter({ product, mailsTo }: Site, kind: string, to: string, subject: RegExp) {
  await product.untilPrinted(`Mail sent {"job":"${kind}-`, 1);
  const deadline = Date.now() + 120_000;
  for (;;) {
    const mails = await mailsTo(to);
    const found = mails.find((mail) => subject.test(mail.subject));
    if (found) return found;
    assert.ok(Date.now() < deadline, mails.map((mail) => mail.subject).join('\n'));
  }
}

function officeUrl(product: Product): string {
  const [url] = /http:\/\/\S+\/office\b/.exec(product.output()) ?? [];
  assert.ok(url, product.output());
  return url;
}
