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

/**
 * Serves the built scripts, styles and media with the headers of every answer; only files that the build lists. A
 * compressed file is kept in memory once it was read, in each encoding that was requested.
 */
export function createStaticFiles(
  { publicFolder, files }: BuiltFiles,
  headers: Readonly<Record<string, string>>,
) {
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
  /** A compressed file that was read before, in an encoding that the client accepts. */
  const find = (path: string, accepted: string | undefined) => kept[encodingFor(accepted)].get(path);
  /** Answers with compressed files from memory, and with all others from disk, also with ranges. */
  const answer: RequestHandler = async (req, res, next) => {
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
  };
  return { find, answer };
}

function sendAsItIs(path: string, root: string, res: Response, next: NextFunction): void {
  res.sendFile(path, { root, cacheControl: false, lastModified: false }, (error?: SendError) => {
    if (!error || error.code === LEFT || res.headersSent) return;
    res.set(error.headers ?? {});
    const message = 'The requested range is beyond the end of this file';
    next(error.status === 416 ? new AppError({ code: 'no_such_range', status: 416, message }) : error);
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

function policyOf(path: string): CachePolicy {
  return HASHED_NAME.test(path) ? keptForEver : keptForAnHour;
}
