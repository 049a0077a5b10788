import fc from 'fast-check';
import { type AttackKind, ECHO, PERSONAL, requestBytes } from './attack.ts';

const PATHS = [
  '/',
  '/favicon.svg',
  '/createRetreatCustomerPayment',
  '/webhooks/stripe',
  '/healthz',
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
    fc.constantFrom(...PATHS),
  )
  .filter(([method]) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(method))
  .map(([method, path]) => ({ bytes: requestBytes({ method, path, headers: [`X-Tell: ${PERSONAL}`] }) }));

const tunnels = fc
  .constantFrom(`${ECHO}.example:443`, '127.0.0.1:6379', '/')
  .map((path) => ({ bytes: requestBytes({ method: 'CONNECT', path }) }));

const long = fc
  .tuple(fc.integer({ min: 1_000, max: 70_000 }), fc.constantFrom('a', '/', '%41', '../', '?', '&a=', '%00'))
  .map(([length, unit]) => ({
    bytes: requestBytes({ path: `/${ECHO}${unit.repeat(length / unit.length)}` }),
  }));

/** Attacks by a request's first line otherwise. */
export const methodAttacks: readonly AttackKind[] = [
  { name: 'methods', target: 'site', allowed: [400, 405], attacks: methods },
  { name: 'tunnels', target: 'site', allowed: [400, 405], attacks: tunnels },
  { name: 'long addresses', target: 'site', allowed: [200, 400, 404, 431], attacks: long },
];
