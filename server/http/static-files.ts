import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { NextFunction, RequestHandler, Response } from 'express';
import { AppError } from './app-error.ts';
import { type CachePolicy, keptForAnHour, keptForEver } from './cache-policy.ts';
import { acceptedEncodings, type Encoding, type Representation, represent, send } from './representation.ts';

/** Hashed names never change their content. */
export const HASHED_NAME = /-[A-Z0-9]{8}\.(chunk\.)?[a-z0-9]+$/;

/** Express's word for a visitor who left before her file came. */
const LEFT = 'ECONNABORTED';

const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } satisfies Record<Encoding, string>;

/** What the build made to be served. */
interface BuiltFiles {
  publicFolder: string;
  /** By the path that the browser asks for. */
  files: Readonly<Record<string, { tag: string; compressed: boolean }>>;
}

/** The built scripts, styles and media, and nothing that the build does not list. */
export interface StaticFiles {
  /** A compressed file that was read, as its reader takes it. */
  find(path: string, acceptEncoding: string | undefined): Representation | undefined;
  /** Answers with what is compressed from memory, with the rest from its file, in ranges if wished. */
  answer: RequestHandler;
}

/** Files with the headers of every answer. A compressed one is kept, once read, in each encoding that is asked for. */
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

/** What Express tells of a file that it could not send. */
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
