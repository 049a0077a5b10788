import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

const manifestSchema = v.object({
  /** Paths as the browser asks for them. */
  script: v.string(),
  style: v.string(),
  preload: v.array(v.string()),
  fonts: v.optional(v.array(v.string()), []),
});

/** What the build made for the browser. */
export interface Assets extends v.InferOutput<typeof manifestSchema> {
  /** The folder whose files are served as they are. */
  publicFolder: string;
}

/**
 * Reads what the build left in a folder, by default the folder of the running program.
 * @throws {Error} when there is no build
 */
export async function readAssets(folder: URL): Promise<Assets> {
  const manifest: unknown = JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8'));
  return { ...v.parse(manifestSchema, manifest), publicFolder: fileURLToPath(new URL('public/', folder)) };
}
