import assert from 'node:assert/strict';
import type { CDPSession, Page } from '@playwright/test';
import { facts, terms } from '#shared/content/compiled/on-sale.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { expectNoise } from './run/browser.ts';
import { test } from './run/test.ts';
import { holdBack } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

const HEIGHT = 800;
const FONT_FILES = '**/static/media/*.woff2';

/** The fallbacks of each of the page's fonts, see fonts.css; every machine has at least one for each. */
const FALLBACKS = {
  'Fraunces Variable': ['Fraunces on Times', 'Fraunces on Noto', 'Fraunces on DejaVu'],
  'Figtree Variable': ['Figtree on Arial', 'Figtree on Roboto', 'Figtree on DejaVu'],
} as const;

const PAGE = 'body *';
const STEPPER = `#${REGISTER_SECTION_ID} *`;

/**
 * The elements that are shown in fonts other than the page's, with the names of those fonts. If React replaces an
 * element before its fonts are read, all elements are read again.
 */
async function findForeignText(session: CDPSession, selector: string): Promise<string[]> {
  let found: string[] | undefined;
  do found = await readForeignText(session, selector).catch(unlessReplaced);
  while (!found);
  return found;
}

function unlessReplaced(error: Error): undefined {
  if (!/node with given id/i.test(error.message)) throw error;
}

async function readForeignText(session: CDPSession, selector: string): Promise<string[]> {
  const { root } = await session.send('DOM.getDocument', { depth: 0 });
  const { nodeIds } = await session.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
  assert.ok(nodeIds.length > 0);
  const found: string[] = [];
  for (const nodeId of nodeIds) {
    const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
    const foreign = fonts.filter(({ isCustomFont }) => !isCustomFont);
    if (foreign.length === 0) continue;
    const { outerHTML } = await session.send('DOM.getOuterHTML', { nodeId });
    found.push(...foreign.map(({ familyName }) => `${familyName}: ${outerHTML}`));
  }
  return found;
}

/** Reloads a page until it uses its fonts: a load for which they come too late uses the fallbacks. */
async function reloadWithFonts(page: Page): Promise<CDPSession> {
  const session = await openFonts(page);
  do await page.reload();
  while ((await findForeignText(session, 'h1, .lede')).length > 0);
  return session;
}

async function openFonts(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  return session;
}

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

/** The height of each text that begins above a height. */
const textsAbove = (page: Page, bottom: number): Promise<string[]> =>
  page.locator('body *').evaluateAll(
    (elements, bottom) =>
      elements.flatMap((element) => {
        const { top, height } = element.getBoundingClientRect();
        const isText = element.children.length === 0 && element.textContent?.trim();
        return isText && top < bottom ? [`${Math.round(height)}: ${element.textContent}`] : [];
      }),
    bottom,
  );

/** The pages that somebody may see first, by a search or by a link in an e-mail. */
const FIRST_PAGES = [
  '',
  'place',
  'privacy',
  'legal',
  'accessibility',
  termsPathOf(facts, terms).slice(1),
  '404',
];

test.describe('the page’s fonts', () => {
  for (const width of [320, 390, 1280])
    for (const path of FIRST_PAGES)
      test(`that come late to /${path} are shown, and one text on the screen at most takes another line, ${width} px`, async ({
        site,
      }) => {
        const page = await site.openEmpty({ width, height: HEIGHT });
        expectNoise(page, /status of 404/);
        const release = await holdBack(page, FONT_FILES);
        await page.goto(`${site.product.siteUrl}/${path}`, { waitUntil: 'commit' });
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
        const before = await textsAbove(page, HEIGHT);
        release();
        await page.waitForLoadState();
        await page.evaluate(() => document.fonts.ready);
        assert.deepEqual(await findForeignText(await openFonts(page), 'h1, main p'), []);
        const after = await textsAbove(page, Number.POSITIVE_INFINITY);
        const changed = before.filter((text) => !after.includes(text));
        assert.ok(before.length > 3 && changed.length <= (path === '' ? 0 : 1), changed.join('\n'));
      });

  test('each fallback has the metrics of its font', async ({ site }) => {
    const page = await site.open({ width: 390, height: 844 });
    await reloadWithFonts(page);
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

  test('contain every character shown: a search of the system’s fonts for one takes as long as the layout', async ({
    site,
  }) => {
    const page = await site.open({ width: 390, height: 844 });
    const session = await reloadWithFonts(page);
    assert.deepEqual(await findForeignText(session, PAGE), []);
    await steps.choosePackage(page);
    assert.deepEqual(await findForeignText(session, STEPPER), []);
    await steps.giveContact(page, { ...steps.visitor, email: 'fonts@example.org' });
    assert.deepEqual(await findForeignText(session, STEPPER), []);
    await steps.pay(page);
    assert.deepEqual(await findForeignText(session, STEPPER), []);
  });
});
