import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SENDGRID_PATH } from '#server/mail-events/sendgrid.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/standard-webhooks.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { VITALS_PATH } from '#shared/vitals.ts';
import { JOIN_WAITING_PATH } from '#shared/waiting.ts';
import { consent, contactOf, JSON_TYPE, type Kind, PERSONAL, post } from './attack.ts';

/** The endpoints that take JSON from a visitor. */
const endpoint = fc.constantFrom(CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH, JOIN_WAITING_PATH);

/** A body that is accepted, or is so but for its secret. */
const honest = fc.oneof(
  fc.uuid().map((id) => JSON.stringify(contactOf(id))),
  fc.constant(JSON.stringify(consent)),
);

const malformed = fc
  .tuple(
    endpoint,
    fc.oneof(fc.json(), honest, fc.constantFrom('[', '{"a":', '[[', '{"a":1e')),
    fc.nat(200),
    fc.constantFrom(
      ...['', '}', ',', '\u0000', '"', PERSONAL, PERSONAL.repeat(2_000)],
      ...['['.repeat(5_000), '{"a":'.repeat(2_000)],
    ),
  )
  .map(([path, json, at, junk]) => post(`${json.slice(0, at)}${junk}${json.slice(at)}`, [JSON_TYPE], path));

const JSON_TYPES = Array.from({ length: 4 }, () => 'application/json');
const TYPES = [...JSON_TYPES, 'text/plain', 'multipart/form-data; boundary=x', 'json', PERSONAL, ''];
const CHARSETS = ['utf-8', 'utf-8', 'utf-7', 'utf-16', 'ebcdic', '"', PERSONAL, 'utf-8, utf-8', '%00'];
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', PERSONAL, 'gzip, gzip', 'identity;q=0', ''];
const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));

const encodings = fc
  .tuple(
    endpoint,
    fc.tuple(fc.constantFrom(...TYPES), fc.constantFrom(...CHARSETS), fc.constantFrom(...ENCODINGS)),
    fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.constant(bomb), honest),
  )
  .map(([path, [type, charset, encoding], body]) =>
    post(body, [`Content-Type: ${type}; charset=${charset}`, `Content-Encoding: ${encoding}`], path),
  );

/** What nobody has signed: the times and the signatures that its headers have. Half of them are plausible. */
const now = String(Math.floor(Date.now() / 1000));
const PLAUSIBLE = ['0'.repeat(64), `v1,${'A'.repeat(43)}=`, 'MAYCAQACAQA='];
const TIMES = ['', 'NaN', '-1', '1e9', '0x10', now, PERSONAL, '9'.repeat(3_000)];
const SIGNATURES = [
  ...['', PERSONAL, 'v1,', `v1a,${PERSONAL} v1,${PERSONAL}`, 'v1 '.repeat(1_000)],
  ...['MEUCIQD', '00', ','.repeat(3_000), 't='.repeat(500)],
];
const paid = { id: 'pi_1', object: 'payment_intent', metadata: contactOf('paid') };
const { email } = contactOf('bounced');
const EVENTS = [
  { id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', data: { object: paid } },
  [{ type: 'bounce', event: 'bounce', address: email, email, timestamp: 1 }],
];

const forged = fc
  .tuple(
    fc.constantFrom(WEBHOOK_PATH, MAIL_EVENTS_PATH, SENDGRID_PATH),
    fc.oneof(fc.constantFrom(...EVENTS.map((event) => JSON.stringify(event))), fc.json()),
    fc.constantFrom(JSON_TYPE, 'Content-Type: text/plain'),
    fc.oneof(fc.constant(now), fc.constantFrom(...TIMES)),
    fc.oneof(fc.constantFrom(...PLAUSIBLE), fc.constantFrom(...SIGNATURES)),
  )
  .map(([path, body, type, time, mac]) => {
    const signed = [
      `Stripe-Signature: t=${time},v1=${mac}`,
      ...[`webhook-id: ${PERSONAL}`, `webhook-timestamp: ${time}`, `webhook-signature: ${mac}`],
      `X-Twilio-Email-Event-Webhook-Timestamp: ${time}`,
      `X-Twilio-Email-Event-Webhook-Signature: ${mac}`,
    ];
    return post(body, [type, ...signed], path);
  });

const hostile = fc.constantFrom(
  `<script>${PERSONAL}</script>`,
  `' OR 1=1 -- ${PERSONAL}`,
  `${PERSONAL}\r\nBcc: all@${PERSONAL}.example`,
  `{{${PERSONAL}}}\${7*7}<%= 7 %>`,
  `\u0000${PERSONAL}`,
  `\u202e${PERSONAL}`,
  `\ud800${PERSONAL}`,
  `../../${PERSONAL}`,
  `=cmd|'${PERSONAL}'!A1`,
  PERSONAL.repeat(40),
  `${PERSONAL}@${PERSONAL}.example`,
);
/** Secrets of the right form that open no payment. */
const invented = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9]{1,300}$/), fc.stringMatching(/^[A-Za-z0-9]{1,300}$/))
  .map(([id, secret]) => `pi_${id}${PERSONAL}_secret_${secret}`);
const anything = fc.oneof(
  hostile,
  fc.string().map((text) => `${text}${PERSONAL}`),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(hostile, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('$gt', '__proto__', 'constructor', 'toString', 'length'), hostile),
);
const FIELDS = [
  ...['firstName', 'lastName', 'email', 'phoneNumber', 'package'],
  ...['timeZone', 'website', 'paymentIntentClientSecret'],
];

const wrongTypes = fc
  .dictionary(fc.constantFrom(...FIELDS, '__proto__', 'constructor', 'amount'), anything)
  .map((fields) => post(JSON.stringify(fields)));

const hostileFields = fc
  .tuple(fc.constantFrom(...FIELDS), fc.oneof(hostile, invented), fc.uuid())
  .map(([field, value, id]) =>
    post(JSON.stringify({ ...contactOf(id), [field]: value }), [JSON_TYPE, `Idempotency-Key: ${id}`]),
  );

const consents = fc
  .record({
    paymentIntentClientSecret: fc.oneof(invented, anything),
    version: fc.oneof(fc.constantFrom(terms.version, '__proto__', 'constructor', '..', '-'), anything),
    digest: fc.oneof(fc.constant(terms.digest), anything),
    agreedAt: anything,
    metadata: anything,
  })
  .map((body) => post(JSON.stringify(body), [JSON_TYPE], RECORD_CONSENT_PATH));

const vitals = fc
  .oneof(anything, fc.array(fc.record({ name: anything, value: anything }), { maxLength: 9 }))
  .map((reported) =>
    post(JSON.stringify({ vitals: reported, [PERSONAL]: PERSONAL }), [JSON_TYPE], VITALS_PATH),
  );

/** Attacks through the bodies that are sent to the endpoints. */
export const bodyAttacks: readonly Kind[] = [
  { name: 'malformed JSON', sends: malformed, allowed: [200, 400, 409, 413, 422] },
  { name: 'charsets and encodings', sends: encodings, allowed: [200, 400, 409, 413, 415] },
  // 431: a signature may be longer than Node takes headers.
  { name: 'forged webhooks', sends: forged, allowed: [400, 431] },
  { name: 'wrong types', sends: wrongTypes, allowed: [400] },
  { name: 'hostile fields', sends: hostileFields, allowed: [200, 400, 409, 422] },
  { name: 'consents to no deposit', sends: consents, allowed: [400, 409, 413] },
  { name: 'reports of page views', sends: vitals, allowed: [204, 400, 413, 429] },
];
