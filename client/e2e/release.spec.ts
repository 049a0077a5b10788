import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '#scripts/product/ports.ts';
import { prepareProduct } from '#scripts/product/product.ts';
import { startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { readAssets } from '#server/page/assets.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { startCache } from '#server/testing/processes.ts';
import { DESKTOP, openPage } from './run/browser.ts';
import { copySources } from './run/project-copy.ts';
import { test } from './run/test.ts';
import { choosePackage, expectPaymentStep, fillContact, visitor } from './steps/registration.ts';

/** A change of these files gives every script of the stepper another name. */
const CHANGED = ['client/store/store.ts', 'client/registration/steps/payment-step.tsx'];

/** Builds changed sources, as the release after the one in `dist`. */
async function buildNext(scope: TestScope): Promise<string> {
  const project = await copySources(scope);
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

const assetsOf = (build: string) => readAssets(pathToFileURL(`${build}/`));

/** Two releases behind one cache, neither of them started. */
async function prepareReleases(scope: TestScope) {
  const port = await findFreePort();
  const { sandbox } = await startTestSandbox(scope);
  const env = { PUBLIC_URL: `http://127.0.0.1:${port}`, TRUST_PROXY: '1' };
  const prepare = async (build: string) => {
    const product = await prepareProduct({ build, sandbox: { url: sandbox.url }, env });
    scope.after(product.close);
    return product;
  };
  const nextBuild = await buildNext(scope);
  const [before, next] = [await prepare('dist'), await prepare(nextBuild)];
  const cache = await startCache(scope, [before.siteUrl, next.siteUrl], port);
  return { before, next, nextBuild, cache };
}

test('R7.1 a page that was opened before a release still works after it, without a reload', async ({
  browser,
  scope,
}) => {
  const { before, next, nextBuild, cache } = await prepareReleases(scope);
  await before.app.start();
  const page = await openPage(browser, scope, DESKTOP);
  await page.goto(cache.url);
  await choosePackage(page);
  await fillContact(page, visitor);
  await next.app.start();
  await before.app.stop();
  await page.getByRole('button', { name: 'Next' }).click();
  await expectPaymentStep(page);
  assert.equal(await page.evaluate(() => 'isNextRelease' in globalThis), false);

  await test.step('the app of the new release serves all hashed files of both', async () => {
    const [old, own] = [await assetsOf('dist'), await assetsOf(nextBuild)];
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

  await test.step('the manifest lists the previous release’s files as one release ago', async () => {
    const manifest = await readFile(join(nextBuild, 'manifest.json'), 'utf8');
    assert.match(manifest, /"releasesAgo": 1/);
  });

  await test.step('a visitor who opens the page again gets the new release, because her browser revalidates', async () => {
    const script = (await assetsOf(nextBuild)).scripts.application;
    await page.waitForFunction(async (name) => (await (await fetch('/')).text()).includes(name), script, {
      polling: 500,
      timeout: 25_000,
    });
    await page.goto(cache.url);
    assert.ok((await page.content()).includes(script));
  });
});
