import fc from 'fast-check';
import { SENDGRID_PATH } from '#server/mail-events/sendgrid.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/standard-webhooks.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { OWN_PAGE_PATH, ownPagePaths, UNFINISHED_PATH } from '#shared/own-page.ts';
import { CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { JOIN_WAITING_PATH, OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { ECHO, type Kind, PERSONAL, requestOf } from './attack.ts';

const TERMS_PATH = termsPathOf(edition.facts, edition.terms);

/** Lists of words are written as one text. */
const words = (text: string): string[] => text.split(' ');

const DOTS = words('.. %2e%2e %2E. .%2e %252e%252e %c0%ae%c0%ae %u002e%u002e .... . ..;');
const SLASHES = words('/ %2f %5c \\ // /./ %252f %c0%af /%00/');
const STEPS = DOTS.flatMap((dots) => SLASHES.map((slash) => `${dots}${slash}`));
const FOLDERS = words(`/ /static/ /static/js/ /licences/ /terms/ // /favicon.svg/ /${ECHO}/`);
const FILES = words(
  'package.json manifest.json start-app.js etc/passwd proc/self/environ .env .git/config WEB-INF/web.xml',
);

const KNOWN = [
  ...words('/ /favicon.svg /robots.txt /healthz'),
  ...[CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH, JOIN_WAITING_PATH],
  ...[WEBHOOK_PATH, MAIL_EVENTS_PATH, SENDGRID_PATH, TERMS_PATH],
];
const ODD = [
  ...words('% %0 %zz %00 %0d%0aX-Injected:%20yes %ff%fe %ed%a0%80 %c0%ae %25%32%65 %e2%80%ae'),
  ...words(`;x=1 ::$DATA ~1 %20 \\ \u00ff ${ECHO}`),
];
const FOREIGN = [
  ...words(`http://${ECHO}.example/ //${ECHO}.example/ /\\${ECHO}.example * /${ECHO}:80`),
  ...[`http://user:${PERSONAL}@${ECHO}.example/x`, `/?next=//${PERSONAL}.example`],
];
const QUERIES = words(`__proto__[x]=1 a[]=1 constructor.prototype=1 % && = &email=${PERSONAL}`);

const TERMS = ['/terms/', `/terms/${edition.facts.id}-`, `${TERMS_PATH}/`, '/terms//', '/terms/%2e%2e/'];
const VERSIONS = [
  ...words('.. . * - 0 -1 99 1e0 1.yaml 2.json :version (2) [0-9] 2%00 2%2f.. %32%2e%2e 2/..%2f1'),
  ...words(`__proto__ constructor toString hasOwnProperty ${ECHO} ${'a'.repeat(2_000)}`),
];

const LINKS = [
  ...[OFFER_PATH, WAITING_PATH, WAITING_PATH.toUpperCase(), UNFINISHED_PATH].map((path) => `${path}/`),
  ownPagePaths.enter,
];
const MAC = 'A'.repeat(43);
const TOKENS = [
  ...['waiting', 'offer', 'taking'].map((scope) => `w1.waiting_${PERSONAL}.${scope}.9999999999.${MAC}`),
  `v1.pi_${PERSONAL}.0.place.9999999999.${MAC}`,
  `v1.pi_${PERSONAL}.0.end-0123456789abcdef.9999999999.${MAC}`,
  `v1.pi_${PERSONAL}.0.session.9999999999.${MAC}`,
  `w1.waiting_.offer.-1.${MAC}`,
  `w1.waiting_1.__proto__.1.${MAC}`,
  `w1.waiting_1.offer.999999999999999999999.${MAC}`,
  `w1.${'waiting_1.'.repeat(400)}${MAC}`,
  '..%2f..',
];

const METHODS = ['GET', 'GET', 'HEAD', 'POST'];
const ACCEPTS = ['text/html', '*/*', 'application/json', `x/${PERSONAL};q=9`, ',;=', ''];

/** Requests for addresses that consist of a start, some parts and an end. */
function asked(
  starts: readonly string[],
  parts: readonly string[] = [''],
  { most = 1, ends = [''] }: { most?: number; ends?: readonly string[] } = {},
): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(
      fc.constantFrom(...starts),
      fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: most }),
      fc.constantFrom(...ends),
      fc.constantFrom(...METHODS),
      fc.constantFrom(...ACCEPTS),
    )
    .map(([start, middle, end, method, accept]) =>
      requestOf({ method, path: `${start}${middle.join('')}${end}`, headers: [`Accept: ${accept}`] }),
    );
}

const FILE_ENDS = FILES.flatMap((file) => ['', '%00.svg', '?x', '%23', '/'].map((end) => `${file}${end}`));
const aboveTheFolder = asked(FOLDERS, STEPS, { most: 8, ends: FILE_ENDS });

const LINK_COOKIES = ['offer', '__Host-offer', 'place', '__Host-place'];
const cookies = fc
  .tuple(fc.constantFrom(OFFER_PATH, OWN_PAGE_PATH), fc.constantFrom(...TOKENS), fc.constantFrom(...METHODS))
  .map(([path, token, method]) => {
    const cookie = LINK_COOKIES.map((name) => `${name}=${token}`).join('; ');
    return requestOf({ method, path, headers: [`Cookie: ${cookie}`] });
  });

/** Headers that the site or a proxy reads. */
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
  `Expect: ${PERSONAL}`,
  `X-Bytes: \u00ff\u0080${PERSONAL}`,
];
const HEADED = ['/', '/favicon.svg', '/robots.txt', '/retreat.ics', `/${ECHO}`];

const headers = fc
  .tuple(fc.constantFrom(...HEADED), fc.array(fc.constantFrom(...HEADERS), { minLength: 1, maxLength: 5 }))
  .map(([path, lines]) => requestOf({ path, headers: lines }));

/** Attacks through the address and the headers of a request. */
export const requestAttacks: readonly Kind[] = [
  { name: 'paths above the public folder', sends: aboveTheFolder, allowed: [400, 404, 405] },
  {
    name: 'encoded tricks',
    sends: asked(KNOWN, ODD, { most: 5 }),
    allowed: [200, 400, 403, 404, 405, 415],
  },
  { name: 'foreign and odd targets', sends: asked(FOREIGN), allowed: [200, 400, 404, 405] },
  {
    name: 'terms that are none',
    sends: asked(TERMS, VERSIONS, { most: 3, ends: ['', '?', `?version=${PERSONAL}`, '%20', '%23'] }),
    allowed: [400, 404, 405],
  },
  {
    name: 'queries',
    sends: asked(
      KNOWN.map((path) => `${path}?`),
      ['', ...QUERIES],
      { most: 5, ends: [PERSONAL] },
    ),
    allowed: [200, 400, 403, 405, 415],
  },
  { name: 'forged links', sends: asked(LINKS, TOKENS), allowed: [303, 400, 403, 404, 405] },
  { name: 'forged cookies', sends: cookies, allowed: [303, 400, 403, 404, 405] },
  {
    name: 'ops without password',
    to: 'ops',
    sends: fc.oneof(aboveTheFolder, asked(KNOWN, ODD, { most: 5 })),
    allowed: [400, 401],
  },
  { name: 'odd headers', sends: headers, allowed: [200, 206, 304, 400, 404, 412, 416, 417] },
];
