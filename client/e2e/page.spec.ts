import assert from 'node:assert/strict';
import { expect, type Page, type Route } from '@playwright/test';
import { expectNoise, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { untilHydrated } from './steps/loading.ts';
import { assertSteady, readThrough, watchShifts } from './steps/looks.ts';
import { choosePackage } from './steps/registration.ts';

test.describe('the page around its sections', () => {
  test('R1 nothing scrolls sideways, from the smallest phone to a wide screen', async ({ site }) => {
    const page = await site.open({ width: 320, height: 700 });
    for (const width of [320, 340, 360, 375, 390, 414, 768, 1024, 1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 700 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
  });

  for (const width of [390, 1440]) {
    test(`R1 while it is read, nothing shifts or scrolls sideways, ${width} px wide`, {
      tag: '@journey',
    }, async ({ site }) => {
      const page = await site.openEmpty({ width, height: 900 });
      await watchShifts(page);
      await page.goto(site.product.siteUrl);
      await readThrough(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      await assertSteady(page);
    });
  }

  test('R1.14 without its register section the page logs an error', async ({ site }) => {
    const page = await site.open();
    await untilHydrated(page);
    await page.locator('#register-stepper').evaluate((section) => section.removeAttribute('id'));
    expectNoise(page, /Register section not found/);
    const logged = page.waitForEvent('console', (message) => message.type() === 'error');
    await page.getByRole('link', { name: 'Reserve your spot now' }).first().click();
    assert.equal((await logged).text(), 'Register section not found');
  });

  test('R1 the menu of a phone also works without scripts, and closes when a link in it is followed', {
    tag: '@journey',
  }, async ({ site }) => {
    const page = await site.open(PHONE);
    await untilHydrated(page);
    const link = page.getByRole('link', { name: 'Schedule', exact: true });
    assert.ok(!(await link.isVisible()));
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await link.click();
    await link.waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).hash, '#schedule');
    await untilHydrated(page, 'schedule');

    await page.route('**/static/js/**', (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await link.waitFor();
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
  });

  test('R8 the footer’s link opens the policies in every step', async ({ site }) => {
    const page = await site.open(PHONE);
    const policy = page.getByRole('heading', { name: 'Cancellation Policy' });
    const follow = () => page.locator('footer').getByText('Payment and cancellation policies').click();
    await untilHydrated(page);
    await follow();
    await policy.waitFor();
    await page.locator('.policy-details summary').click();
    await policy.waitFor({ state: 'hidden' });
    await follow();
    await policy.waitFor();
    await choosePackage(page);
    assert.equal(await policy.isVisible(), false);
    await follow();
    await policy.waitFor();
    await page.goto('about:blank');
    await page.goto(`${site.product.siteUrl}/#policies`);
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    await policy.waitFor();
  });

  test('R1.10 without scripts the calls to action lead to the office’s address in the stepper’s place, and the questions open and close', async ({
    site,
  }) => {
    const page = await site.open({ ...PHONE, javaScriptEnabled: false });
    const [first, second] = [page.locator('details').nth(0), page.locator('details').nth(1)];
    for (const question of [first, second, first]) await question.locator('summary').click();
    await expect(first).not.toHaveAttribute('open');
    await expect(second).toHaveAttribute('open');

    await page.locator('#main').getByRole('link', { name: 'Reserve your spot now' }).first().click();
    const section = page.locator('#register-stepper');
    await section.getByRole('heading', { name: 'Registering without JavaScript' }).waitFor();
    assert.equal(await section.getByRole('link', { name: 'office@retreat.example' }).count(), 1);
    assert.equal(await section.getByRole('button').count(), 0);
  });

  /** The schedule's days as they are shown, each with its hours. */
  const shownDays = (page: Page) =>
    page.locator('.schedule-day').evaluateAll((days) =>
      days.map((day) => {
        const hours = [...day.querySelectorAll('dt > :first-child')].map((hour) =>
          hour.textContent?.replaceAll('\u00a0', ' '),
        );
        return `${day.querySelector('h3')?.textContent?.replaceAll('\u00a0', ' ')}: ${hours.join(', ')}`;
      }),
    );

  test('R1.6 R9 the schedule opens in the hours of a visitor in New York, beside Pacific Time, and nothing moves', async ({
    site,
  }) => {
    for (const width of [390, 1440]) {
      const page = await site.openEmpty({ timezoneId: 'America/New_York', width, height: 900 });
      await watchShifts(page);
      // Its own hours come while the schedule is being read.
      const held: Route[] = [];
      let holds = true;
      await page.route('**/static/js/**', (route) => {
        if (holds) held.push(route);
        else return route.continue();
      });
      await page.goto(`${site.product.siteUrl}/#schedule`, { waitUntil: 'commit' });
      await page.getByText('All times are Pacific Time (PT).').waitFor();
      assert.equal((await shownDays(page))[0], 'Thursday January 22: 5:30 pm PT');
      await page.locator('.schedule-days').scrollIntoViewIfNeeded();
      holds = false;
      for (const route of held) await route.continue();
      await page.getByText('Shown in Eastern Time.', { exact: true }).waitFor();
      assert.equal((await shownDays(page))[0], 'Thursday January 22: 8:30 pm');
      const beside = await page.locator('.schedule-beside').first().textContent();
      assert.equal(beside?.trim().replaceAll('\u00a0', ' '), '5:30 pm PT');
      await assertSteady(page);
    }
  });

  test('R1.6 R9 the schedule opens for a visitor in Berlin in her own hours, by her own days', async ({
    site,
  }) => {
    const page = await site.open({ timezoneId: 'Europe/Berlin', locale: 'de-DE' });
    const retreatDays = await shownDays(page);
    assert.equal(retreatDays[0], 'Thursday January 22: 5:30 pm PT');
    await page.locator('#sessions').scrollIntoViewIfNeeded();
    await untilHydrated(page, 'schedule');
    const switchOver = page.getByRole('group', { name: 'Time zone of the schedule' });
    const note = 'Shown in Central European Time. The sessions are listed by your own days.';
    await page.getByText(note, { exact: true }).waitFor();
    assert.deepEqual(await shownDays(page), [
      'Friday January 23: 02:30, 17:30, 19:30, Then',
      'Saturday January 24: 00:00, 02:30, 17:30, 19:30, Then',
      'Sunday January 25: 00:00, 02:30, 17:30, 20:00',
    ]);
    await page.locator('#schedule').getByText('(for you Fri, Jan 16, 02:30)').waitFor();
    await switchOver.getByRole('radio', { name: 'Your time' }).focus();
    await page.keyboard.press('ArrowLeft');
    assert.deepEqual(await shownDays(page), retreatDays);
  });
});
