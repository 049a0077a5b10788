import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as v from 'valibot';

const HINT = 'must be the number of proxies in front of the site, or their addresses or networks with commas';

/** Express's own names for the private networks. */
const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/**
 * Which proxies may say who a visitor is: how many there are in front of the site, or where they are. Never all of the
 * world: a forged X-Forwarded-For would then be believed.
 * @see https://expressjs.com/en/guide/behind-proxies.html
 */
export const trustProxy = v.union(
  [
    v.pipe(v.string(), v.regex(/^\d$/), v.transform(Number)),
    v.pipe(
      v.string(),
      v.transform((list) => list.split(',').map((proxy) => proxy.trim())),
      v.check((proxies) => proxies.every(isNetwork), HINT),
    ),
  ],
  HINT,
);

function isNetwork(proxy: string): boolean {
  if (NAMED_NETWORKS.has(proxy)) return true;
  const [address = '', bits] = proxy.split('/');
  if (isIP(address) === 0) return false;
  return bits === undefined || (ipaddr.isValidCIDR(proxy) && bits !== '0');
}
