import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib';
import type { Response } from 'express';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import { AppError } from './app-error.ts';

/** The encodings that this site sends, the smallest first. `identity` is the body without an encoding. */
export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/**
 * The encodings that a request accepts, the preferred first; of those it accepts equally, the smallest first.
 * Empty when it accepts none of ours.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-accept-encoding
 */
export function acceptedEncodings(acceptEncoding = 'identity'): readonly Encoding[] {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  return negotiator.encodings(encodings, { preferred: encodings });
}

/** A body in one encoding, with its headers. */
export interface Representation {
  body: Buffer;
  tag: string;
  headers: OutgoingHttpHeaders;
  headersWhenKnown: OutgoingHttpHeaders;
}

/** Makes the representation of a body in an encoding; `shared` are the headers that all encodings have. */
export function represent(
  encoding: Encoding,
  body: Buffer,
  type: string,
  shared: Readonly<Record<string, string>> = {},
): Representation {
  const tag = entityTag(body);
  const headersWhenKnown = { ...shared, Vary: 'Accept-Encoding', ETag: tag };
  const headers = {
    ...headersWhenKnown,
    'Content-Type': type,
    ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    'Content-Length': body.length,
  };
  return { body, tag, headers, headersWhenKnown };
}

/** A rendered page. Its encodings are added when they are ready. */
export class FinishedPage {
  readonly #representations = new Map<Encoding, Representation>();
  /** Resolves when every encoding is ready. */
  readonly whole: Promise<void>;

  constructor(html: Buffer, headers: Readonly<Record<string, string>>) {
    const add = (encoding: Encoding, body: Buffer): void => {
      this.#representations.set(encoding, represent(encoding, body, 'text/html; charset=utf-8', headers));
    };
    add('identity', html);
    this.whole = Promise.all([
      gzipped(html).then((body) => add('gzip', body)),
      brotli(html).then((body) => add('br', body)),
    ]).then(() => {});
  }

  /** The best encoding that a request accepts, of those that are ready. */
  choose(acceptEncoding: string | undefined): Representation | undefined {
    for (const encoding of acceptedEncodings(acceptEncoding)) {
      const found = this.#representations.get(encoding);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * The same, once one of them is ready.
   * @throws {AppError} 406 when the request accepts none
   */
  async pick(acceptEncoding: string | undefined): Promise<Representation> {
    if (!this.choose(acceptEncoding)) await this.whole;
    const found = this.choose(acceptEncoding);
    if (found) return found;
    const message = 'This page can be sent as brotli, as gzip or uncompressed';
    throw new AppError({ code: 'not_acceptable', status: 406, message });
  }
}

/** Answers a GET or HEAD with a complete body, without the body, or with 304 if the client has it already. */
export function send(
  req: IncomingMessage,
  res: ServerResponse,
  { body, tag, headers, headersWhenKnown }: Representation,
): void {
  if (fresh(req.headers, { etag: tag })) {
    res.writeHead(304, headersWhenKnown).end();
    return;
  }
  res.writeHead(200, headers);
  if (req.method === 'HEAD') res.end();
  else res.end(body);
}

/** A strong tag of a body; each encoding of it has its own. */
export function entityTag(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Brotli at its highest quality. It takes about 0.1 s for a page, in a thread of its own. */
export function brotli(body: Buffer): Promise<Buffer> {
  return compressBrotli(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}

/** Gzip at its highest level, in a thread of its own. */
export function gzipped(body: Buffer): Promise<Buffer> {
  return compressGzip(body, { level: constants.Z_BEST_COMPRESSION });
}

/**
 * Answers with a page of some kilobytes, compressed if the client accepts that. It takes a quarter of a millisecond,
 * less than the way to a thread and back. The page must repeat nothing that another site can choose, such as the query
 * or a form: the length of a compressed page shows whether such a text is like another part of the page, and so, guess
 * by guess, a secret in it (BREACH).
 * @see https://www.breachattack.com
 */
export function sendCompressed(res: Response, html: string): void {
  res.type('html').vary('Accept-Encoding');
  if (acceptedEncodings(res.req.get('Accept-Encoding')).includes('gzip'))
    res.set('Content-Encoding', 'gzip').send(gzipSync(html));
  else res.send(html);
}
