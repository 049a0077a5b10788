import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { type Representation, send } from './representation.ts';
import { pathOf, REQUEST_ID_HEADER } from './request-log.ts';

/** An answer that is given. */
export interface Answer {
  id: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
}

/** Finds what is in memory for a path, in the encoding that its reader takes. */
export type FindInMemory = (path: string, acceptEncoding: string | undefined) => Representation | undefined;

/**
 * Answers from memory what it can, ahead of everything else, and leaves the rest to the site. The headers that are kept
 * hold what the site would have set; `onAnswer` does what it would have done besides.
 */
export function answerFromMemory(
  find: FindInMemory,
  site: RequestListener,
  onAnswer: (answer: Answer) => void,
): RequestListener {
  return (req, res) => {
    const path = readPathOf(req);
    const representation = path && find(path, req.headers['accept-encoding']);
    if (!representation) {
      site(req, res);
      return;
    }
    const start = performance.now();
    const id = randomUUID();
    send(req, res, representation, [REQUEST_ID_HEADER, id]);
    const { method = '' } = req;
    onAnswer({ id, method, path, status: res.statusCode, durationMs: performance.now() - start });
  };
}

/** What a request reads; undefined for those that do something. */
function readPathOf({ method, url = '' }: IncomingMessage): string | undefined {
  return method === 'GET' || method === 'HEAD' ? pathOf(url) : undefined;
}
