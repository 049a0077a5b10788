import assert from 'node:assert/strict';
import type { Locator } from '@playwright/test';
import { consentCopy } from '#shared/content/consent.ts';
import { expectNoise, launchOptions } from './run/browser.ts';
import { answer, consentBar, expectAnswersInReach, WITH_PIXEL } from './run/measured-site.ts';
import { test } from './run/test.ts';
import { untilArrived } from './steps/loading.ts';
import { brokenWords } from './steps/looks.ts';
import { openOwnPage } from './steps/own-page.ts';
import { expectWholeWordsOnTheWay } from './steps/registration.ts';

test.use({
  launchOptions: launchOptions('--blink-settings=defaultFontSize=32'),
  productEnv: WITH_PIXEL,
});

test.describe('text at 200 %', () => {
  test('R1 nothing scrolls sideways', async ({ site }) => {
    const page = await site.open({ width: 320, height: 900 });
    await untilArrived(page);
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), '32px');
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
    await consentBar(page).waitFor();
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
  });

  test('R1 on a phone, pictures and markers are above their texts, and no word breaks', async ({ site }) => {
    const page = await site.open({ width: 390, height: 844 });
    await untilArrived(page);
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 844 });
      assert.deepEqual(await brokenWords(page), [], `at ${width} px`);
    }
    for (const [picture, words] of [
      ['.benefit-icon', '.benefit-list h3'],
      ['.moon-phase', '.session-list h3'],
      ['.transform-art', '.transform-steps h3'],
      ['.endorsement .portrait', '.endorsement blockquote'],
      ['.author-portrait', '.author-life'],
      ['.hero-face', '.hero-teacher strong'],
    ] as const) {
      const [above, below] = [page.locator(picture).first(), page.locator(words).first()];
      const [one, other] = [await above.boundingBox(), await below.boundingBox()];
      assert.ok(one && other && one.y + one.height <= other.y, `${picture} is beside ${words}`);
    }
  });

  test('no word breaks on her page, the documents and the page of an error', async ({ site }) => {
    const { page } = await openOwnPage(site, 'large-text@example.org');
    expectNoise(page, /status of 404/);
    const found: string[] = [];
    for (const path of ['place', 'place/details', 'privacy', 'legal', 'accessibility', 'terms', '404']) {
      await page.goto(`${site.product.siteUrl}/${path}`);
      for (const width of [320, 390]) {
        await page.setViewportSize({ width, height: 900 });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, path);
        found.push(...(await brokenWords(page)).map((word) => `/${path} at ${width} px: ${word}`));
      }
    }
    assert.deepEqual(found, []);
  });

  test('R2.2 no word of the registration is broken', async ({ site }) => {
    await expectWholeWordsOnTheWay(
      await site.open({ width: 320, height: 900 }),
      'large@example.org',
      [320, 390],
    );
  });

  for (const [width, height] of [
    [320, 568],
    [390, 844],
    [1280, 720],
  ] as const) {
    test(`R6.1 the question and the panel fit at ${width} by ${height}`, async ({ site }) => {
      const page = await site.open({ width, height });
      await consentBar(page).waitFor();
      await expectAnswersInReach(consentBar(page));
      assert.ok(await fitsInWidth(consentBar(page)));

      await consentBar(page).getByRole('button', { name: consentCopy.more }).press('Enter');
      const panel = page.getByRole('dialog');
      await panel.waitFor();
      assert.equal(await panel.evaluate((element) => element.scrollTop), 0);
      assert.ok(await fitsInWidth(panel));
      await panel.getByRole('button', { name: consentCopy.granted }).focus();
      await expectAnswersInReach(panel);

      await page.keyboard.press('Escape');
      await answer(page, 'denied');
      await page.getByRole('button', { name: 'Privacy choices' }).click();
      for (const given of ['denied', 'granted'] as const) {
        const words = panel.locator('.segment').getByText(consentCopy[given]);
        assert.ok((await linesOf(words)) <= 2, `"${consentCopy[given]}" takes more than two lines`);
      }
      assert.ok(await fitsInWidth(panel));
    });
  }
});

const fitsInWidth = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => element.scrollWidth === element.clientWidth);

/** How many lines a text takes. */
const linesOf = (words: Locator): Promise<number> =>
  words.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
