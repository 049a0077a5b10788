import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import express, { type Response } from 'express';
import { AppError } from './app-error.ts';

/** The encodings that this site sends, the smallest first. `identity` is the body without an encoding. */
const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** The smallest encoding that a request accepts; undefined when it accepts none of ours. */
export function acceptedEncoding(req: IncomingMessage): Encoding | undefined {
  // Express's own reading of the header, which is also asked ahead of Express.
  return encodings.find((encoding) => express.request.acceptsEncodings.call(req, encoding) !== false);
}

export interface Representation {
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

export type FinishedPage = Readonly<Record<Encoding, Representation>>;

export async function finishPage(
  html: Buffer,
  shared: Readonly<Record<string, string>>,
): Promise<FinishedPage> {
  const [br, gzip] = await Promise.all([brotli(html), gzipped(html)]);
  const inEncoding = (encoding: Encoding, body: Buffer): Representation => ({
    body,
    headers: {
      ...shared,
      ...headersOf(encoding, entityTag(body)),
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': String(body.length),
    },
  });
  return { br: inEncoding('br', br), gzip: inEncoding('gzip', gzip), identity: inEncoding('identity', html) };
}

export const headersOf = (encoding: Encoding, tag: string): Record<string, string> => ({
  Vary: 'Accept-Encoding',
  ETag: tag,
  ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
});

/**
 * Answers a GET or HEAD with a page, or with 304 if the client has it already.
 * @throws {AppError} 406 when the request accepts no encoding of it
 */
export function sendPage(res: Response, page: FinishedPage): void {
  const encoding = acceptedEncoding(res.req);
  const message = 'This page can be sent as brotli, as gzip or uncompressed';
  if (!encoding) throw new AppError({ code: 'not_acceptable', status: 406, message });
  const { headers, body } = page[encoding];
  res.set(headers).send(body);
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
