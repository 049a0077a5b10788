import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { lazyPartCopy } from '#shared/content/page-frame.ts';
import { expectNoise } from './run/browser.ts';
import { test } from './run/test.ts';
import { expectPaymentStep, fillContact, visitor } from './steps/registration.ts';

const CONTACT_CHUNK = /\/static\/js\/contact-step-\w+\.chunk\.js(\?again=\d+)?$/;
const PAYMENT_CHUNK = /\/static\/js\/payment-step-\w+\.chunk\.js(\?again=\d+)?$/;

/** What the browser and the application log about a failed request. */
const EXPECTED = /status of 404|ChunkLoadError/;

test.describe('chunks that fail to load', () => {
  test('R7.1 aborted: an error says so, and a retry loads the chunk again', { tag: '@journey' }, async ({
    site,
  }) => {
    const page = await site.open();
    await page.route(CONTACT_CHUNK, (route) => route.abort());
    const chunkError = nextChunkError(page);
    await selectPackage(page);
    await page.getByRole('alert').filter({ hasText: lazyPartCopy.failed }).waitFor();
    const { url, ...error } = await chunkError;
    assert.deepEqual(error, { name: 'ChunkLoadError', message: MESSAGE, type: 'error' });
    assert.match(url, CONTACT_CHUNK);

    await page.getByRole('button', { name: lazyPartCopy.retry }).click();
    await page.getByRole('button', { name: lazyPartCopy.reload }).waitFor();
    await page.unroute(CONTACT_CHUNK);
    await page.getByRole('button', { name: lazyPartCopy.retry }).press('Enter');
    await continueToPayment(page);
    expectNoise(page, EXPECTED);
  });

  test('R7.1 hanging: the request times out after 120 seconds, and a retry sends a new one', async ({
    site,
  }) => {
    const page = await site.openEmpty();
    await page.clock.install();
    await page.goto(site.product.siteUrl);
    await page.route(CONTACT_CHUNK, (route) =>
      route.request().url().includes('again') ? route.continue() : undefined,
    );
    const asked = page.waitForRequest(CONTACT_CHUNK);
    const chunkError = nextChunkError(page);
    await selectPackage(page);
    await asked;
    await page.getByRole('status').filter({ hasText: lazyPartCopy.loading }).waitFor();
    await page.clock.fastForward(110_000);
    assert.equal(await page.locator('.part-failed').count(), 0);
    await page.clock.fastForward(10_000);
    await page.getByRole('alert').filter({ hasText: lazyPartCopy.failed }).waitFor();
    await page.getByRole('button', { name: lazyPartCopy.reload }).waitFor();
    const { url, ...error } = await chunkError;
    assert.deepEqual(error, { name: 'ChunkLoadError', message: MESSAGE, type: 'timeout' });
    assert.match(url, CONTACT_CHUNK);
    await page.getByRole('button', { name: lazyPartCopy.retry }).click();
    await continueToPayment(page);
    expectNoise(page, EXPECTED);
  });

  test('R7.1 gone after a new release: a reload is offered, and the registration continues where it was', async ({
    site,
  }) => {
    const page = await site.open();
    await page.route(PAYMENT_CHUNK, (route) => route.fulfill({ status: 404 }));
    await selectPackage(page);
    const chunkError = nextChunkError(page);
    await fillContact(page, visitor);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('alert').filter({ hasText: lazyPartCopy.missing }).waitFor();
    assert.equal((await chunkError).type, 'missing');

    await page.unroute(PAYMENT_CHUNK);
    await page.getByRole('button', { name: lazyPartCopy.reload }).click();
    await expectPaymentStep(page);
    await page.locator('.confirm-details').getByText(visitor.email).waitFor();
    expectNoise(page, EXPECTED);
  });
});

const MESSAGE = 'Loading chunk contact-step failed.';

async function selectPackage(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Reserve your spot now' }).first().click();
  await page.locator('#register-stepper').getByRole('button', { name: 'Reserve your spot now' }).click();
}

/** Completes the contact step: its form works, with the state that the other chunks hold. */
async function continueToPayment(page: Page): Promise<void> {
  await fillContact(page, visitor);
  await page.getByRole('button', { name: 'Next' }).click();
  await expectPaymentStep(page);
}

/** The next chunk error that the application logs. */
async function nextChunkError(page: Page) {
  const message = await page.waitForEvent('console', (said) => said.text().includes('ChunkLoadError'));
  for (const argument of message.args()) {
    const error = await argument.evaluate((value) => {
      if (!(value instanceof Error) || !('type' in value) || !('url' in value)) return undefined;
      const { name, message: text, type, url } = value;
      return { name, message: text, type: String(type), url: String(url) };
    });
    if (error) return error;
  }
  throw new Error(`No error was logged with: ${message.text()}`);
}
