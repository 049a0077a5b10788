import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { CREATE_PAYMENT_PATH, messages, REGISTER_AWAY } from '#shared/registration.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { holdBack, PAGE_SCRIPT, untilHydrated } from './steps/loading.ts';
import { billingAddress, testCards, typeCard, visitor } from './steps/registration.ts';

/** React reports that the island's text is not the server's, and renders it again. */
const REBUILT = /React error #418/;

test.describe('something changed the text of the page', () => {
  test('R2.4 before hydration a translator: presses made by then are answered', async ({ site }) => {
    const page = await site.openEmpty({ timezoneId: 'Europe/London' });
    const release = await holdBack(page, PAGE_SCRIPT);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    await page.locator('footer').waitFor();
    await translatePage(page);
    const dark = page.locator('input[name="theme"][value="dark"]');
    const own = page.locator('input[name="schedule-zone"][value="own"]');
    for (const pressed of [dark, own, page.locator('.package-card button.button')])
      await pressed.evaluate((element: HTMLElement) => element.click());
    release();
    await page.getByRole('heading', { name: /^get started now$/i }).waitFor();
    await untilHydrated(page, 'schedule');
    assert.deepEqual([await dark.isChecked(), await own.isChecked()], [true, true]);
    expectNoise(page, REBUILT);
  });

  test('a translator, at any time: each step tells its own number, and what changes is shown', async ({
    site,
  }) => {
    const email = 'translated@example.org';
    const page = await site.open(PHONE);
    const stepper = page.locator('#register-stepper');
    const press = (name: string) =>
      stepper.getByRole('button', { name: new RegExp(`^${name}$`, 'i') }).click();
    const fill = (field: string, value: string) => stepper.locator(`#register-${field}`).fill(value);
    const expectStep = (step: number) =>
      stepper.getByRole('heading', { name: new RegExp(`^step ${step} of 3`, 'i') }).waitFor();
    await stepper.scrollIntoViewIfNeeded();
    await untilHydrated(page, 'register-stepper');
    await translatePage(page);
    await expectStep(1);
    await stepper.locator('.package-card button.button').click();
    await expectStep(2);

    await press('Next');
    await stepper.getByText(/first name is required/i).waitFor();
    for (const [field, value] of Object.entries({ ...visitor, email })) await fill(field, value);
    const error = { code: REGISTER_AWAY, message: messages.registerAway };
    await page.route(
      `**${CREATE_PAYMENT_PATH}`,
      (route) => route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: { error } }),
      { times: 1 },
    );
    await press('Next');
    await expectStep(3);
    await press('Back');
    await expectStep(2);
    await press('Next');
    await expectStep(3);

    await typeCard(page, testCards.succeeds);
    await fill('addressLine1', billingAddress.line1);
    await stepper.locator('#register-addressCountry').selectOption(billingAddress.country);
    await fill('addressCity', billingAddress.city);
    await fill('addressState', billingAddress.state);
    await fill('addressPostalCode', billingAddress.postal_code);
    await stepper.locator('#register-termsAgreement').check();
    await site.chargeInstead(email, 75_050);
    await press('Finish');
    await stepper.locator('.confirm-details').getByText(': $750.50').waitFor();
    await stepper.getByRole('alert').getByText(messages.amountChanged.toUpperCase()).waitFor();
    await press('Finish');
    await stepper
      .getByText(/welcome to the retreat/i)
      .first()
      .waitFor();
    expectNoise(page, /status of 503/);
  });
});

/**
 * Translates the page as Chrome does, from now on: each text node is replaced by two `font` elements around a new one,
 * also in what is added or changed later. The translation is in capitals. A change to a text that is no longer on the
 * page is reported as an error: nobody would see it.
 */
async function translatePage(page: Page): Promise<void> {
  await page.evaluate(() => {
    const done = new WeakSet<Node>();
    const translateIn = (root: Node): void => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (node instanceof Text) texts.push(node);
      for (const text of texts) translate(text);
    };
    const translate = (text: Text): void => {
      if (done.has(text) || text.data.trim() === '' || text.parentElement?.closest('script, style')) return;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      const own = document.createTextNode(text.data.toUpperCase());
      done.add(own);
      inner.append(own);
      outer.append(inner);
      text.replaceWith(outer);
    };
    const property = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeValue');
    Object.defineProperty(Node.prototype, 'nodeValue', {
      ...property,
      set(this: Node, value: string) {
        if (!this.isConnected) reportError(new Error(`A text that is not on the page was changed: ${value}`));
        property?.set?.call(this, value);
      },
    });
    translateIn(document.body);
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes) {
        if (type === 'characterData') done.delete(target);
        for (const node of type === 'characterData' ? [target] : addedNodes) {
          if (node instanceof Text) translate(node);
          else translateIn(node);
        }
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
}
