import assert from 'node:assert/strict';
import { PHONE } from './run/browser.ts';
import { test as base } from './run/test.ts';

const testOnceClosed = base.extend({ productEnv: [{ REGISTRATION: 'closed' }, { scope: 'worker' }] });

/** The two cases in which there is no stepper. */
for (const { name, test, javaScriptEnabled, heading, callToAction } of [
  {
    name: 'without JavaScript',
    test: base,
    javaScriptEnabled: false,
    heading: 'Registering without JavaScript',
    callToAction: 'Reserve your spot now',
  },
  {
    name: 'when registration has closed',
    test: testOnceClosed,
    javaScriptEnabled: true,
    heading: 'Registration has closed',
    callToAction: 'Ask about the next retreat',
  },
]) {
  test.describe(name, () => {
    test('the calls to action lead to the office’s address in the stepper’s place', async ({ site }) => {
      const { page, assertQuiet } = await site.open({ ...PHONE, javaScriptEnabled });
      await page.locator('#main').getByRole('link', { name: callToAction }).first().click();
      const section = page.locator('#register-stepper');
      await section.getByRole('heading', { name: heading }).waitFor();
      assert.equal(await section.getByRole('link', { name: 'office@retreat.example' }).count(), 1);
      assert.equal(await section.getByRole('button').count(), 0);
      assertQuiet();
    });

    test('R1.10 the questions open and close', async ({ site }) => {
      const { page } = await site.open({ ...PHONE, javaScriptEnabled });
      const [first, second] = [page.locator('details').nth(0), page.locator('details').nth(1)];
      await first.locator('summary').click();
      await second.locator('summary').click();
      assert.equal(await first.getAttribute('open'), '');
      assert.equal(await second.getAttribute('open'), '');
      await first.locator('summary').click();
      assert.equal(await first.getAttribute('open'), null);
      assert.equal(await second.getAttribute('open'), '');
    });
  });
}
