import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MAIL_EVENTS_PATH } from '#server/mail-events/mail-events.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { OWN_PAGE_PATH, ownPagePaths, UNFINISHED_PATH } from '#shared/own-page.ts';
import { CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { VITALS_PATH } from '#shared/vitals.ts';
import { JOIN_WAITING_PATH, OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { consent, contactOf, ECHO, JSON_TYPE, type Kind, PERSONAL, post, requestOf } from './attack.ts';

/** The endpoints that take JSON from a visitor, and those that take signed events. */
const JSON_PATHS = [CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH, JOIN_WAITING_PATH];
const EVENT_PATHS = [WEBHOOK_PATH, MAIL_EVENTS_PATH];
const TERMS_PATH = termsPathOf(edition.facts, edition.terms);

/** Lists of words are written as one text. */
const words = (text: string): string[] => text.split(/\s+/);

const DOTS = words('.. %2e%2e %2E. .%2e %252e%252e %c0%ae%c0%ae %u002e%u002e .... . ..;');
const SLASHES = words('/ %2f %5c \\ // /./ %252f %c0%af /%00/');
const STEPS = DOTS.flatMap((dots) => SLASHES.map((slash) => `${dots}${slash}`));
const FOLDERS = words(`/ /static/ /static/js/ /licences/ /terms/ // /favicon.svg/ /${ECHO}/`);
const FILES = words('package.json manifest.json start-app.js etc/passwd proc/self/environ .env .git/config');
const FILE_ENDS = FILES.flatMap((file) => ['', '%00.svg', '?x', '%23', '/'].map((end) => `${file}${end}`));

const KNOWN = [...words('/ /favicon.svg /robots.txt /healthz'), ...JSON_PATHS, ...EVENT_PATHS, TERMS_PATH];
const ODD = [
  ...words('% %0 %zz %00 %0d%0aX-Injected:%20yes %ff%fe %ed%a0%80 %c0%ae %25%32%65 %e2%80%ae'),
  ...words(`;x=1 ~1 %20 \\ \u00ff ${ECHO}`),
];
const QUERIES = words(`?__proto__[x]=1 ?a[]=1 ?constructor.prototype=1 ?% ?&&=& ?email=${PERSONAL}`);

const TERMS = ['/terms/', `/terms/${edition.facts.id}-`, `${TERMS_PATH}/`, '/terms//', '/terms/%2e%2e/'];
const VERSIONS = words(`.. . * - 0 -1 99 1e0 1.yaml 2.json :version (2) [0-9] 2%00 2%2f.. %32%2e%2e 2/..%2f1
  __proto__ constructor toString hasOwnProperty ${ECHO} ${'a'.repeat(2_000)}`);

const LINK_PATHS = [OFFER_PATH, WAITING_PATH, WAITING_PATH.toUpperCase(), UNFINISHED_PATH];
const MAC = 'A'.repeat(43);
const TOKENS = [
  ...['leave', 'offer', 'taking'].map((scope) => `v1.waiting_${PERSONAL}.0.${scope}.9999999999.${MAC}`),
  ...['place', 'end-0123456789abcdef', 'session'].map(
    (scope) => `v1.reg_${PERSONAL}.0.${scope}.9999999999.${MAC}`,
  ),
  ...words(`v1.waiting_.0.offer.-1.${MAC} v1.waiting_1.0.__proto__.1.${MAC} ..%2f..`),
  ...words(`v1.waiting_1.0.offer.999999999999999999999.${MAC} v1.${'waiting_1.'.repeat(400)}${MAC}`),
];
const LINK_COOKIES = ['offer', '__Host-offer', 'place', '__Host-place'];

const method = fc.constantFrom('GET', 'GET', 'HEAD', 'POST');
const accept = fc.constantFrom('text/html', '*/*', 'application/json', `x/${PERSONAL};q=9`, ',;=', '');

/** Requests for addresses that consist of a start, some parts and an end. */
const asked = (
  starts: readonly string[],
  parts: readonly string[],
  most = 1,
  ends: readonly string[] = [''],
) =>
  fc
    .tuple(
      ...([method, accept, fc.constantFrom(...starts)] as const),
      fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: most }),
      fc.constantFrom(...ends),
    )
    .map(([how, wanted, start, middle, end]) =>
      requestOf(how, `${start}${middle.join('')}${end}`, [`Accept: ${wanted}`]),
    );

