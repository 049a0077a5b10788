import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { REQUEST_ID_HEADER } from '#server/request-log.ts';
import type { PageCache } from './page-cache.ts';
import { send } from './representation.ts';

/** An answer that is given. */
export interface Answer {
  id: string;
  method: string;
  url: string;
  status: number;
  durationMs: number;
}

/**
 * Answers `GET /` from memory where it can, ahead of everything else, and leaves the rest to the site. The page's own
 * headers hold what the site would have set; `onAnswer` does what it would have done besides.
 */
export function answerFromMemory(
  cache: PageCache,
  site: RequestListener,
  onAnswer: (answer: Answer) => void,
): RequestListener {
  return (req, res) => {
    const page = isForPage(req) ? cache.finished : undefined;
    const representation = page?.choose(req.headers['accept-encoding']);
    if (!representation) {
      site(req, res);
      return;
    }
    const start = performance.now();
    const id = randomUUID();
    send(req, res, representation, [REQUEST_ID_HEADER, id]);
    const { method = '', url = '' } = req;
    onAnswer({ id, method, url, status: res.statusCode, durationMs: performance.now() - start });
  };
}

function isForPage({ method, url = '' }: IncomingMessage): boolean {
  return (url === '/' || url.startsWith('/?')) && (method === 'GET' || method === 'HEAD');
}
