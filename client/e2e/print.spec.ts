import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { test } from './run/test.ts';

/** Elements that must not be split, and must be on the same page as the text after them. */
const KEPT_WITH_NEXT =
  'h1, h2, h3, dt, .eyebrow, .lede, .stars, .author-salutation, .package-card__banner, .schedule-zone p';

/** Elements that must not be split. */
const KEPT_WHOLE = '.word-mark, .author-signature, .closing-community, figure, .schedule-day, .faq-item';

const COLUMN = { width: 680, gap: 40 };

/**
 * Lays the page out in columns as high as a printed page: the browser breaks columns by the same rules as pages, but
 * here a script can read in which column each element is.
 */
async function layOutPages(page: Page, height: number): Promise<void> {
  await page.evaluate(
    ([height, { width, gap }]) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`
        html { overflow: visible !important }
        body {
          inline-size: ${width}px !important; block-size: ${height}px !important;
          columns: ${width}px auto !important; column-gap: ${gap}px !important; column-fill: auto !important;
        }
      `);
      document.adoptedStyleSheets = [sheet];
      window.scrollTo(0, 0);
    },
    [height, COLUMN] as const,
  );
}

/** The bad page breaks: elements that are split, or that are not on the page of the text after them. */
function findBadBreaks(page: Page): Promise<string[]> {
  return page.evaluate(
    ([keptWithNext, keptWhole, step]) => {
      const found: string[] = [];
      for (const element of document.querySelectorAll(`body :is(${keptWithNext}, ${keptWhole})`)) {
        if (!element.checkVisibility()) continue;
        const own = [...element.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
        const places = own.map(({ left }) => Math.floor((left + 1) / step));
        const words = `${element.tagName}.${element.className.toString()} ${element.textContent?.slice(0, 40)}`;
        if (new Set(places).size > 1) found.push(`${words}: split`);
        if (!element.matches(keptWithNext)) continue;
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        walker.currentNode = element;
        for (let next = walker.nextNode(); next; next = walker.nextNode()) {
          if (element.contains(next) || !next.textContent?.trim()) continue;
          const range = document.createRange();
          range.selectNodeContents(next);
          const [first] = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
          if (!first) continue;
          const place = Math.floor((first.left + 1) / step);
          if (place !== places.at(-1)) found.push(`${words}: away from ${next.textContent.slice(0, 40)}`);
          break;
        }
      }
      return found;
    },
    [KEPT_WITH_NEXT, KEPT_WHOLE, COLUMN.width + COLUMN.gap] as const,
  );
}

test.describe('on paper', () => {
  test('R1 headings stay with their text and blocks stay whole, wherever a page ends', async ({ site }) => {
    const page = await site.open({ width: 816, height: 1056 });
    await page.emulateMedia({ media: 'print' });
    const badBreaks: string[] = [];
    for (let height = 800; height <= 1100; height += 20) {
      await layOutPages(page, height);
      for (const words of await findBadBreaks(page)) badBreaks.push(`${height} px: ${words}`);
    }
    assert.deepEqual(badBreaks, []);
  });
});
