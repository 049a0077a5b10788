import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { readAppConfig } from '#server/config/config.ts';
import { brotli } from '#server/http/representation.ts';
import { readAssets } from '#server/page/assets.ts';
import { duePage } from '#server/page/due-page.ts';
import { renderToMemory } from '#server/page/page-cache.ts';
import type { Figures } from './budgets.ts';

type Weights = Figures<'html' | 'inline-style' | 'later-style' | 'fonts' | 'scripts'>;

/** Weighs a build's first view; configured values add next to nothing to it. */
export async function weighFirstView(buildFolder: string): Promise<Weights> {
  const assets = await readAssets(pathToFileURL(`${buildFolder}/`));
  const { publicFolder, files } = assets;
  const config = readAppConfig({ ...leastEnvironment, PUBLIC_URL: 'https://retreat.example' });
  const { options } = duePage(
    config,
    assets,
    () => new Date(),
    () => false,
  )();
  const { html } = await renderToMemory(options, () => undefined);
  const weigh = async (...paths: string[]): Promise<number> => {
    const sizes = paths.map((path) => stat(join(publicFolder, files[path]?.br ? `${path}.br` : path)));
    return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
  };
  return {
    html: (await brotli(html)).length,
    'inline-style': await weigh(assets.style),
    'later-style': await weigh(assets.laterStyle),
    fonts: await weigh(...assets.fonts),
    scripts: await weigh(assets.script, ...assets.scriptImports),
  };
}
