import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from './run/test.ts';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '#scripts/product/ports.ts';
import { prepareProduct } from '#scripts/product/product.ts';
import { startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { readAssets } from '#server/page/assets.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { startCache } from '#server/testing/test-cache.ts';
import { BUILD } from '#server/testing/test-site.ts';
import { DESKTOP, openPage } from './run/browser.ts';
import { copySources } from './run/project-copy.ts';
import { choosePackage, expectPaymentStep, fillContact, visitor } from './steps/registration.ts';

/** A change of these files gives every script of the stepper another name. */
const CHANGED = ['client/store/store.ts', 'client/registration/steps/payment-step.tsx'];

/** Builds changed sources, as the release after the one in `dist`. */
async function buildNext(t: TestContext): Promise<string> {
  const project = await copySources(t);
  for (const file of CHANGED)
    await appendFile(join(project, file), '\nObject.assign(globalThis, { isNextRelease: true });\n');
  const options = { cwd: project, stdio: 'pipe' } as const;
  execFileSync(
    process.execPath,
    ['--import', 'tsx', 'scripts/build/main.ts', '--earlier', resolve('dist')],
    options,
  );
  return join(project, 'dist');
}

/** Two releases behind one cache, neither of them started. */
async function prepareReleases(t: TestContext) {
  const port = await findFreePort();
  const { sandbox } = await startTestSandbox(t);
  const redisFolder = await mkdtemp(join(tmpdir(), 'release-'));
  cleanUp(t, () => rm(redisFolder, { recursive: true }));
  const env = { PUBLIC_URL: `http://127.0.0.1:${port}`, TRUST_PROXY: '1' };
  const prepare = async (build: string) => {
    const product = await prepareProduct({ build, redisFolder, stripeUrl: sandbox.url, env });
    cleanUp(t, product.close);
    return product;
  };
  const nextBuild = await buildNext(t);
  const [before, next] = [await prepare('dist'), await prepare(nextBuild)];
  const cache = await startCache(t, [before.siteUrl, next.siteUrl], port);
  return { before, next, nextBuild, cache };
}

test('R7.1 a page that was opened before a release still works after it, without a reload', async ({ site }) => {
  const { before, next, nextBuild, cache } = await prepareReleases(t);
  await before.app.start();
  const browser = await sharedBrowser();
  const { page } = await openPage(browser, DESKTOP);
  await page.goto(cache.url);
  await choosePackage(page);
  await fillContact(page, visitor);
  await next.app.start();
  await before.app.stop();
  await page.getByRole('button', { name: 'Next' }).click();
  await expectPaymentStep(page);
  assert.equal(await page.evaluate(() => 'isNextRelease' in globalThis), false);

  await t.test('the app of the new release serves all hashed files of both', async ({ site }) => {
    const [old, own] = [await readAssets(BUILD), await readAssets(pathToFileURL(`${nextBuild}/`))];
    assert.notEqual(own.scripts.application, old.scripts.application);
    const hashed = [...Object.keys(old.files), ...Object.keys(own.files)].filter((path) =>
      /-[A-Z0-9]{8}\.[^/]*(?<!\.txt)$/.test(path),
    );
    assert.ok(hashed.includes(old.scripts.application));
    for (const path of hashed) {
      const { status, headers } = await fetch(`${next.siteUrl}${path}`, { method: 'HEAD' });
      assert.equal(status, 200, path);
      assert.equal(headers.get('Cache-Control'), 'public, max-age=31536000, immutable');
    }
  });

  await t.test('the manifest lists the previous release’s files as one release ago', async ({ site }) => {
    const manifest = await readFile(join(nextBuild, 'manifest.json'), 'utf8');
    assert.match(manifest, /"releasesAgo": 1/);
  });

  await t.test(
    'a visitor who opens the page again gets the new release, because her browser revalidates',
    async () => {
      const script = (await readAssets(pathToFileURL(`${nextBuild}/`))).scripts.application;
      await page.waitForFunction(async (name) => (await (await fetch('/')).text()).includes(name), script, {
        polling: 500,
        timeout: 25_000,
      });
      await page.goto(cache.url);
      assert.ok((await page.content()).includes(script));
    },
  );
});
