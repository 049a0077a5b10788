import assert from 'node:assert/strict';
import type { Route } from '@playwright/test';
import { answer, changeAnswer, consentBar, PIXEL_SCRIPT, test } from './run/measured-site.ts';
import * as steps from './steps/registration.ts';

test.describe('the measurement pixel', () => {
  test('R6.1 after a yes, page views without their query, calls to action and questions are reported; the answer is remembered', async ({
    site,
    pixel,
  }) => {
    const page = await site.open({ path: `?email=${steps.visitor.email}&fbclid=x` });
    await answer(page, 'granted');
    await pixel.untilTold('PageView');
    await page.locator('summary').nth(2).click();
    await pixel.untilTold('FaqOpened');
    await page.locator('#closing').getByRole('link', { name: 'Reserve' }).click();
    await pixel.untilTold('CallToAction');
    await page.locator('.package-card').getByRole('button').click();
    await pixel.untilTold('CallToAction', 2);
    const [view, question, call, choice] = pixel.events();
    assert.equal(view?.page, `${site.product.siteUrl}/`);
    assert.equal(question?.data, '{"question":3}');
    assert.equal(call?.data, '{"place":"closing"}');
    assert.equal(choice?.data, '{"place":"register-stepper"}');
    pixel.requests.length = 0;
    await page.reload();
    await pixel.untilTold('PageView');
    assert.equal(await consentBar(page).count(), 0);
  });

  test('R6.1 consent is withdrawn in the privacy panel: events stop, cookies and what was reported are deleted, until it is given again', async ({
    site,
    pixel,
  }) => {
    const page = await site.open();
    await answer(page, 'granted');
    await pixel.untilTold('PageView');
    assert.deepEqual(
      (await page.context().cookies()).map(({ name }) => name),
      ['_fbp'],
    );
    await changeAnswer(page, 'denied');
    assert.deepEqual(await page.context().cookies(), []);
    assert.equal(await page.evaluate(() => localStorage.getItem('reported')), null);
    await page.locator('summary').first().click();

    await changeAnswer(page, 'granted');
    await page.locator('summary').nth(1).click();
    await pixel.untilTold('FaqOpened');
    const events = pixel.events().map(({ name, data }) => `${name} ${data ?? ''}`);
    assert.deepEqual(events, ['PageView ', 'FaqOpened {"question":2}']);
    assert.deepEqual(pixel.consents(), ['grant', 'revoke', 'grant']);
  });

  test('R6.1 a yes and its withdrawal apply in the other tabs too', async ({ site, pixel }) => {
    const page = await site.open();
    const other = await site.openTab(page);
    await consentBar(other).waitFor();
    await answer(page, 'granted');
    await consentBar(other).waitFor({ state: 'hidden' });
    await pixel.untilTold('PageView', 2);
    await changeAnswer(other, 'denied');
    await pixel.untilTold('revoke', 2);
    assert.deepEqual(await page.context().cookies(), []);
    await page.locator('summary').first().click();
    await changeAnswer(other, 'granted');
    await pixel.untilTold('grant', 4);
    await page.locator('summary').nth(1).click();
    await pixel.untilTold('FaqOpened');
    assert.deepEqual(
      pixel.events('FaqOpened').map(({ data }) => data),
      ['{"question":2}'],
    );
  });

  test('R6.1 a no deletes the pixel’s cookies, for whichever domain of the host they were set', async ({
    site,
  }) => {
    const page = await site.open();
    const { port } = new URL(site.product.siteUrl);
    const host = 'www.retreat.localhost';
    await page.route(`http://${host}:${port}/**`, (route) => route.continue());
    await page.goto(`http://${host}:${port}`);
    await consentBar(page).waitFor();
    const cookie = { name: '_fbp', value: 'fb.1.1.1', path: '/' };
    await page.context().addCookies([
      { ...cookie, domain: host },
      { ...cookie, domain: `.${host}` },
      { ...cookie, domain: '.retreat.localhost' },
      { ...cookie, name: '_fbc', domain: '.retreat.localhost' },
    ]);
    assert.equal((await page.context().cookies()).length, 4);
    await answer(page, 'denied');
    await consentBar(page).waitFor({ state: 'hidden' });
    assert.deepEqual(await page.context().cookies(), []);
  });
});

test.describe('what is reported to the measurement pixel once', () => {
  test('R6.2 AddToCart and Purchase are reported once, with an id for matching, and nothing that identifies the visitor', {
    tag: '@journey',
  }, async ({ site, pixel }) => {
    const page = await site.open();
    await answer(page, 'granted');
    await steps.choosePackage(page);
    await steps.giveContact(page);
    await pixel.untilTold('AddToCart');
    await page.getByRole('button', { name: 'Back' }).click();
    await steps.giveContact(page);
    await page.reload();
    await pixel.untilTold('PageView', 2);
    await steps.pay(page);
    await pixel.untilTold('Purchase');

    await page.reload();
    await pixel.untilTold('PageView', 3);
    await page.goto('about:blank');
    await page.goBack();
    await steps.expectCompletion(page);
    await page.locator('summary').first().click();
    await pixel.untilTold('FaqOpened');
    assert.equal(pixel.events('AddToCart').length, 1);
    const [purchase, ...more] = pixel.events('Purchase');
    assert.deepEqual(more, []);
    assert.equal(purchase?.data, '{"value":1495,"currency":"USD"}');
    assert.match(purchase?.eventId ?? '', /^purchase-pi_\w+$/);
    assert.doesNotMatch(purchase?.eventId ?? '', /secret/);
    const all = decodeURIComponent(pixel.requests.join('\n'));
    assert.doesNotMatch(all, /wilma|hara|555\D*0142|example\.org|_secret_/i);
  });

  test('R6.1 R6.2 consent is withdrawn while the script loads: nothing is reported until it is given again', async ({
    site,
    pixel,
  }) => {
    const page = await site.open();
    const held: Route[] = [];
    await page.route(PIXEL_SCRIPT, (route) => {
      held.push(route);
    });
    await answer(page, 'granted');
    await steps.walkToPayment(page, 'early@example.org');
    await changeAnswer(page, 'denied');
    for (const route of held) await route.fallback();
    await pixel.untilTold('revoke');
    assert.deepEqual(pixel.events(), []);
    assert.deepEqual(await page.context().cookies(), []);

    await changeAnswer(page, 'granted');
    await pixel.untilTold('AddToCart');
    await page.locator('summary').first().click();
    await pixel.untilTold('FaqOpened');
    assert.equal(pixel.events('PageView').length, 1);
    assert.equal(pixel.events('AddToCart').length, 1);
  });
});
