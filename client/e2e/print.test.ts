import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { runProduct } from './run/run-product.ts';

/** What leads to something: it stands whole, and on the page of what it leads to. */
const LEADS =
  'h1, h2, h3, dt, .eyebrow, .lede, .stars, .author-salutation, .package-card__banner, .schedule-zone p';

/** What stands whole. */
const WHOLE = '.word-mark, .author-signature, .closing-community, figure, .schedule-day, .faq-item';

const COLUMN = { width: 680, gap: 40 };

/**
 * Lays the page out as for paper, in pages side by side of a height: the browser breaks columns by the rules that it
 * breaks pages by, and tells where each part came to lie.
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

/** What is torn: what does not stand whole on a page, or not on the page of the next words. */
function findTorn(page: Page): Promise<string[]> {
  return page.evaluate(
    ([leads, whole, step]) => {
      const torn: string[] = [];
      for (const element of document.querySelectorAll(`body :is(${leads}, ${whole})`)) {
        if (!element.checkVisibility()) continue;
        const own = [...element.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
        const places = own.map(({ left }) => Math.floor((left + 1) / step));
        const words = `${element.tagName}.${element.className.toString()} ${element.textContent?.slice(0, 40)}`;
        if (new Set(places).size > 1) torn.push(`${words}: in two`);
        if (!element.matches(leads)) continue;
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        walker.currentNode = element;
        for (let next = walker.nextNode(); next; next = walker.nextNode()) {
          if (element.contains(next) || !next.textContent?.trim()) continue;
          const range = document.createRange();
          range.selectNodeContents(next);
          const [first] = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
          if (!first) continue;
          const place = Math.floor((first.left + 1) / step);
          if (place !== places.at(-1)) torn.push(`${words}: from ${next.textContent.slice(0, 40)}`);
          break;
        }
      }
      return torn;
    },
    [LEADS, WHOLE, COLUMN.width + COLUMN.gap] as const,
  );
}

describe('on paper', () => {
  const run = runProduct();

  test('R1 nothing is torn from what it leads to, wherever a page ends', async (t) => {
    const { page, assertQuiet } = await run.openSite(t, { width: 816, height: 1056 });
    await page.emulateMedia({ media: 'print' });
    const torn: string[] = [];
    for (let height = 800; height <= 1100; height += 20) {
      await layOutPages(page, height);
      for (const words of await findTorn(page)) torn.push(`${height} px: ${words}`);
    }
    assert.deepEqual(torn, []);
    assertQuiet();
  });

  test('R1 letter and A4 hold the page in a few sheets', async (t) => {
    const { page } = await run.openSite(t, { width: 1280, height: 900 });
    for (const format of ['Letter', 'A4']) {
      const pdf = (await page.pdf({ format })).toString('latin1');
      const sheets = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
      assert.ok(sheets > 3 && sheets <= 12, `${format}: ${sheets} sheets`);
    }
  });
});
