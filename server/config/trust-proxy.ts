import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import * as v from 'valibot';
import { list } from './environment-values.ts';

const HINT =
  'must be the number of proxies in front of the site, or their addresses or networks separated by commas (not wider than /8, IPv6: /16), or none';

/** Express's own names for the private networks. */
const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

const BITS = /^[1-9]\d{0,2}$/;
const LEAST_BITS_IPV4 = 8;
const LEAST_BITS_IPV6 = 16;
const ALL_IPV4 = ipaddr.IPv6.parse('::ffff:0:0');
const MAPPED_BITS = 96;

/**
 * Which proxies may say who a visitor is: how many there are in front of the site, or where they are. Never a
 * large part of the address space: a forged X-Forwarded-For would then be trusted. `none` is an explicit 0.
 * @see https://expressjs.com/en/guide/behind-proxies.html
 */
export const trustProxy = v.union(
  [
    v.pipe(v.string(), v.regex(/^\d$/), v.transform(Number)),
    v.pipe(
      v.literal('none'),
      v.transform(() => 0),
    ),
    v.pipe(
      list(HINT),
      v.check((proxies) => proxies.every(isNetwork), HINT),
    ),
  ],
  HINT,
);

function isNetwork(proxy: string): boolean {
  if (NAMED_NETWORKS.has(proxy)) return true;
  const [host = '', ...rest] = proxy.split('/');
  if (isIP(host) === 0) return false;
  if (rest.length === 0) return true;
  if (!BITS.test(rest.join('/')) || !ipaddr.isValidCIDR(proxy)) return false;
  const [address, bits] = ipaddr.parseCIDR(proxy);
  return bits >= leastBits(address, bits);
}

/** IPv4-mapped IPv6 addresses are in `::ffff:0:0/96`; a network may lie inside that range, or contain it. */
function leastBits(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): number {
  if (!(address instanceof ipaddr.IPv6)) return LEAST_BITS_IPV4;
  const holdsIpv4 = address.isIPv4MappedAddress() || ALL_IPV4.match(address, bits);
  return holdsIpv4 ? MAPPED_BITS + LEAST_BITS_IPV4 : LEAST_BITS_IPV6;
}
