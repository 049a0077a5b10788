import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CDPSession } from 'playwright-core';
import { REGISTER_SECTION_ID, ROOT_ELEMENT_ID } from '#shared/page.ts';
import { openPage } from './browser.ts';
import {
  choosePackage,
  expectCompletion,
  fillPayment,
  finish,
  giveContact,
  testCards,
} from './registration.ts';
import { runProduct } from './run-product.ts';

const PAGE = `#${ROOT_ELEMENT_ID} *`;
const STEPPER = `#${REGISTER_SECTION_ID} *`;

/** What is shown in fonts that are not the page's own: their names, with the elements. */
async function findForeignText(session: CDPSession, selector: string): Promise<string[]> {
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

describe('the page’s fonts', () => {
  const run = runProduct();

  test('R7 hold every character: to search the system’s for one takes as long as the layout it is part of', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, { width: 390, height: 844 });
    t.after(close);
    const session = await page.context().newCDPSession(page);
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    // A visit that they come too late for does without them.
    do await page.goto(run.product.siteUrl);
    while ((await findForeignText(session, 'h1, .lede')).length > 0);
    assert.deepEqual(await findForeignText(session, PAGE), []);
    await choosePackage(page);
    assert.deepEqual(await findForeignText(session, STEPPER), []);
    await giveContact(page);
    assert.deepEqual(await findForeignText(session, STEPPER), []);
    await fillPayment(page, testCards.succeeds);
    await finish(page);
    await expectCompletion(page);
    assert.deepEqual(await findForeignText(session, STEPPER), []);
    assertQuiet();
  });
});
