import fc from 'fast-check';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { VITALS_PATH } from '#shared/vitals.ts';
import { type AttackKind, consent, contact, JSON_TYPE, PERSONAL, post, requestBytes } from './attack.ts';

const HOSTILE = [
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
];
const FIELDS = [
  'firstName',
  'lastName',
  'email',
  'phoneNumber',
  'package',
  'timeZone',
  'website',
  'paymentIntentClientSecret',
];

const hostile = fc.constantFrom(...HOSTILE);
const anything = fc.oneof(
  hostile,
  fc.string().map((text) => `${text}${PERSONAL}`),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(hostile, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('$gt', '__proto__', 'constructor', 'toString', 'length'), hostile),
);

const wrongTypes = fc
  .dictionary(fc.constantFrom(...FIELDS, '__proto__', 'constructor', 'amount'), anything)
  .map((fields) => ({ bytes: post(JSON.stringify(fields)) }));

const hostileFields = fc.tuple(fc.constantFrom(...FIELDS), hostile, fc.uuid()).map(([field, value, key]) => ({
  bytes: post(JSON.stringify({ ...contact, [field]: value }), [JSON_TYPE, `Idempotency-Key: ${key}`]),
}));

const keys = fc
  .oneof(hostile, fc.string(), fc.constantFrom('', 'x', 'a'.repeat(5_000)))
  .map((key) => key.replace(/[^\x20-\x7e]/g, ''))
  .filter((key) => !/^[\w-]{16,64}$/.test(key.trim()))
  .map((key) => ({ bytes: post(JSON.stringify(contact), [JSON_TYPE, `Idempotency-Key: ${key}`]) }));

const vitals = fc
  .oneof(
    anything,
    fc.array(fc.record({ name: anything, value: anything, rating: anything }), { maxLength: 9 }),
  )
  .map((reported) => ({
    bytes: requestBytes({
      method: 'POST',
      path: VITALS_PATH,
      headers: [JSON_TYPE],
      body: JSON.stringify({ vitals: reported, [PERSONAL]: PERSONAL }),
    }),
  }));

const CONSENT_FIELDS = ['paymentIntentClientSecret', 'version', 'digest'] as const;

const wrongConsents = fc
  .tuple(
    fc.constantFrom(...CONSENT_FIELDS),
    anything,
    fc.dictionary(fc.constantFrom('__proto__', 'agreedAt', 'terms', 'metadata'), hostile, { maxKeys: 2 }),
  )
  .map(([field, value, others]) => ({
    bytes: postConsent({ ...others, ...consent, [field]: value }),
  }));

/** Well-formed consents that match no payment. */
const forgedConsents = fc
  .record({
    paymentIntentClientSecret: fc
      .tuple(fc.stringMatching(/^[A-Za-z0-9]{1,300}$/), fc.stringMatching(/^[A-Za-z0-9]{1,300}$/))
      .map(([id, secret]) => `pi_${id}${PERSONAL}_secret_${secret}`),
    version: fc.oneof(
      fc.constantFrom(terms.version, '__proto__', 'constructor', 'toString', '..', '-', PERSONAL),
      fc.stringMatching(/^[\w.-]{1,64}$/),
    ),
    digest: fc.oneof(fc.constant(terms.digest), fc.stringMatching(/^[0-9a-f]{64}$/)),
  })
  .map((forged) => ({ bytes: postConsent(forged) }));

function postConsent(body: object): Uint8Array {
  return post(JSON.stringify(body), [JSON_TYPE], RECORD_CONSENT_PATH);
}

/** Attacks through the field values of a registration, of a consent, or of a page view's report. */
export const fieldAttacks: readonly AttackKind[] = [
  { name: 'wrong types', target: 'site', allowed: [400], attacks: wrongTypes },
  { name: 'hostile fields', target: 'site', allowed: [200, 400, 409, 422], attacks: hostileFields },
  { name: 'idempotency keys', target: 'site', allowed: [400], attacks: keys },
  { name: 'wrong consents', target: 'site', allowed: [400, 409, 413], attacks: wrongConsents },
  { name: 'forged consents', target: 'site', allowed: [409], attacks: forgedConsents },
  { name: 'page view reports', target: 'site', allowed: [204, 400, 413, 429], attacks: vitals },
];
