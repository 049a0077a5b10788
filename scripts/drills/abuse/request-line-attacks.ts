import fc from 'fast-check';
import { SENDGRID_PATH } from '#server/mail-events/sendgrid.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/standard-webhooks.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { placePaths } from '#shared/place.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { JOIN_WAITING_PATH, OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { type AttackKind, ECHO, PERSONAL, requestBytes } from './attack.ts';

const TERMS_PATH = termsPathOf(edition.facts, edition.terms);

const DOTS = [
  '..',
  '%2e%2e',
  '%2E.',
  '.%2e',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '%u002e%u002e',
  '....',
  '.',
  '..;',
];
const SLASHES = ['/', '%2f', '%5c', '\\', '//', '/./', '%252f', '%c0%af', '/%00/'];
const WANTED = [
  'package.json',
  'manifest.json',
  'start-app.js',
  'etc/passwd',
  'proc/self/environ',
  '.env',
  '.git/config',
  'server/config/config.ts',
  'WEB-INF/web.xml',
];
const STARTS = ['/', '/static/', '/static/js/', '/licences/', '/terms/', '//', '/favicon.svg/', `/${ECHO}/`];

const KNOWN = [
  '/',
  '/favicon.svg',
  '/robots.txt',
  '/createRetreatCustomerPayment',
  RECORD_CONSENT_PATH,
  '/webhooks/stripe',
  MAIL_EVENTS_PATH,
  SENDGRID_PATH,
  JOIN_WAITING_PATH,
  '/healthz',
  TERMS_PATH,
];
const ODD = [
  '%',
  '%0',
  '%zz',
  '%00',
  '%0d%0aX-Injected:%20yes',
  '%ff%fe',
  '%ed%a0%80',
  '%c0%ae',
  '%25%32%65',
  '%e2%80%ae',
  ';x=1',
  '::$DATA',
  '~1',
  '%20',
  '\\',
  '\u00ff',
];

const traversals = fc
  .tuple(
    fc.constantFrom(...STARTS),
    fc.array(fc.tuple(fc.constantFrom(...DOTS), fc.constantFrom(...SLASHES)), { minLength: 1, maxLength: 8 }),
    fc.constantFrom(...WANTED),
    fc.constantFrom('', '%00.svg', '?x', '%23', '/'),
  )
  .map(([start, steps, wanted, end]) => `${start}${steps.flat().join('')}${wanted}${end}`);

const crooked = fc
  .tuple(fc.constantFrom(...KNOWN), fc.array(fc.constantFrom(...ODD, ECHO), { minLength: 1, maxLength: 5 }))
  .map(([known, odd]) => `${known}${odd.join('')}`);

const foreign = fc.constantFrom(
  `http://${ECHO}.example/`,
  `//${ECHO}.example/`,
  `/\\${ECHO}.example`,
  `http://user:${PERSONAL}@${ECHO}.example/x`,
  `/?next=//${PERSONAL}.example`,
  '*',
  `/${ECHO}:80`,
);

const queries = fc
  .tuple(
    fc.constantFrom(...KNOWN),
    fc.array(
      fc.constantFrom(
        '__proto__[x]=1',
        'a[]=1',
        'constructor.prototype=1',
        '%',
        '&&',
        '=',
        `email=${PERSONAL}`,
      ),
    ),
  )
  .map(([known, parts]) => `${known}?${parts.join('&')}${PERSONAL}`);

/** Versions for which there is no text. */
const VERSIONS = [
  ...'.. . * - 0 -1 99 1e0 1.yaml 2.json :version (2) [0-9] 2%00 2%2f.. %32%2e%2e 2/..%2f1'.split(' '),
  ...'__proto__ constructor toString hasOwnProperty'.split(' '),
  ECHO,
  'a'.repeat(2_000),
];

const versions = fc
  .tuple(
    fc.constantFrom('/terms/', `/terms/${edition.facts.id}-`, `${TERMS_PATH}/`, '/terms//', '/terms/%2e%2e/'),
    fc.array(fc.constantFrom(...VERSIONS), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '?', `?version=${PERSONAL}`, '%20', '%23'),
  )
  .map(([start, parts, end]) => `${start}${parts.join('')}${end}`);

const ACCEPTS = ['text/html', '*/*', 'application/json', `x/${PERSONAL};q=9`, ',;=', ''];

