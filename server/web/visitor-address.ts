import type { Request, RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';

/** One device has the whole of such a network (IPv6). */
const IPV6_ADDRESS_BITS = 64;
/** The prefix lengths of what is easily had at once: by a site of many networks (IPv6), by a rented server (IPv4). */
const IPV6_SITE_BITS = 48;
const IPV4_NETWORK_BITS = 24;

/** All visitors whose address cannot be read count as one. */
const UNKNOWN = 'unknown';

/**
 * The address under which a visitor's requests are counted: her IPv4 address, or the IPv6 /64 of her own. Express
 * finds it by `TRUST_PROXY`, so it is only as correct as that setting.
 */
export function visitorAddress(visitor: Visitor): string {
  return networkOf(visitor, 32, IPV6_ADDRESS_BITS);
}

/** The network of a visitor's address, for what one address must not get more often because it has neighbours. */
export function visitorNetwork(visitor: Visitor): string {
  return networkOf(visitor, IPV4_NETWORK_BITS, IPV6_SITE_BITS);
}

type Visitor = Pick<Request, 'ip'>;

function networkOf({ ip = '' }: Visitor, ipv4Bits: number, ipv6Bits: number): string {
  if (!ipaddr.isValid(ip)) return UNKNOWN;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${ipv4Bits}`).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${ipv6Bits}`).toString();
}

const FORWARDED_FOR = 'X-Forwarded-For';

/** More proxies than any site has: entries before them in the header are made up, and there can be very many. */
const MOST_PROXIES = 20;

/** `192.0.2.1:5678`, `[2001:db8::1]:443` and `[2001:db8::1]`. */
const ADDRESS_WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

const UNREADABLE =
  'X-Forwarded-For has no readable address where TRUST_PROXY looks for the visitor: such visitors share the limits of one address';
const UNKNOWN_PROXY =
  'X-Forwarded-For came from an address that TRUST_PROXY does not name: all visitors behind such a proxy count as one';

/**
 * Removes ports and brackets from the addresses that proxies send, since Express compares and returns them as written.
 * Warns once of each problem that makes visitors indistinguishable.
 */
export function readForwardedFor(logger: Logger): RequestHandler {
  const warned = new Set<string>();
  return (req, _res, next) => {
    const forwarded = req.get(FORWARDED_FOR);
    if (forwarded && req.app.get('trust proxy')) {
      const told = forwarded.split(',').slice(-MOST_PROXIES);
      req.headers['x-forwarded-for'] = told.map(bareAddress).join(', ');
      const problem = problemOf(req);
      if (problem && !warned.has(problem)) logger.warn(problem);
      if (problem) warned.add(problem);
    }
    next();
  };
}

function bareAddress(entry: string): string {
  const address = entry.trim();
  const [, ipv4, ipv6] = ADDRESS_WITH_PORT.exec(address) ?? [];
  return ipv4 ?? ipv6 ?? address;
}

function problemOf(req: Request): string | undefined {
  if (req.ips.length === 0) return UNKNOWN_PROXY;
  return visitorAddress(req) === UNKNOWN ? UNREADABLE : undefined;
}
