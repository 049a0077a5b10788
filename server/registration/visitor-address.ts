import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Providers give one household up to this much of the IPv6 address space. */
const IPV6_HOUSEHOLD_BITS = 56;

/**
 * The address that a visitor's requests are counted under: her IPv4 address, or her household's IPv6 network.
 * It is as true as `TRUST_PROXY`, by which Express finds it.
 */
export function visitorAddress({ ip = '' }: Pick<Request, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_HOUSEHOLD_BITS}`).toString();
}