function asked(path: fc.Arbitrary<string>): AttackKind['attacks'] {
  return fc
    .tuple(path, fc.constantFrom('GET', 'HEAD', 'GET', 'POST'), fc.constantFrom(...ACCEPTS))
    .map(([where, method, accept]) => ({
      bytes: requestBytes({ method, path: where, headers: [`Accept: ${accept}`] }),
    }));
}

const METHOD_PATHS = [
  '/',
  '/favicon.svg',
  '/createRetreatCustomerPayment',
  RECORD_CONSENT_PATH,
  '/webhooks/stripe',
  '/healthz',
  TERMS_PATH,
  `/${ECHO}`,
];
const METHODS = [
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'PURGE',
  'LINK',
  'QUERY',
];

const methods = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...METHODS),
      fc.stringMatching(/^[A-Z]{1,12}$/),
      fc.constantFrom('get', 'G ET', 'GET\t'),
    ),
    fc.constantFrom(...METHOD_PATHS),
  )
  .filter(([method]) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method))
  .map(([method, path]) => ({ bytes: requestBytes({ method, path, headers: [`X-Tell: ${PERSONAL}`] }) }));

const MAC = 'A'.repeat(43);
const TOKENS = [
  `w1.cus_${PERSONAL}.waiting.9999999999.${MAC}`,
  `w1.cus_${PERSONAL}.offer.9999999999.${MAC}`,
  `w1.cus_${PERSONAL}.taking.9999999999.${MAC}`,
  `v1.pi_${PERSONAL}.0.place.9999999999.${MAC}`,
  `w1.cus_.offer.-1.${MAC}`,
  `w1.cus_1.__proto__.1.${MAC}`,
  `w1.cus_1.offer.999999999999999999999.${MAC}`,
  `w1.${'cus_1.'.repeat(400)}${MAC}`,
  '..%2f..',
];

/** Forged links, sent as a path or in the cookie that such a link sets. */
const links = fc
  .tuple(
    fc.constantFrom(`${OFFER_PATH}/`, `${WAITING_PATH}/`, `${WAITING_PATH.toUpperCase()}/`, placePaths.enter),
    fc.constantFrom(...TOKENS),
    fc.constantFrom('GET', 'HEAD', 'POST'),
    fc.boolean(),
  )
  .map(([path, token, method, asCookie]) => ({
    bytes: asCookie
      ? requestBytes({ method, path: OFFER_PATH, headers: [`Cookie: offer=${token}; __Host-offer=${token}`] })
      : requestBytes({ method, path: `${path}${token}` }),
  }));

const tunnels = fc
  .constantFrom(`${ECHO}.example:443`, '127.0.0.1:6379', '/')
  .map((path) => ({ bytes: requestBytes({ method: 'CONNECT', path }) }));

const long = fc
  .tuple(fc.integer({ min: 1_000, max: 70_000 }), fc.constantFrom('a', '/', '%41', '../', '?', '&a=', '%00'))
  .map(([length, unit]) => ({
    bytes: requestBytes({ path: `/${ECHO}${unit.repeat(length / unit.length)}` }),
  }));

/** Attacks through a request's first line: its URL and its method. */
export const requestLineAttacks: readonly AttackKind[] = [
  { name: 'path traversal', target: 'site', allowed: [400, 404, 405], attacks: asked(traversals) },
  {
    name: 'encoded tricks',
    target: 'site',
    allowed: [200, 400, 403, 404, 405, 415],
    attacks: asked(crooked),
  },
  { name: 'foreign and odd targets', target: 'site', allowed: [200, 400, 404, 405], attacks: asked(foreign) },
  { name: 'terms that are none', target: 'site', allowed: [400, 404, 405], attacks: asked(versions) },
  { name: 'queries', target: 'site', allowed: [200, 400, 405], attacks: asked(queries) },
  {
    name: 'ops without password',
    target: 'ops',
    allowed: [400, 401],
    attacks: asked(fc.oneof(traversals, crooked)),
  },
  { name: 'methods', target: 'site', allowed: [400, 405], attacks: methods },
  { name: 'forged links', target: 'site', allowed: [303, 400, 403, 404, 405], attacks: links },
  { name: 'tunnels', target: 'site', allowed: [400, 405], attacks: tunnels },
  { name: 'long addresses', target: 'site', allowed: [200, 400, 404, 431], attacks: long },
];
