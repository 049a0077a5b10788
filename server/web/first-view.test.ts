import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { readAppConfig } from '#server/config/config.ts';
import { BUILD } from '#server/testing/test-site.ts';
import { readAssets } from './assets.ts';
import { duePage } from './due-page.ts';
import { renderToMemory } from './page-cache.ts';
import { brotli } from './representation.ts';

/** Bytes of the first view as it travels: by brotli, but for fonts. The HTML holds the styles of the first view. */
const BUDGETS = {
  html: 20_000,
  firstStyle: 12_000,
  laterStyle: 5_000,
  fonts: 70_000,
  /** Until the first step answers. */
  scripts: 100_000,
};

test('the first view of the build stays within its budgets', async () => {
  const assets = await readAssets(BUILD);
  const config = readAppConfig({ ...leastEnvironment, PUBLIC_URL: 'https://retreat.example' });
  const { options } = duePage(
    config,
    assets,
    () => new Date(),
    () => false,
  )();
  const { html } = await renderToMemory(options, () => undefined);
  const weigh = async (...paths: readonly string[]): Promise<number> => {
    const sent = paths.map((path) => (assets.files[path]?.br ? `${path}.br` : path));
    const sizes = await Promise.all(sent.map((path) => stat(join(assets.publicFolder, path))));
    return sizes.reduce((sum, { size }) => sum + size, 0);
  };
  const bytes: typeof BUDGETS = {
    html: (await brotli(html)).length,
    firstStyle: await weigh(assets.style),
    laterStyle: await weigh(assets.laterStyle),
    fonts: await weigh(...assets.fonts),
    scripts: await weigh(assets.script, ...assets.scriptImports),
  };
  for (const name of Object.keys(BUDGETS).filter((one): one is keyof typeof BUDGETS => one in BUDGETS))
    assert.ok(bytes[name] > 0 && bytes[name] <= BUDGETS[name], `${name}: ${bytes[name]} of ${BUDGETS[name]}`);
});
