import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Encoding } from './accept-encoding.ts';
import { entityTag, isKnown } from './entity-tag.ts';

const OK = 200;
const NOT_MODIFIED = 304;

/** Names and values in turn, as Node writes them fastest. */
export type RawHeaders = readonly string[];

/** A body as it is sent in one encoding, with its headers, made once. */
export interface Representation {
  body: Buffer;
  tag: string;
  headers: RawHeaders;
  headersWhenKnown: RawHeaders;
}

/** Makes what is sent of a body in an encoding, under headers that all encodings share. */
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
    'Content-Length': String(body.length),
  };
  return {
    body,
    tag,
    headers: Object.entries(headers).flat(),
    headersWhenKnown: Object.entries(headersWhenKnown).flat(),
  };
}

/** Answers a GET or HEAD with a body that is ready: whole, without the body, or with the news that there are none. */
export function send(
  req: IncomingMessage,
  res: ServerResponse,
  representation: Representation,
  further: RawHeaders = [],
): void {
  const { body, tag, headers, headersWhenKnown } = representation;
  if (isKnown(tag, req.headers['if-none-match'])) {
    res.writeHead(NOT_MODIFIED, [...headersWhenKnown, ...further]).end();
    return;
  }
  res.writeHead(OK, [...headers, ...further]);
  if (req.method === 'HEAD') res.end();
  else res.end(body);
}
