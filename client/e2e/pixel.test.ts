import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { consentCopy } from '#shared/content/consent.ts';
import { openPage } from './browser.ts';
import { answer, consentBar, PIXEL_ID } from './consent.ts';
import { startPixelStandIn } from './pixel-stand-in.ts';
import {
  choosePackage,
  expectCompletion,
  fillPayment,
  finish,
  giveContact,
  testCards,
  visitor,
} from './registration.ts';
import { runProduct } from './run-product.ts';

const DESKTOP = { width: 1280, height: 900 };

const pixel = await startPixelStandIn();
after(() => pixel.close());

describe('the measurement pixel', () => {
  const run = runProduct({ env: { META_PIXEL_ID: PIXEL_ID, META_PIXEL_SCRIPT_URL: pixel.scriptUrl } });

  async function openSite(t: TestContext, query = '') {
    pixel.forget();
    const watched = await openPage(run.browser, DESKTOP);
    t.after(watched.close);
    await watched.page.goto(`${run.product.siteUrl}/${query}`);
    return watched;
  }

  test('R6.1 after a yes: the view without the query, calls to action and questions; remembered', async (t) => {
    const { page, assertQuiet } = await openSite(t, `?email=${visitor.email}&fbclid=x`);
    await answer(page, 'granted');
    await pixel.untilTold('PageView');
    await page.locator('summary').nth(2).click();
    await pixel.untilTold('FaqOpened');
    await page.locator('#closing').getByRole('link', { name: 'Reserve' }).click();
    await pixel.untilTold('CallToAction');
    const [view, question, call] = pixel.events();
    assert.equal(view?.page, `${run.product.siteUrl}/`);
    assert.equal(question?.data, '{"question":3}');
    assert.equal(call?.data, '{"place":"closing"}');
    pixel.forget();
    await page.reload();
    await pixel.untilTold('PageView');
    assert.equal(await consentBar(page).count(), 0);
    assertQuiet();
  });

  test('R6.2 AddToCart and Purchase once, with an id to match, and nothing that names the visitor', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await answer(page, 'granted');
    await choosePackage(page);
    await giveContact(page);
    await pixel.untilTold('AddToCart');
    await page.reload();
    await pixel.untilTold('PageView', 2);
    await fillPayment(page, testCards.succeeds);
    await finish(page);
    await expectCompletion(page);
    await pixel.untilTold('Purchase');

    await page.reload();
    await pixel.untilTold('PageView', 3);
    await page.goto('about:blank');
    await page.goBack();
    await expectCompletion(page);
    await page.locator('summary').first().click();
    await pixel.untilTold('FaqOpened');
    const told = (name: string) => pixel.events().filter((event) => event.name === name);
    assert.equal(told('AddToCart').length, 1);
    const [purchase, ...more] = told('Purchase');
    assert.deepEqual(more, []);
    assert.equal(purchase?.data, '{"value":1495,"currency":"USD"}');
    assert.match(purchase?.eventId ?? '', /^purchase-pi_\w+$/);
    assert.doesNotMatch(purchase?.eventId ?? '', /secret/);
    const all = decodeURIComponent(pixel.requests.join('\n'));
    assert.doesNotMatch(all, /wilma|hara|555|example\.org|_secret_/i);
    assertQuiet();
  });

  test('R6.1 taken back in the privacy panel: events stop and cookies go, until it is given again', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await answer(page, 'granted');
    await pixel.untilTold('PageView');
    assert.deepEqual(
      (await page.context().cookies()).map(({ name }) => name),
      ['_fbp'],
    );
    await page.getByRole('button', { name: 'Privacy choices' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('radio', { name: consentCopy.denied }).check();
    assert.deepEqual(await page.context().cookies(), []);
    await page.keyboard.press('Escape');
    await page.locator('summary').first().click();

    await page.getByRole('button', { name: 'Privacy choices' }).click();
    await panel.getByText(consentCopy.choice.denied).waitFor();
    await panel.getByRole('radio', { name: consentCopy.granted }).check();
    await page.keyboard.press('Escape');
    await page.locator('summary').nth(1).click();
    await pixel.untilTold('FaqOpened');
    const told = pixel.events().map(({ name, data }) => `${name} ${data ?? ''}`);
    assert.deepEqual(told, ['PageView ', 'FaqOpened {"question":2}']);
    assertQuiet();
  });
});
