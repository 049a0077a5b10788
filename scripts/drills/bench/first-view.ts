import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PageOptions } from '#client/entry.server.tsx';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { readAppConfig } from '#server/config/config.ts';
import { brotli } from '#server/http/representation.ts';
import { type Assets, readAssets } from '#server/page/assets.ts';
import { duePage } from '#server/page/due-page.ts';
import { renderToMemory } from '#server/page/render-page.ts';

/** The most bytes that a first view may cost, as they travel: compressed by brotli, except fonts. */
export const budgets = {
  /** With the style sheet of the first view in it. */
  html: 20_000,
  inlineStyle: 12_000,
  laterStyle: 5_000,
  fonts: 70_000,
  scriptAtLoad: 3_000,
  /** All until the registration's first step answers: React, the store, and the step. */
  scripts: 95_000,
} as const;
export type Kind = keyof typeof budgets;

export interface Weight {
  kind: string;
  bytes: number;
  budget: number;
}

/**
 * The assets and options from which a build's page is rendered; configured values add next to nothing to its
 * size.
 */
export async function readPage(buildFolder: string): Promise<{ assets: Assets; options: PageOptions }> {
  const assets = await readAssets(pathToFileURL(`${buildFolder}/`));
  const { options } = duePage(
    readAppConfig({ ...leastEnvironment, PUBLIC_URL: 'https://retreat.example' }),
    assets,
    () => new Date(),
    () => false,
  )();
  return { assets, options };
}

/** Weighs a build's first view. */
export async function weighFirstView(buildFolder: string): Promise<Weight[]> {
  const { assets, options } = await readPage(buildFolder);
  const { scripts } = assets;
  const { html } = await renderToMemory(options, () => undefined);
  const weigh = async (...paths: string[]): Promise<number> => {
    const sizes = paths.map((path) =>
      sizeOf(join(assets.publicFolder, path), assets.files[path]?.compressed),
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  };
  const bytes: Record<Kind, number> = {
    html: (await brotli(html)).length,
    inlineStyle: await weigh(assets.style),
    laterStyle: await weigh(assets.laterStyle),
    fonts: await weigh(...assets.fonts),
    scriptAtLoad: await weigh(assets.script),
    scripts: await weigh(assets.script, scripts.library, scripts.application, ...scripts.imports),
  };
  const entries = new Map(Object.entries(bytes));
  return Object.entries(budgets).map(([kind, budget]) => ({
    kind,
    bytes: entries.get(kind) ?? Number.NaN,
    budget,
  }));
}

async function sizeOf(path: string, compressed = false): Promise<number> {
  const { size } = await stat(compressed ? `${path}.br` : path);
  return size;
}
