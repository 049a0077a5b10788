import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { RequestHandler } from 'express';
import { AppError } from '#server/errors.ts';
import { acceptedEncodings, type Encoding } from './accept-encoding.ts';
import type { Assets } from './assets.ts';
import { type Representation, represent, send } from './representation.ts';

/** Hashed names never change their content. */
const HASHED_NAME = /-[A-Z0-9]{8}\.(chunk\.)?[a-z0-9]+$/;

/** Express's word for a visitor who left before her file came. */
const LEFT = 'ECONNABORTED';

const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } satisfies Record<Encoding, string>;

/**
 * The built scripts, styles and media, and nothing that the build does not list. What is compressed comes from memory,
 * the rest from its file, in ranges if wished.
 */
export function staticFiles({ publicFolder, files }: Assets): RequestHandler {
  const listed = new Map(Object.entries(files));
  const read = compressedFiles(publicFolder);
  return async (req, res, next) => {
    const { path } = req;
    const file = listed.get(path);
    if (!file) {
      next();
      return;
    }
    res.set('Cache-Control', cacheControlOf(path)).type(extname(path));
    if (file.compressed) {
      const [encoding = 'identity'] = acceptedEncodings(req.get('Accept-Encoding'));
      send(req, res, await read(path, encoding, String(res.get('Content-Type'))));
      return;
    }
    const options = { root: publicFolder, cacheControl: false, lastModified: false };
    res.set('ETag', file.tag).sendFile(path, options, (error?: SendError) => {
      if (!error || error.code === LEFT || res.headersSent) return;
      res.set(error.headers ?? {});
      next(error.status === 416 ? noSuchRange() : error);
    });
  };
}

/** What Express tells of a file that it could not send. */
interface SendError extends NodeJS.ErrnoException {
  status?: number;
  headers?: Record<string, string>;
}

function noSuchRange(): AppError {
  return new AppError({ code: 'no_such_range', status: 416, message: 'This file is shorter' });
}

function cacheControlOf(path: string): string {
  return HASHED_NAME.test(path) ? 'public, max-age=31536000, immutable' : 'public, max-age=3600';
}

type ReadCompressed = (path: string, encoding: Encoding, type: string) => Promise<Representation>;

/** Reads each file once in each encoding that is asked for. */
function compressedFiles(publicFolder: string): ReadCompressed {
  const kept = new Map<string, Representation>();
  return async (path, encoding, type) => {
    const name = path + ENDINGS[encoding];
    const known = kept.get(name);
    if (known) return known;
    const read = represent(encoding, await readFile(join(publicFolder, name)), type);
    kept.set(name, read);
    return read;
  };
}
