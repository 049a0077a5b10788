import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { test } from './run/test.ts';

/** The fallbacks of each of the page's fonts, see fonts.css; every machine has at least one for each. */
const FALLBACKS = {
  'Fraunces Variable': ['Fraunces on Times', 'Fraunces on Noto', 'Fraunces on DejaVu'],
  'Figtree Variable': ['Figtree on Arial', 'Figtree on Roboto', 'Figtree on DejaVu'],
} as const;

/** Measures a text in the font and in those fallbacks that this machine has: its width, ascent and descent. */
function measureFallbacks(page: Page, font: string, fallbacks: readonly string[], text: string) {
  return page.evaluate(
    async ([font, fallbacks, text]) => {
      const context = document.createElement('canvas').getContext('2d');
      if (!context) throw new Error('This browser cannot measure');
      const measures = [];
      for (const family of [font, ...fallbacks]) {
        const found = await document.fonts.load(`100px "${family}"`).catch(() => []);
        if (found.length === 0) continue;
        context.font = `100px "${family}"`;
        const { width, fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText(text);
        measures.push({ family, width, ascent: fontBoundingBoxAscent, descent: fontBoundingBoxDescent });
      }
      return measures;
    },
    [font, fallbacks, text] as const,
  );
}

test.describe('the page’s fonts', () => {
  test('each fallback has the metrics of its font', async ({ site }) => {
    const page = await site.open({ width: 390, height: 844 });
    const text = (await page.locator('main p').allTextContents()).join(' ').replaceAll(/\s+/g, ' ');
    assert.ok(text.length > 2000);
    for (const [font, fallbacks] of Object.entries(FALLBACKS)) {
      const [own, ...others] = await measureFallbacks(page, font, fallbacks, text);
      assert.ok(own && others.length > 0, `this machine has no fallback for ${font}`);
      for (const { family, width, ascent, descent } of others) {
        assert.ok(Math.abs(width / own.width - 1) < 0.01, `${family} is ${width / own.width} as wide`);
        assert.ok(Math.abs(ascent - own.ascent) <= 1 && Math.abs(descent - own.descent) <= 1, family);
      }
    }
  });
});
