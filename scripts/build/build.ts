import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compileContent } from '#scripts/content/compile-content.ts';
import type { PublishedFile } from '#scripts/content/pictures.ts';
import { type BuildMode, type Bundles, startBundles } from './bundles.ts';
import { manifestOf } from './manifest.ts';
import { listServedFiles, takeEarlierFiles } from './served-files.ts';

/** Their licence requires that its text is distributed with them. */
const FONTS = ['@fontsource-variable/fraunces', '@fontsource-variable/figtree'];

/**
 * Those of `npm run dev`, which are rebuilt incrementally, so that a change shows soon. Files that are no longer part of a
 * bundle stay in the folder.
 */
let kept: Bundles | undefined;

/**
 * Makes everything the processes run from, in one folder: the server's programs, and under `public/` what
 * browsers load, with `manifest.json` between them.
 * @param earlier the folder of an earlier build, whose hashed files are served for pages that are still open
 */
export async function build(mode: BuildMode, outFolder: string, earlier?: string): Promise<void> {
  const publicFolder = join(outFolder, 'public');
  const media = await compileContent({ draft: mode === 'development' });
  if (!kept) await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  const bundles = kept ?? (await startBundles(mode, outFolder, publicFolder));
  if (mode === 'development') kept = bundles;
  await copyStaticFiles(publicFolder, media);
  const outputs = await bundles.make();
  if (!kept) await bundles.dispose();
  const taken = earlier === undefined ? {} : await takeEarlierFiles(earlier, publicFolder);
  const files = await listServedFiles(publicFolder, mode === 'production', taken);
  const manifest = { ...manifestOf(outputs, publicFolder), files };
  await writeFile(join(outFolder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function copyStaticFiles(publicFolder: string, media: readonly PublishedFile[]): Promise<void> {
  for (const font of FONTS) {
    await cp(`node_modules/${font}/LICENSE`, join(publicFolder, 'licences', `${basename(font)}.txt`));
  }
  for (const { from, to } of media) await cp(from, join(publicFolder, to));
}
