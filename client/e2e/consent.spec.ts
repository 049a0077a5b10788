import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { consentCopy } from '#shared/content/consent.ts';
import { lazyPartCopy } from '#shared/content/page-frame.ts';
import { privacyCopy } from '#shared/content/privacy.ts';
import { answer, consentBar, test } from './run/measured-site.ts';
import { holdBack } from './steps/loading.ts';
import { assertAccessibleInBoth } from './steps/looks.ts';
import { choosePackage, giveContact, visitor } from './steps/registration.ts';

const TRACKING_CHUNK = /\/static\/js\/track-visitor-\w+\.chunk\.js(\?again=\d+)?$/;

test.describe('consent', () => {
  test('R6.1 before an answer, and after a no, nothing is requested from the pixel and no cookie is set', async ({
    site,
    pixel,
  }) => {
    const page = await site.open();
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
  });

  test('R6.1 the two answers look the same, and the keyboard reaches them first', async ({ site, pixel }) => {
    const page = await site.open();
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
  });

  for (const [signal, value] of [
    ['globalPrivacyControl', true],
    ['doNotTrack', '1'],
  ] as const) {
    test(`R6.1 ${signal} counts as a no, whatever was answered before`, async ({ site, pixel }) => {
      const page = await site.openEmpty();
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
    });
  }

  test('R6.1 in the panel arrow keys and Tab give no answer, only a press of one does; axe finds nothing', async ({
    site,
  }) => {
    const page = await site.open({ width: 320, height: 800 });
    await consentBar(page).waitFor();
    await assertAccessibleInBoth(page, 'question', '.consent-bar');
    await consentBar(page).getByRole('button', { name: consentCopy.more }).press('Enter');
    const panel = page.getByRole('dialog');
    await expect(panel.getByRole('heading', { name: privacyCopy.title })).toBeFocused();
    for (const key of ['ArrowRight', 'Tab', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
    await panel.getByText(consentCopy.choice.unasked).waitFor();
    assert.equal(await storedAnswer(page), null);
    await assertAccessibleInBoth(page, 'panel before an answer', '.privacy-panel');

    await panel.getByRole('button', { name: consentCopy.denied }).press('Enter');
    await panel.getByText(consentCopy.choice.denied).waitFor();
    assert.equal(await storedAnswer(page), 'denied');
    await expect(page.locator('#consent-choice')).toBeFocused();
    assert.ok(await panel.getByRole('radio', { name: consentCopy.denied }).isChecked());
    await assertAccessibleInBoth(page, 'panel after an answer', '.privacy-panel');
  });

  test('R6.1 after an answer the focus returns to where it was, also from the panel', async ({ site }) => {
    const page = await site.open();
    const question = page.locator('#faq summary').nth(1);
    await consentBar(page).waitFor();
    await question.focus();
    await answer(page, 'denied');
    await consentBar(page).waitFor({ state: 'hidden' });
    await expect(question).toBeFocused();

    await forgetElsewhere(page);
    await consentBar(page).getByRole('button', { name: consentCopy.more }).click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('button', { name: consentCopy.denied }).press('Enter');
    await panel.getByRole('button', { name: privacyCopy.close }).press('Enter');
    await panel.waitFor({ state: 'hidden' });
    await expect(question).toBeFocused();
  });

  test('R6.1 R7.1 while the code of the choice loads, and if that fails, the panel says so; a retry shows the choice', async ({
    site,
  }) => {
    const page = await site.openEmpty();
    await page.addInitScript(() => localStorage.setItem('consent', 'granted'));
    const release = await holdBack(page, TRACKING_CHUNK, (route) => route.abort());
    await page.goto(site.product.siteUrl);
    await page.getByRole('button', { name: 'Privacy choices' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('status').filter({ hasText: lazyPartCopy.loading }).waitFor();
    release();
    await panel.getByRole('alert').filter({ hasText: lazyPartCopy.notStarted }).waitFor();
    await page.unroute(TRACKING_CHUNK);
    await panel.getByRole('button', { name: lazyPartCopy.retry }).press('Enter');
    await panel.getByText(consentCopy.choice.granted).waitFor();
    await expect(page.locator('#consent-choice')).toBeFocused();
    await panel.getByRole('radio', { name: consentCopy.denied }).check();
    assert.equal(await storedAnswer(page), 'denied');
  });
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
