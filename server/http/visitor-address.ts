import type { Request, RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';

/** Providers give one household up to this much of the IPv6 address space. */
const IPV6_HOUSEHOLD_BITS = 56;

/** Those whose address cannot be read count as one. */
const UNKNOWN = 'unknown';

/**
 * The address that a visitor's requests are counted under: her IPv4 address, or her household's IPv6 network.
 * It is as true as `TRUST_PROXY`, by which Express finds it.
 */
export function visitorAddress({ ip = '' }: Pick<Request, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return UNKNOWN;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_HOUSEHOLD_BITS}`).toString();
}

const FORWARDED_FOR = 'X-Forwarded-For';

/** More proxies than stand before any site: what is told before them is a visitor's invention, and long if she likes. */
const MOST_PROXIES = 20;

/** `192.0.2.1:5678`, `[2001:db8::1]:443` and `[2001:db8::1]`. */
const DRESSED_ADDRESS = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

const UNREADABLE =
  'X-Forwarded-For has no readable address where TRUST_PROXY looks for the visitor: such visitors share the limits of one address';
const STRANGER =
  'X-Forwarded-For came from an address that TRUST_PROXY does not name: all visitors behind such a proxy count as one';

/**
 * Takes ports and brackets off the addresses that proxies tell: Express compares the proxies' own, and hands out the
 * visitor's, as they stand in the header. Warns of what keeps visitors from being told apart, of each thing once.
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
  const [, ipv4, ipv6] = DRESSED_ADDRESS.exec(address) ?? [];
  return ipv4 ?? ipv6 ?? address;
}

function problemOf(req: Request): string | undefined {
  if (req.ips.length === 0) return STRANGER;
  return visitorAddress(req) === UNKNOWN ? UNREADABLE : undefined;
}
