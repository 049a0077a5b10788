import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { type AttackKind, contact, ECHO, JSON_TYPE, KEY, PERSONAL, post, requestBytes } from './attack.ts';

const malformed = fc
  .tuple(
    fc.oneof(fc.json(), fc.constant(JSON.stringify(contact)), fc.constantFrom('[', '{"a":', '[[', '{"a":1e')),
    fc.nat(200),
    fc.constantFrom('', '}', ',', '\u0000', '"', PERSONAL, '['.repeat(5_000), '{"a":'.repeat(2_000)),
  )
  .map(([json, at, junk]) => ({ bytes: post(`${json.slice(0, at)}${junk}${json.slice(at)}`) }));

const CHARSETS = [
  'utf-8',
  'utf-8',
  'utf-8',
  'utf-7',
  'utf-16',
  'utf-32',
  'ebcdic',
  '"',
  PERSONAL,
  'utf-8, utf-8',
  '%00',
];
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', PERSONAL, 'gzip, gzip', 'identity;q=0', ''];
const TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/json',
  'text/plain',
  'multipart/form-data; boundary=x',
  'json',
  PERSONAL,
  '',
];

const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));

const encodings = fc
  .tuple(
    fc.constantFrom(...TYPES),
    fc.constantFrom(...CHARSETS),
    fc.constantFrom(...ENCODINGS),
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.constant(bomb),
      fc.constant(Buffer.from(JSON.stringify(contact))),
    ),
  )
  .map(([type, charset, encoding, body]) => ({
    bytes: post(body, [`Content-Type: ${type}; charset=${charset}`, `Content-Encoding: ${encoding}`, KEY]),
  }));

const large = fc.integer({ min: 17_000, max: 400_000 }).map((size) => ({
  bytes: post(JSON.stringify({ ...contact, firstName: PERSONAL.repeat(size / PERSONAL.length) })),
}));

const foreignSites = fc
  .constantFrom(
    ['Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: same-site'],
    [`Origin: https://${ECHO}.example`],
    ['Origin: null'],
    [`Origin: http://here.${ECHO}.example`],
    ['Sec-Fetch-Site: cross-site', 'Origin: http://here'],
  )
  .map((headers) => ({ bytes: post(JSON.stringify(contact), [JSON_TYPE, KEY, ...headers]) }));

const SIGNATURES = [
  '',
  't=1,v1=00',
  `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
  `t=NaN,v1=${PERSONAL}`,
  `v1=${PERSONAL}`,
  ','.repeat(3_000),
  't='.repeat(500),
];
const event = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'payment_intent.succeeded',
  data: { object: { id: 'pi_1', object: 'payment_intent', metadata: contact } },
});

const webhooks = fc
  .tuple(
    fc.constantFrom(...SIGNATURES),
    fc.oneof(fc.constant(event), fc.json()),
    fc.constantFrom(JSON_TYPE, 'Content-Type: text/plain'),
  )
  .map(([signature, body, type]) => ({
    bytes: requestBytes({
      method: 'POST',
      path: WEBHOOK_PATH,
      headers: [type, `Stripe-Signature: ${signature}`],
      body,
    }),
  }));

/** Attacks by the bodies that are sent to the endpoints, and by who sends them. */
export const bodyAttacks: readonly AttackKind[] = [
  { name: 'malformed JSON', target: 'site', allowed: [200, 400, 409, 413, 422], attacks: malformed },
  { name: 'charsets and encodings', target: 'site', allowed: [200, 400, 409, 413, 415], attacks: encodings },
  { name: 'large bodies', target: 'site', allowed: [413], attacks: large },
  { name: 'other sites', target: 'site', allowed: [403], attacks: foreignSites },
  { name: 'forged webhooks', target: 'site', allowed: [400], attacks: webhooks },
];
