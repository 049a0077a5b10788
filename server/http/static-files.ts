import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { NextFunction, RequestHandler, Response } from 'express';
import { AppError } from './app-error.ts';
import { type CachePolicy, keptForAnHour, keptForEver } from './cache-policy.ts';
import { acceptedEncodings, type Encoding, type Representation, represent, send } from './representation.ts';

/** The name of a file with a hash in it: its content never changes. */
export const HASHED_NAME = /-[A-Z0-9]{8}\.(chunk\.)?[a-z0-9]+$/;

/** Express's error code when a visitor left before the file was sent. */
const LEFT = 'ECONNABORTED';

const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } satisfies Record<Encoding, string>;

/** The files that the build made for the browser. */
interface BuiltFiles {
  publicFolder: string;
  /** By the path that the browser requests. */
  files: Readonly<Record<string, { tag: string; compressed: boolean }>>;
}

/** The built scripts, styles and media; only files that the build lists are served. */
export interface StaticFiles {
  /** A compressed file that was read before, in an encoding that the client accepts. */
  find(path: string, acceptEncoding: string | undefined): Representation | undefined;
  /** Answers with compressed files from memory, and with all others from disk, also with ranges. */
  answer: RequestHandler;
}

/**
 * Serves files with the headers of every answer. A compressed file is kept in memory once it was read, in each encoding
 * that was requested.
 */
export function createStaticFiles(
  { publicFolder, files }: BuiltFiles,
  headers: Readonly<Record<string, string>>,
): StaticFiles {
  const listed = new Map(Object.entries(files));
  const kept: Record<Encoding, Map<string, Representation>> = {
    br: new Map(),
    gzip: new Map(),
    identity: new Map(),
  };
  const read = async (path: string, encoding: Encoding, type: string): Promise<Representation> => {
    const body = await readFile(join(publicFolder, path + ENDINGS[encoding]));
    const file = represent(encoding, body, type, { ...headers, ...policyOf(path) });
    kept[encoding].set(path, file);
    return file;
  };
  return {
    find: (path, accepted) => kept[encodingFor(accepted)].get(path),
    async answer(req, res, next) {
      const { path } = req;
      const file = listed.get(path);
      if (!file) {
        next();
        return;
      }
      res.set(policyOf(path)).type(extname(path));
      if (file.compressed) {
        const encoding = encodingFor(req.get('Accept-Encoding'));
        send(req, res, await read(path, encoding, String(res.get('Content-Type'))));
      } else sendAsItIs(path, publicFolder, res.set('ETag', file.tag), next);
    },
  };
}

function sendAsItIs(path: string, root: string, res: Response, next: NextFunction): void {
  res.sendFile(path, { root, cacheControl: false, lastModified: false }, (error?: SendError) => {
    if (!error || error.code === LEFT || res.headersSent) return;
    res.set(error.headers ?? {});
    next(error.status === 416 ? noSuchRange() : error);
  });
}

/** A client that accepts none of our encodings gets the file unencoded. */
function encodingFor(acceptEncoding: string | undefined): Encoding {
  return acceptedEncodings(acceptEncoding)[0] ?? 'identity';
}

/** The error that Express reports for a file that it could not send. */
interface SendError extends NodeJS.ErrnoException {
  status?: number;
  headers?: Record<string, string>;
}

function noSuchRange(): AppError {
  return new AppError({
    code: 'no_such_range',
    status: 416,
    message: 'The requested range is beyond the end of this file',
  });
}

function policyOf(path: string): CachePolicy {
  return HASHED_NAME.test(path) ? keptForEver : keptForAnHour;
}
