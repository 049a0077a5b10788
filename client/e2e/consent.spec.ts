import assert from 'node:assert/strict';
import type { Locator, Page } from '@playwright/test';
import { consentCopy } from '#shared/content/consent.ts';
import { lazyPartCopy } from '#shared/content/lazy-part.ts';
import { privacyCopy } from '#shared/content/privacy.ts';
import { test } from './run/measured-site.ts';
import { assertAccessibleInBoth } from './steps/axe.ts';
import { answer, consentBar, expectAnswersInReach } from './steps/consent.ts';
import { assertSteady, watchShifts } from './steps/layout-shifts.ts';
import { holdBack } from './steps/loading.ts';
import { choosePackage, giveContact, visitor } from './steps/registration.ts';

const TRACKING_CHUNK = /\/static\/js\/track-visitor-\w+\.chunk\.js(\?again=\d+)?$/;

test.describe('consent', () => {
  test('R6.1 before an answer, and after a no, nothing is requested from the pixel and no cookie is set', {
    tag: '@journey',
  }, async ({ site, pixel }) => {
    const { page, assertQuiet } = await site.open();
    await consentBar(page).waitFor();
    await page.locator('summary').first().click();
    await choosePackage(page);
    assert.deepEqual(await page.context().cookies(), []);
    await answer(page, 'denied');
    await consentBar(page).waitFor({ state: 'hidden' });
    await giveContact(page, { ...visitor, email: 'consent@example.org' });
    await page.reload();
    await page
      .getByRole('group', { name: consentCopy.label, includeHidden: true })
      .waitFor({ state: 'attached' });
    assert.equal(await consentBar(page).count(), 0);
    assert.deepEqual(pixel.requests, []);
    assert.deepEqual(await page.context().cookies(), []);
    assertQuiet();
  });

  test('R6.1 the two answers look the same, and the keyboard reaches them first', async ({ site, pixel }) => {
    const { page, assertQuiet } = await site.open();
    const [no, yes] = await Promise.all(
      (['denied', 'granted'] as const).map(async (given) => {
        const button = consentBar(page).getByRole('button', { name: consentCopy[given] });
        const { width, height } = (await button.boundingBox()) ?? {};
        const look = await button.evaluate((element) => {
          const { color, backgroundColor, fontSize, fontWeight } = getComputedStyle(element);
          return { color, backgroundColor, fontSize, fontWeight };
        });
        return { width, height, ...look };
      }),
    );
    assert.deepEqual(yes, no);
    for (let tab = 0; tab < 3; tab += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await consentBar(page).waitFor({ state: 'hidden' });
    await pixel.untilTold('PageView');
    await page.getByRole('status').filter({ hasText: consentCopy.remembered }).waitFor({ state: 'attached' });
    assertQuiet();
  });

  for (const [signal, value] of [
    ['globalPrivacyControl', true],
    ['doNotTrack', '1'],
  ] as const) {
    test(`R6.1 ${signal} counts as a no, whatever was answered before`, async ({ site, pixel }) => {
      const { page, assertQuiet } = await site.openEmpty();
      await page.addInitScript(
        ([name, set]) => {
          Object.defineProperty(navigator, name, { value: set });
          localStorage.setItem('consent', 'granted');
        },
        [signal, value] as const,
      );
      await page.goto(site.product.siteUrl);
      await page.getByRole('button', { name: 'Privacy choices' }).click();
      await page.getByRole('dialog').getByText(consentCopy.choice.refusedByBrowser).waitFor();
      assert.equal(await page.getByRole('dialog').getByRole('radio').count(), 0);
      assert.equal(await consentBar(page).count(), 0);
      assert.deepEqual(pixel.requests, []);
      assertQuiet();
    });
  }

  test('R6.1 the bar covers neither the phone’s call to action nor focused elements, and shifts nothing', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.openEmpty();
    await page.setViewportSize({ width: 320, height: 700 });
    await watchShifts(page);
    await page.goto(site.product.siteUrl);
    await consentBar(page).waitFor();
    await consentBar(page).getByRole('button').first().hover();
    await assertSteady(page);
    const foot = await consentBar(page).boundingBox();
    assert.ok(
      foot && 700 - foot.y - foot.height < 20,
      'the bar leaves room for a phone bar that is not there',
    );
    await page.locator('#benefits').scrollIntoViewIfNeeded();
    await untilPhoneBar(page);
    const bar = await consentBar(page).boundingBox();
    const call = await page.locator('.phone-bar').boundingBox();
    assert.ok(bar && call && bar.y + bar.height <= call.y, 'the bar covers the call to action');
    await assertSteady(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    for (const link of await page.locator('#faq a, #contact a, #contact button').all()) {
      if (!(await link.isVisible())) continue;
      await link.focus();
      const box = await link.boundingBox();
      assert.ok(box && box.y + box.height <= bar.y, `the bar covers ${await link.textContent()}`);
    }
    assertQuiet();
  });

  for (const [width, height] of [
    [1024, 768],
    [1280, 720],
    [1366, 768],
  ] as const) {
    test(`R6.1 the bar does not cover the invitation at ${width} by ${height}`, async ({ site }) => {
      const { page, assertQuiet } = await site.open({ width, height });
      await consentBar(page).waitFor();
      for (const part of await page.locator('.hero :is(h1, .lede, .hero-retreat, .button)').all()) {
        assert.equal(
          await overlap(consentBar(page), part),
          false,
          `the bar covers ${await part.textContent()}`,
        );
      }
      await expectAnswersInReach(consentBar(page));
      assertQuiet();
    });
  }

  test('R6.1 both answers are in view at 1280 px and 400 %', async ({ site }) => {
    const { page, assertQuiet } = await site.open({ width: 320, height: 256 });
    await consentBar(page).waitFor();
    await expectAnswersInReach(consentBar(page));
    assertQuiet();
  });

  test('R6.1 in the panel arrow keys and Tab give no answer, only a press of one does', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
    await consentBar(page).getByRole('button', { name: consentCopy.more }).press('Enter');
    const panel = page.getByRole('dialog');
    await expectFocus(panel.getByRole('heading', { name: privacyCopy.title }));
    for (const key of ['ArrowRight', 'Tab', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
    await panel.getByText(consentCopy.choice.unasked).waitFor();
    assert.equal(await storedAnswer(page), null);

    await panel.getByRole('button', { name: consentCopy.denied }).press('Enter');
    await panel.getByText(consentCopy.choice.denied).waitFor();
    assert.equal(await storedAnswer(page), 'denied');
    await expectFocus(page.locator('#consent-choice'));
    assert.ok(await panel.getByRole('radio', { name: consentCopy.denied }).isChecked());
    assertQuiet();
  });

  test('R6.1 after an answer the next Tab continues from the section on screen', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
    await consentBar(page).waitFor();
    await page.locator('#faq summary').first().scrollIntoViewIfNeeded();
    const scrolled = await page.evaluate(() => scrollY);
    await page.keyboard.press('Tab');
    await consentBar(page).getByRole('button', { name: consentCopy.denied }).press('Enter');
    await consentBar(page).waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate(() => scrollY), scrolled);
    await page.keyboard.press('Tab');
    const next = await page.evaluate(() => document.activeElement?.closest('section')?.id);
    assert.ok(['approach', 'faq'].includes(next ?? ''), `Tab went to ${next}`);
    assertQuiet();
  });

  test('R6.1 after an answer the focus returns to where it was, also from the panel', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
    const question = page.locator('#faq summary').nth(1);
    await consentBar(page).waitFor();
    await question.focus();
    await answer(page, 'denied');
    await consentBar(page).waitFor({ state: 'hidden' });
    await expectFocus(question);

    await forgetElsewhere(page);
    await consentBar(page).getByRole('button', { name: consentCopy.more }).click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('button', { name: consentCopy.denied }).press('Enter');
    await panel.getByRole('button', { name: privacyCopy.close }).press('Enter');
    await panel.waitFor({ state: 'hidden' });
    await expectFocus(question);
    assertQuiet();
  });

  test('R6.1 a question that is shown again does not cover the phone’s call to action', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
    await answer(page, 'denied');
    await consentBar(page).waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('#benefits').scrollIntoViewIfNeeded();
    await untilPhoneBar(page);
    await forgetElsewhere(page);
    await page.waitForFunction(() => {
      const height = document.documentElement.style.getPropertyValue('--consent-bar-height');
      const bar = document.querySelector<HTMLElement>('.consent-bar');
      return bar !== null && Math.abs(Number.parseFloat(height) - bar.offsetHeight) < 1;
    });
    assert.equal(await overlap(consentBar(page), page.locator('.phone-bar')), false);
    assertQuiet();
  });

  test('R6.1 R7.1 if the code of the choice fails to load, the panel says so and a retry shows the choice', {
    tag: '@journey',
  }, async ({ site }) => {
    const { page, assertQuiet } = await site.openEmpty();
    await page.addInitScript(() => localStorage.setItem('consent', 'granted'));
    const release = await holdBack(page, TRACKING_CHUNK, (route) => route.abort());
    await page.goto(site.product.siteUrl);
    await page.getByRole('button', { name: 'Privacy choices' }).click();
    release();
    const panel = page.getByRole('dialog');
    await panel.getByRole('alert').filter({ hasText: lazyPartCopy.notStarted }).waitFor();
    await page.unroute(TRACKING_CHUNK);
    await panel.getByRole('button', { name: lazyPartCopy.retry }).press('Enter');
    await panel.getByText(consentCopy.choice.granted).waitFor();
    await expectFocus(page.locator('#consent-choice'));
    await panel.getByRole('radio', { name: consentCopy.denied }).check();
    assert.equal(await storedAnswer(page), 'denied');
    assertQuiet({ except: /ERR_FAILED/ });
  });

  test('R6.1 R7.1 while the code of the choice loads, the panel says so', async ({ site }) => {
    const { page, assertQuiet } = await site.openEmpty();
    const release = await holdBack(page, TRACKING_CHUNK);
    await page.goto(site.product.siteUrl);
    await page.getByRole('button', { name: 'Privacy choices' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('status').filter({ hasText: lazyPartCopy.loading }).waitFor();
    release();
    await panel.getByText(consentCopy.choice.unasked).waitFor();
    assertQuiet();
  });

  for (const width of [320, 1280]) {
    test(`R6.1 axe finds nothing in the question and the panel, ${width} px`, async ({ site }) => {
      const { page, assertQuiet } = await site.open({ width, height: 800 });
      await consentBar(page).waitFor();
      await assertAccessibleInBoth(page, 'question');
      await consentBar(page).getByRole('button', { name: 'What is kept' }).click();
      const panel = page.getByRole('dialog');
      const no = panel.getByRole('button', { name: consentCopy.denied });
      await no.waitFor();
      await assertAccessibleInBoth(page, 'panel before an answer', '.privacy-panel');
      await no.click();
      await panel.getByRole('radio').first().waitFor();
      await assertAccessibleInBoth(page, 'panel after an answer', '.privacy-panel');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      assertQuiet();
    });
  }
});

const storedAnswer = (page: Page) => page.evaluate(() => localStorage.getItem('consent'));

/** Clears the stored answer from another tab, and waits for the question in this one. */
async function forgetElsewhere(page: Page): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(`${new URL(page.url()).origin}/robots.txt`);
  await other.evaluate(() => localStorage.clear());
  await other.close();
  await consentBar(page).waitFor();
}

/** Waits until the phone bar is shown, for which the consent bar makes room. */
async function untilPhoneBar(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.documentElement.style.getPropertyValue('--phone-bar-shown') === '1',
  );
}

/** Waits until an element has the focus. */
const expectFocus = (element: Locator): Promise<void> =>
  element.and(element.page().locator(':focus')).waitFor({ state: 'attached' });

/** Whether two elements overlap. */
async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  assert.ok(a && b);
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