const cookies = fc
  .tuple(method, fc.constantFrom(OFFER_PATH, OWN_PAGE_PATH), fc.constantFrom(...TOKENS))
  .map(([how, path, token]) =>
    requestOf(how, path, [`Cookie: ${LINK_COOKIES.map((name) => `${name}=${token}`).join('; ')}`]),
  );

/** Headers that the site reads. */
const HEADERS = [
  `X-Forwarded-For: ${PERSONAL}`,
  'X-Forwarded-For: 127.0.0.1, ::1, 999.1.1.1',
  `X-Forwarded-Host: ${PERSONAL}.example`,
  'X-Forwarded-Proto: javascript',
  'Range: bytes=0-0,1-1,2-2,3-3',
  'Range: bytes=99999999-',
  `Range: ${PERSONAL}`,
  `If-None-Match: ${'"x",'.repeat(1_000)}`,
  'If-Modified-Since: yesterday',
  `If-Match: "${PERSONAL}"`,
  `Cookie: ${'a=b; '.repeat(1_000)}`,
  `Cookie: __proto__=${PERSONAL}`,
  `Authorization: Basic ${PERSONAL}`,
  `Accept-Encoding: ${PERSONAL}, ;q=x`,
];
const headers = fc
  .tuple(
    fc.constantFrom('/', '/favicon.svg', '/robots.txt', '/retreat.ics', `/${ECHO}`),
    fc.array(fc.constantFrom(...HEADERS), { minLength: 1, maxLength: 5 }),
  )
  .map(([path, lines]) => requestOf('GET', path, lines));

const endpoint = fc.constantFrom(...JSON_PATHS);
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
      '',
      '}',
      ',',
      '\u0000',
      '"',
      PERSONAL,
      PERSONAL.repeat(2_000),
      '['.repeat(5_000),
      '{"a":'.repeat(2_000),
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
  '',
  PERSONAL,
  'v1,',
  `v1a,${PERSONAL} v1,${PERSONAL}`,
  'v1 '.repeat(1_000),
  'MEUCIQD',
  '00',
  ','.repeat(3_000),
  't='.repeat(500),
];
const paid = { id: 'pi_1', object: 'payment_intent', metadata: contactOf('paid') };
const { email } = contactOf('bounced');
const EVENTS = [
  { id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', data: { object: paid } },
  { type: 'email.bounced', created_at: new Date(), data: { to: [email] } },
];

const forged = fc
  .tuple(
    fc.constantFrom(...EVENT_PATHS),
    fc.oneof(fc.constantFrom(...EVENTS.map((event) => JSON.stringify(event))), fc.json()),
    fc.constantFrom(JSON_TYPE, 'Content-Type: text/plain'),
    fc.oneof(fc.constant(now), fc.constantFrom(...TIMES)),
    fc.oneof(fc.constantFrom(...PLAUSIBLE), fc.constantFrom(...SIGNATURES)),
  )
  .map(([path, body, type, time, mac]) => {
    const signed = [
      `Stripe-Signature: t=${time},v1=${mac}`,
      `webhook-id: ${PERSONAL}`,
      `webhook-timestamp: ${time}`,
      `webhook-signature: ${mac}`,
      `X-Twilio-Email-Event-Webhook-Timestamp: ${time}`,
      `X-Twilio-Email-Event-Webhook-Signature: ${mac}`,
    ];
    return post(body, [type, ...signed], path);
  });

const hostile = fc.constantFrom(
  `<script>${PERSONAL}</script>`,
  `' OR 1=1 -- ${PERSONAL}`,
  `{{${PERSONAL}}}\${7*7}<%= 7 %>`,
  `${PERSONAL}\r\nBcc: all@${PERSONAL}.example`,
  `\u0000${PERSONAL}`,
  `\u202e${PERSONAL}`,
  `\ud800${PERSONAL}`,
  `../../${PERSONAL}`,
  `=cmd|'${PERSONAL}'!A1`,
  PERSONAL.repeat(40),
  `${PERSONAL}@${PERSONAL}.example`,
);
/** Secrets of the right form that open no payment. */
const anyName = fc.stringMatching(/^[A-Za-z0-9]{1,300}$/);
const invented = fc.tuple(anyName, anyName).map(([id, secret]) => `pi_${id}${PERSONAL}_secret_${secret}`);
const anything = fc.oneof(
  hostile,
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(hostile, { maxLength: 3 }),
  fc.string().map((text) => `${text}${PERSONAL}`),
  fc.dictionary(fc.constantFrom('$gt', '__proto__', 'constructor', 'toString', 'length'), hostile),
);
const FIELDS = words(
  `firstName lastName email phoneNumber package timeZone website paymentIntentClientSecret`,
);

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
    version: fc.oneof(fc.constantFrom(consent.version, '__proto__', 'constructor', '..', '-'), anything),
    digest: fc.oneof(fc.constant(consent.digest), anything),
    agreedAt: anything,
    metadata: anything,
  })
  .map((body) => post(JSON.stringify(body), [JSON_TYPE], RECORD_CONSENT_PATH));

