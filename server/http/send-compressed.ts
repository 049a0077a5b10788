import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Response } from 'express';
import { acceptedEncodings, type Encoding } from './representation.ts';

const brotli = promisify(brotliCompress);
const COMPRESS: Readonly<Record<Encoding, (html: string) => Promise<Buffer> | string>> = {
  // Higher qualities take several times as long for a few percent.
  br: (html) => brotli(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify<string, Buffer>(gzip),
  identity: (html) => html,
};

/**
 * Answers with a page, compressed if the client accepts that. The page must repeat nothing that another site can choose,
 * such as the query or a form: the length of a compressed page shows whether such a text is like another part of the
 * page, and so, guess by guess, a secret in it (BREACH).
 * @see https://www.breachattack.com
 */
export async function sendCompressed(res: Response, html: string): Promise<void> {
  const encoding = acceptedEncodings(res.req.get('Accept-Encoding'))[0] ?? 'identity';
  const body = await COMPRESS[encoding](html);
  if (encoding !== 'identity') res.set('Content-Encoding', encoding);
  res.type('html').vary('Accept-Encoding').send(body);
}
