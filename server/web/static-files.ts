import { extname } from 'node:path';
import type { RequestHandler } from 'express';
import { keptForAnHour, keptForEver } from './cache-policy.ts';
import { acceptedEncoding, type Encoding, headersOf } from './representation.ts';

/** The name of a file with a hash in it: its content never changes. */
const HASHED_NAME = /-[A-Z0-9]{8}\.(chunk\.)?[a-z0-9]+$/;

const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } satisfies Record<Encoding, string>;

/** The files that the build made for the browser. */
interface BuiltFiles {
  publicFolder: string;
  /** By the path that the browser requests: the entity tag of the file, and of its copies in other encodings, if any. */
  files: Readonly<Record<string, Readonly<Partial<Record<Encoding, string>> & { identity: string }>>>;
}

/** Serves the built scripts, styles and media: only files that the build lists, or their compressed copies. */
export function staticFiles({ publicFolder: root, files }: BuiltFiles): RequestHandler {
  const listed = new Map(Object.entries(files));
  return (req, res, next) => {
    const { path } = req;
    const tags = listed.get(path);
    if (!tags) {
      next();
      return;
    }
    const isCompressed = tags.br !== undefined;
    // A client that accepts none of our encodings gets the file unencoded.
    const encoding = (isCompressed && acceptedEncoding(req)) || 'identity';
    const tag = tags[encoding] ?? tags.identity;
    res.type(extname(path)).sendFile(path + ENDINGS[encoding], {
      root,
      cacheControl: false,
      lastModified: false,
      headers: {
        ...(HASHED_NAME.test(path) ? keptForEver : keptForAnHour),
        ...(isCompressed ? headersOf(encoding, tag) : { ETag: tag }),
      },
    });
  };
}
