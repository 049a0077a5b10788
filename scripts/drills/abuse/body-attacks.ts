import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SENDGRID_PATH } from '#server/mail-events/sendgrid.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/standard-webhooks.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { VITALS_PATH } from '#shared/vitals.ts';
import { JOIN_WAITING_PATH } from '#shared/waiting.ts';
import {
  type AttackKind,
  consent,
  contact,
  ECHO,
  JSON_TYPE,
  KEY,
  PERSONAL,
  post,
  requestBytes,
} from './attack.ts';

/** The endpoints that accept JSON from a visitor. */
const ENDPOINTS = [CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH, JOIN_WAITING_PATH] as const;

const malformed = fc
  .tuple(
    fc.constantFrom(...ENDPOINTS),
    fc.oneof(
      fc.json(),
      fc.constantFrom(JSON.stringify(contact), JSON.stringify(consent)),
      fc.constantFrom('[', '{"a":', '[[', '{"a":1e'),
    ),
    fc.nat(200),
    fc.constantFrom('', '}', ',', '\u0000', '"', PERSONAL, '['.repeat(5_000), '{"a":'.repeat(2_000)),
  )
  .map(([path, json, at, junk]) => ({
    bytes: post(`${json.slice(0, at)}${junk}${json.slice(at)}`, [JSON_TYPE, KEY], path),
  }));

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
    fc.constantFrom(...ENDPOINTS),
    fc.constantFrom(...TYPES),
    fc.constantFrom(...CHARSETS),
    fc.constantFrom(...ENCODINGS),
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.constant(bomb),
      fc.constantFrom(Buffer.from(JSON.stringify(contact)), Buffer.from(JSON.stringify(consent))),
    ),
  )
  .map(([path, type, charset, encoding, body]) => ({
    bytes: post(
      body,
      [`Content-Type: ${type}; charset=${charset}`, `Content-Encoding: ${encoding}`, KEY],
      path,
    ),
  }));

const large = fc
  .oneof(
    fc.tuple(
      fc.constantFrom(CREATE_PAYMENT_PATH, JOIN_WAITING_PATH),
      fc.integer({ min: 17_000, max: 400_000 }),
    ),
    fc.tuple(fc.constant(RECORD_CONSENT_PATH), fc.integer({ min: 1_100, max: 400_000 })),
  )
  .map(([path, size]) => ({
    bytes: post(
      JSON.stringify({ ...contact, ...consent, firstName: PERSONAL.repeat(size / PERSONAL.length) }),
      [JSON_TYPE, KEY],
      path,
    ),
  }));

const foreignSites = fc
  .tuple(
    fc.constantFrom(...ENDPOINTS, VITALS_PATH),
    fc.constantFrom(
      ['Sec-Fetch-Site: cross-site'],
      ['Sec-Fetch-Site: same-site'],
      [`Origin: https://${ECHO}.example`],
      ['Origin: null'],
      [`Origin: http://here.${ECHO}.example`],
      ['Sec-Fetch-Site: cross-site', 'Origin: http://here'],
    ),
  )
  .map(([path, headers]) => ({
    bytes: post(JSON.stringify({ ...contact, ...consent }), [JSON_TYPE, KEY, ...headers], path),
  }));

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

const MAIL_TIMES = [
  '',
  'NaN',
  '-1',
  '1e9',
  '0x10',
  `${Math.floor(Date.now() / 1000)}`,
  PERSONAL,
  '9'.repeat(3_000),
];
const MAIL_SIGNATURES = [
  '',
  'v1,',
  `v1,${'A'.repeat(43)}=`,
  `v1a,${PERSONAL} v1,${PERSONAL}`,
  'v1 '.repeat(1_000),
  'MEUCIQD',
  'MAYCAQACAQA=',
];
const bounce = { type: 'bounce', address: contact.email, at: '2025-12-01T12:00:00Z' };
const mailEvents = JSON.stringify([{ ...bounce, event: 'bounce', email: contact.email, timestamp: 1 }]);

/** Reports of bounced letters without the signature of a mail provider. */
const mailWebhooks = fc
  .tuple(
    fc.constantFrom(MAIL_EVENTS_PATH, SENDGRID_PATH),
    fc.constantFrom(...MAIL_TIMES),
    fc.constantFrom(...MAIL_SIGNATURES),
    fc.oneof(fc.constant(mailEvents), fc.json()),
    fc.constantFrom(JSON_TYPE, 'Content-Type: text/plain'),
  )
  .map(([path, time, signature, body, type]) => ({
    bytes: requestBytes({
      method: 'POST',
      path,
      headers: [
        type,
        `webhook-id: ${PERSONAL}`,
        `webhook-timestamp: ${time}`,
        `webhook-signature: ${signature}`,
        `X-Twilio-Email-Event-Webhook-Timestamp: ${time}`,
        `X-Twilio-Email-Event-Webhook-Signature: ${signature}`,
      ],
      body,
    }),
  }));

/** Attacks through the bodies that are sent to the endpoints, and through their senders. */
export const bodyAttacks: readonly AttackKind[] = [
  { name: 'malformed JSON', target: 'site', allowed: [200, 400, 409, 413, 422], attacks: malformed },
  { name: 'charsets and encodings', target: 'site', allowed: [200, 400, 409, 413, 415], attacks: encodings },
  { name: 'large bodies', target: 'site', allowed: [413], attacks: large },
  { name: 'other sites', target: 'site', allowed: [403], attacks: foreignSites },
  { name: 'forged webhooks', target: 'site', allowed: [400], attacks: webhooks },
  { name: 'forged mail webhooks', target: 'site', allowed: [400], attacks: mailWebhooks },
];
