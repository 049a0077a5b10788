import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

const manifestSchema = v.object({
  /** Paths as the browser asks for them. */
  script: v.string(),
  scriptImports: v.array(v.string()),
  stepper: v.array(v.string()),
  style: v.string(),
  laterStyle: v.string(),
  /** The style sheet of the plain pages, which contains all they need. */
  plainStyle: v.string(),
  /** The style sheet of the page of one registration, which contains all it needs. */
  ownPageStyle: v.string(),
  /** The style sheet of the office's pages, which contains all they need. */
  officeStyle: v.string(),
  fonts: v.array(v.string()),
  /** Every file that is served, by its path: its entity tag, and those of its compressed copies, if it has them. */
  files: v.record(
    v.string(),
    v.object({ identity: v.string(), br: v.exactOptional(v.string()), gzip: v.exactOptional(v.string()) }),
  ),
});

/** The files that the build made for the browser. */
export interface Assets extends v.InferOutput<typeof manifestSchema> {
  /** The folder whose files are served unchanged. */
  publicFolder: string;
  /** The text of `style`. */
  inlineStyle: string;
}

/**
 * Reads the result of the build from a folder, by default the folder of the running program.
 * @throws {Error} when there is no build
 */
export async function readAssets(folder: URL): Promise<Assets> {
  const manifest: unknown = JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8'));
  const assets = v.parse(manifestSchema, manifest);
  const publicFolder = new URL('public/', folder);
  const inlineStyle = await readFile(new URL(`.${assets.style}`, publicFolder), 'utf8');
  return { ...assets, inlineStyle, publicFolder: fileURLToPath(publicFolder) };
}
