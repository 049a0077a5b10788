import fc from 'fast-check';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { type AttackKind, ECHO, type Ending, PERSONAL, requestBytes } from './attack.ts';

const HEADERS = [
  `X-Forwarded-For: ${PERSONAL}`,
  'X-Forwarded-For: 127.0.0.1, ::1, 999.1.1.1',
  `X-Forwarded-Host: ${PERSONAL}.example`,
  'X-Forwarded-Proto: javascript',
  `X-Original-URL: /queues/${PERSONAL}`,
  'X-HTTP-Method-Override: DELETE',
  `Forwarded: for=${PERSONAL};host=${PERSONAL}`,
  'Range: bytes=0-0,1-1,2-2,3-3',
  'Range: bytes=99999999-',
  `Range: ${PERSONAL}`,
  `If-None-Match: ${'"x",'.repeat(1_000)}`,
  'If-Modified-Since: yesterday',
  `If-Match: "${PERSONAL}"`,
  `Cookie: ${'a=b; '.repeat(1_000)}`,
  `Cookie: __proto__=${PERSONAL}`,
  `Authorization: Basic ${PERSONAL}`,
  `Accept-Language: ${'*,'.repeat(500)}`,
  `Accept-Encoding: ${PERSONAL}, ;q=x`,
  'Upgrade: websocket',
  'Upgrade: h2c',
  `Expect: ${PERSONAL}`,
  'Expect: 100-continue',
  'Content-Length: 5',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'Connection: close, content-length, host',
  'TE: trailers',
  `X-Long: ${'a'.repeat(9_000)}`,
  `X-Bytes: \u00ff\u0080${PERSONAL}`,
  `X-Null: \u0000${PERSONAL}`,
  ` folded: ${PERSONAL}`,
  `bad name: ${PERSONAL}`,
  ': empty',
  `\u007f: ${PERSONAL}`,
];
const PATHS = ['/', '/favicon.svg', '/robots.txt', '/retreat.ics', `/${ECHO}`];

const headers = fc
  .tuple(fc.constantFrom(...PATHS), fc.array(fc.constantFrom(...HEADERS), { minLength: 1, maxLength: 6 }))
  .map(([path, lines]) => ({ bytes: requestBytes({ path, headers: lines }), ending: endingAfter(lines) }));

/** The server waits for an announced body, unless the client ends its side of the connection. */
function endingAfter(lines: readonly string[]): Ending {
  return lines.some((line) => /^(content-length|transfer-encoding)/i.test(line)) ? 'stops-sending' : 'reads';
}

const many = fc
  .tuple(fc.integer({ min: 100, max: 3_000 }), fc.constantFrom('X-A: 1', 'Cookie: a=b', `A: ${PERSONAL}`))
  .map(([count, line]) => ({ bytes: requestBytes({ headers: Array.from({ length: count }, () => line) }) }));

/** Duplicate headers. A single Host is a duplicate too, because every request already has one. */
const TWINS = [
  [`Host: ${PERSONAL}.example`],
  ['Host: here'],
  ['host:'],
  [`HOST: ${PERSONAL}`, 'Host: here'],
  [`Authorization: Basic ${PERSONAL}`, 'Authorization: Basic b3BzOm9wcw=='],
  ['Content-Type: application/json', `content-type: ${PERSONAL}`],
];
const twins = fc
  .tuple(
    fc.constantFrom('GET', 'POST', 'HEAD'),
    fc.constantFrom(...PATHS, CREATE_PAYMENT_PATH, '/metrics'),
    fc.constantFrom(...TWINS),
    fc.constantFrom([], ['Accept: text/html'], ['X-Between: 1']),
  )
  .map(([method, path, lines, others]) => ({
    bytes: requestBytes({ method, path, headers: [...others, ...lines] }),
  }));

const smuggled = `GET /${ECHO} HTTP/1.1\r\nHost: here\r\n\r\n`;
const smuggling = fc
  .constantFrom(
    ['Content-Length: 4', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding:\u000bchunked'],
    ['Content-Length: 3', 'Content-Length: 4'],
    ['Content-Length: +4'],
    ['Content-Length: 0x4'],
    ['Content-Length: 4, 4'],
  )
  .map((lines) => ({
    bytes: requestBytes({
      method: 'POST',
      path: CREATE_PAYMENT_PATH,
      headers: lines,
      body: `0\r\n\r\n${smuggled}`,
    }),
  }));

const CHUNKS = [
  '5\r\nhello\r\n',
  '5;x=y\r\nhello\r\n',
  'zz\r\n',
  '-1\r\n',
  'ffffffffffffffffff\r\n',
  '0\r\n\r\n',
  `1;${'a'.repeat(20_000)}\r\n`,
  '5\nhello\n',
  PERSONAL,
];
const chunked = fc.array(fc.constantFrom(...CHUNKS), { minLength: 1, maxLength: 5 }).map((chunks) => ({
  bytes: requestBytes({
    method: 'POST',
    path: CREATE_PAYMENT_PATH,
    headers: ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
    body: chunks.join(''),
  }),
  ending: 'stops-sending' as const,
}));

const PREFACES = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  '\r\n\r\n',
  'EHLO here\r\n',
  'PING\r\n',
  '*1\r\n$4\r\nPING\r\n',
  '\u0016\u0003\u0001\u0002\u0000',
];
const garbage = fc
  .tuple(
    fc.oneof(fc.uint8Array({ maxLength: 500 }), fc.constantFrom(...PREFACES).map(latin)),
    fc.constantFrom('', '\r\n', '\r\n\r\n'),
  )
  .map(([bytes, end]) => ({ bytes: Buffer.concat([bytes, latin(end)]), ending: 'stops-sending' as const }));

function latin(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

const whole = Buffer.concat([
  requestBytes({
    method: 'POST',
    path: CREATE_PAYMENT_PATH,
    headers: ['Content-Type: application/json', 'Idempotency-Key: 0123456789abcdef0123456789abcdef'],
    body: JSON.stringify({ firstName: PERSONAL, email: `a@${PERSONAL}.example` }),
  }),
]);
const torn = fc
  .tuple(
    fc.integer({ min: 0, max: whole.length }),
    fc.constantFrom('hangs-up' as const, 'stops-sending' as const),
  )
  .map(([length, ending]) => ({ bytes: whole.subarray(0, length), ending }));

const ANY_REFUSAL = [400, 404, 405, 408, 413, 415, 417, 431, 'closed'] as const;

/** Attacks through headers, through the framing of requests, and with bytes that are no request. */
export const socketAttacks: readonly AttackKind[] = [
  { name: 'headers', target: 'site', allowed: [200, 206, 304, 412, 416, ...ANY_REFUSAL], attacks: headers },
  { name: 'many headers', target: 'site', allowed: [431], attacks: many },
  { name: 'headers twice', target: 'site', allowed: [400], attacks: twins },
  { name: 'headers twice, ops', target: 'ops', allowed: [400], attacks: twins },
  { name: 'request smuggling', target: 'site', allowed: [400, 415], attacks: smuggling },
  { name: 'chunks', target: 'site', allowed: ANY_REFUSAL, attacks: chunked },
  { name: 'no HTTP at all', target: 'site', allowed: [400, 431, 'closed'], attacks: garbage },
  { name: 'no HTTP at all, ops', target: 'ops', allowed: [400, 431, 'closed'], attacks: garbage },
  { name: 'torn requests', target: 'site', allowed: [400, 'closed'], attacks: torn },
];
