import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Limit, Slot } from './limiter.ts';

/** An office or a campus may have a whole network; so may an attacker. */
const ADDRESSES_PER_NETWORK = 4;
const NETWORK_BITS = 48;

/**
 * The slots that a visitor takes under a limit: one for her address (see `visitorAddress`), and with IPv6 one for the
 * network that its holder may have, which has four times as many.
 */
export function visitorSlots(limit: Limit, address: string): Slot[] {
  const own = { limit, of: digestOf(address) };
  if (!ipaddr.IPv6.isValid(address)) return [own];
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${NETWORK_BITS}`);
  const ofNetwork = { ...limit, most: limit.most * ADDRESSES_PER_NETWORK };
  return [own, { limit: ofNetwork, of: digestOf(`${network}/${NETWORK_BITS}`) }];
}

/**
 * Names somebody whose slots are counted, since Redis must hold no IP address, e-mail address or name for long; and
 * somebody may have typed her password as the name.
 */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
