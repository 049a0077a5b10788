import fc, { type Arbitrary } from 'fast-check';
import { contactOf as personWith } from '#scripts/world/people.ts';
import { MAIL_EVENTS_PATH, SENDGRID_PATH } from '#server/mail-events/mail-event-sources.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { OWN_PAGE_PATH, ownPagePaths, UNFINISHED_PATH } from '#shared/own-page.ts';
import { CREATE_PAYMENT_PATH, type CreatePaymentRequest, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { VITALS_PATH } from '#shared/vitals.ts';
import { JOIN_WAITING_PATH, OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';

/** A marker in hostile addresses. No answer may repeat it; the log may, because it contains paths. */
export const ECHO = 'quuxecho';

/** A marker in place of personal values, one of `VISITOR_MARKS`. Neither an answer nor the log may contain it. */
export const PERSONAL = 'quillfeather';

/** Requests of one kind: what is sent, down to its bytes, and which statuses may come back. */
export interface Kind {
  name: string;
  /** The listener; the site's by default. */
  to?: 'ops';
  sends: Arbitrary<Uint8Array>;
  allowed: readonly number[];
}

let visitors = 0;

/** An IP address that no visitor had, as the proxy in front of the site tells it. */
function newAddress(): string {
  visitors += 1;
  return `198.${18 + (visitors >> 16)}.${(visitors >> 8) & 255}.${visitors & 255}`;
}

/** A request of a visitor with an address of her own, unless a header says another; the server closes after it. */
function requestOf(method: string, path: string, headers: readonly string[], body: string | Uint8Array = '') {
  const content = Buffer.from(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: here', 'Connection: close', ...headers];
  if (!headers.some((line) => line.startsWith('X-Forwarded-For')))
    lines.push(`X-Forwarded-For: ${newAddress()}`);
  if (content.length > 0) lines.push(`Content-Length: ${content.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

export const JSON_TYPE = 'Content-Type: application/json';

/** A request with a body to an endpoint; by default a registration. */
const post = (
  body: string | Uint8Array,
  headers: readonly string[] = [JSON_TYPE],
  path: string = CREATE_PAYMENT_PATH,
): Uint8Array => requestOf('POST', path, headers, body);

/** Details that are accepted, of somebody with an e-mail address of her own. */
const contactOf = (name: string): CreatePaymentRequest => ({
  ...personWith(0),
  email: `${name}@visitors.example`,
  package: edition.facts.retreatPackage.id,
});

/** A consent to the current terms, for a payment that does not exist. */
const consent = {
  paymentIntentClientSecret: `pi_${PERSONAL}_secret_${PERSONAL}`,
  version: edition.terms.version,
  digest: edition.terms.digest,
};

/** The endpoints that take JSON from a visitor, and those that take signed events. */
const JSON_PATHS = [CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH, JOIN_WAITING_PATH];
const EVENT_PATHS = [WEBHOOK_PATH, MAIL_EVENTS_PATH, SENDGRID_PATH];
const TERMS_PATH = termsPathOf(edition.facts, edition.terms);

const one = fc.constantFrom;

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
  ...['waiting', 'offer', 'taking'].map((scope) => `w1.waiting_${PERSONAL}.${scope}.9999999999.${MAC}`),
  ...['place', 'end-0123456789abcdef', 'session'].map(
    (scope) => `v1.pi_${PERSONAL}.0.${scope}.9999999999.${MAC}`,
  ),
  ...words(`w1.waiting_.offer.-1.${MAC} w1.waiting_1.__proto__.1.${MAC} ..%2f..`),
  ...words(`w1.waiting_1.offer.999999999999999999999.${MAC} w1.${'waiting_1.'.repeat(400)}${MAC}`),
];
const LINK_COOKIES = ['offer', '__Host-offer', 'place', '__Host-place'];

const method = one('GET', 'GET', 'HEAD', 'POST');
const accept = one('text/html', '*/*', 'application/json', `x/${PERSONAL};q=9`, ',;=', '');

/** Requests for addresses that consist of a start, some parts and an end. */
const asked = (
  starts: readonly string[],
  parts: readonly string[],
  most = 1,
  ends: readonly string[] = [''],
) =>
  fc
    .tuple(
      ...([method, accept, one(...starts)] as const),
      fc.array(one(...parts), { minLength: 1, maxLength: most }),
      one(...ends),
    )
    .map(([how, wanted, start, middle, end]) =>
      requestOf(how, `${start}${middle.join('')}${end}`, [`Accept: ${wanted}`]),
    );

const cookies = fc
  .tuple(method, one(OFFER_PATH, OWN_PAGE_PATH), one(...TOKENS))
  .map(([how, path, token]) =>
    requestOf(how, path, [`Cookie: ${LINK_COOKIES.map((name) => `${name}=${token}`).join('; ')}`]),
  );

const endpoint = one(...JSON_PATHS);
/** A body that is accepted, or is so but for its secret. */
const honest = fc.oneof(
  fc.uuid().map((id) => JSON.stringify(contactOf(id))),
  fc.constant(JSON.stringify(consent)),
);

const JUNK = [
  ...['', ...words(`} , " \u0000 ${PERSONAL}`)],
  ...[PERSONAL.repeat(2_000), '['.repeat(5_000), '{"a":'.repeat(2_000)],
];
const malformed = fc
  .tuple(endpoint, fc.oneof(fc.json(), honest, one('[', '{"a":', '[[', '{"a":1e')), fc.nat(200), one(...JUNK))
  .map(([path, json, at, junk]) => post(`${json.slice(0, at)}${junk}${json.slice(at)}`, [JSON_TYPE], path));

/** What nobody has signed: the times and the signatures that its headers have. Half of them are plausible. */
const now = String(Math.floor(Date.now() / 1000));
const PLAUSIBLE = ['0'.repeat(64), `v1,${'A'.repeat(43)}=`, 'MAYCAQACAQA='];
const TIMES = ['', 'NaN', '-1', '1e9', '0x10', now, PERSONAL, '9'.repeat(3_000)];
const SIGNATURES = [
  ...['', `v1a,${PERSONAL} v1,${PERSONAL}`, 'v1 '.repeat(1_000), ','.repeat(3_000), 't='.repeat(500)],
  ...words(`${PERSONAL} v1, MEUCIQD 00`),
];
const paid = { id: 'pi_1', object: 'payment_intent', metadata: contactOf('paid') };
const { email } = contactOf('bounced');
const EVENTS = [
  { id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', data: { object: paid } },
  [{ type: 'bounce', event: 'bounce', address: email, email, timestamp: 1 }],
];

const forged = fc
  .tuple(
    one(...EVENT_PATHS),
    fc.oneof(one(...EVENTS.map((event) => JSON.stringify(event))), fc.json()),
    one(JSON_TYPE, 'Content-Type: text/plain'),
    fc.oneof(fc.constant(now), one(...TIMES)),
    fc.oneof(one(...PLAUSIBLE), one(...SIGNATURES)),
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

const hostile = one(
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
  fc.dictionary(one('$gt', '__proto__', 'constructor', 'toString', 'length'), hostile),
);
const FIELDS = words(
  `firstName lastName email phoneNumber package timeZone website paymentIntentClientSecret`,
);

const hostileFields = fc
  .tuple(one(...FIELDS), fc.oneof(hostile, invented), fc.uuid())
  .map(([field, value, id]) =>
    post(JSON.stringify({ ...contactOf(id), [field]: value }), [JSON_TYPE, `Idempotency-Key: ${id}`]),
  );

const consents = fc
  .record({
    paymentIntentClientSecret: fc.oneof(invented, anything),
    version: fc.oneof(one(consent.version, '__proto__', 'constructor', '..', '-'), anything),
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
  { name: 'malformed JSON', sends: malformed, allowed: [200, 400, 409, 413, 422] },
  // 431: a signature may be longer than Node takes headers.
  { name: 'forged webhooks', sends: forged, allowed: [400, 431] },
  { name: 'hostile fields', sends: hostileFields, allowed: [200, 400, 409, 422] },
  { name: 'consents to no deposit', sends: consents, allowed: [400, 409, 413] },
  { name: 'reports of page views', sends: vitals, allowed: [204, 400, 413, 429] },
];
