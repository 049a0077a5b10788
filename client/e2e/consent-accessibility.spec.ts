import assert from 'node:assert/strict';
import { consentCopy } from '#shared/content/consent.ts';
import { test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/axe.ts';
import { consentBar, PIXEL_ID } from './steps/consent.ts';

// The pixel's script is never requested, because nobody consents.
test.use({ productEnv: { META_PIXEL_ID: PIXEL_ID, META_PIXEL_SCRIPT_URL: 'http://127.0.0.1:9/events.js' } });

test.describe('axe finds nothing in consent and privacy', () => {
  for (const width of [320, 1280]) {
    test(`R6.1 the question and the panel, ${width} px`, async ({ site }) => {
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