const vitals = fc
  .oneof(anything, fc.array(fc.record({ name: anything, value: anything }), { maxLength: 9 }))
  .map((reported) =>
    post(JSON.stringify({ vitals: reported, [PERSONAL]: PERSONAL }), [JSON_TYPE], VITALS_PATH),
  );

const aboveTheFolder = asked(FOLDERS, STEPS, 8, FILE_ENDS);
const tricks = asked(KNOWN, ODD, 5);
const queries = asked(KNOWN, QUERIES, 5);
const termsEnds = ['', '?', `?version=${PERSONAL}`, '%20', '%23'];
const forgedLinks = asked([...LINK_PATHS.map((path) => `${path}/`), ownPagePaths.enter], TOKENS);

/** All kinds of hostile requests. What only exercises the parser of Node's own HTTP server is none of them. */
export const KINDS: readonly Kind[] = [
  { name: 'paths above the public folder', sends: aboveTheFolder, allowed: [400, 404, 405] },
  { name: 'tricks and queries', sends: fc.oneof(tricks, queries), allowed: [200, 400, 403, 404, 405, 415] },
  { name: 'terms that are none', sends: asked(TERMS, VERSIONS, 3, termsEnds), allowed: [400, 404, 405] },
  { name: 'forged links', sends: forgedLinks, allowed: [303, 400, 403, 404, 405] },
  { name: 'forged cookies', sends: cookies, allowed: [303, 400, 403, 404, 405] },
  { name: 'ops without password', to: 'ops', sends: fc.oneof(aboveTheFolder, tricks), allowed: [400, 401] },
  { name: 'odd headers', sends: headers, allowed: [200, 206, 304, 400, 404, 412, 416] },
  { name: 'malformed JSON', sends: malformed, allowed: [200, 400, 409, 413, 422] },
  { name: 'charsets and encodings', sends: encodings, allowed: [200, 400, 409, 413, 415] },
  // 431: a signature may be longer than Node takes headers.
  { name: 'forged webhooks', sends: forged, allowed: [400, 431] },
  { name: 'wrong types', sends: wrongTypes, allowed: [400] },
  { name: 'hostile fields', sends: hostileFields, allowed: [200, 400, 409, 422] },
  { name: 'consents to no deposit', sends: consents, allowed: [400, 409, 413] },
  { name: 'reports of page views', sends: vitals, allowed: [204, 400, 413, 429] },
];
