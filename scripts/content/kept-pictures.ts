import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import * as v from 'valibot';

/** The URL path under which the site serves its pictures. */
export const MEDIA_ADDRESS = '/static/media/';

/** Returns the URL path of a published file. It changes whenever the file is made from something else. */
export type AddressOf = (part: string, ending: string) => string;

/** What was made of one file of `media/`. */
export interface Made<Image> {
  image: Image;
  /** By URL path. */
  files: ReadonlyMap<string, Buffer>;
}

/** A file that the build publishes. */
export interface PublishedFile {
  from: string;
  /** Below the public folder. */
  to: string;
}

/** The code that makes the pictures: when one of these files changes, all pictures are made again. */
const MAKERS = ['make-photograph.ts', 'make-logo.ts', 'sanitise-svg.ts', 'picture-places.ts'];

/**
 * A cache of pictures between builds: each in a folder named by a digest of everything that it is made from.
 */
export interface KeptPictures {
  /**
   * Returns a picture from the cache, or makes it.
   * @param recipe the name of its files, and everything besides the source that it depends on
   */
  keep<Image>(
    source: Buffer,
    recipe: readonly [name: string, ...unknown[]],
    schema: v.GenericSchema<unknown, Image>,
    make: (addressOf: AddressOf) => Promise<Made<Image>>,
  ): Promise<{ image: Image; files: readonly PublishedFile[] }>;
  /** Removes the pictures that `keep` was not called for. */
  prune(): Promise<void>;
}

export function keepPictures(folder: string): KeptPictures {
  const used = new Map<string, Promise<void>>();
  const makers = digestOfMakers();
  return {
    async keep(source, [name, ...recipe], schema, make) {
      const key = createHash('sha256')
        .update(source)
        .update(JSON.stringify([name, recipe, await makers]))
        .digest('hex');
      const kept = join(folder, key);
      const addressOf: AddressOf = (part, ending) =>
        `${MEDIA_ADDRESS}${[name, part, key.slice(0, 8).toUpperCase()].filter(Boolean).join('-')}.${ending}`;
      const making =
        used.get(key) ??
        exists(kept).then(async (isKept) => {
          if (!isKept) await write(kept, await make(addressOf));
        });
      used.set(key, making);
      await making;
      const image = v.parse(schema, JSON.parse(await readFile(join(kept, DESCRIPTION), 'utf8')));
      const names = (await readdir(kept)).filter((file) => file !== DESCRIPTION);
      return {
        image,
        files: names.map((file) => ({
          from: join(kept, file),
          to: `${MEDIA_ADDRESS.slice(1)}${file}`,
        })),
      };
    },
    async prune() {
      for (const name of await readdir(folder).catch(() => [])) {
        if (!used.has(name)) await rm(join(folder, name), { recursive: true, force: true });
      }
    },
  };
}

const DESCRIPTION = 'picture.json';

/** Writes the whole folder or nothing: another build may be writing the same picture. */
async function write(kept: string, { image, files }: Made<unknown>): Promise<void> {
  const draft = `${kept}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  for (const [address, data] of files) await writeFile(join(draft, basename(address)), data);
  await writeFile(join(draft, DESCRIPTION), JSON.stringify(image));
  try {
    await rename(draft, kept);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!(await exists(kept))) throw error;
  }
}

async function exists(kept: string): Promise<boolean> {
  return readFile(join(kept, DESCRIPTION)).then(
    () => true,
    () => false,
  );
}

async function digestOfMakers(): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(sharp.versions));
  for (const file of MAKERS) digest.update(await readFile(fileURLToPath(new URL(file, import.meta.url))));
  return digest.digest('hex');
}
