import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Limit, Receipt, Slot } from '#server/limits/limiter.ts';
import { registrationName } from '#server/record/registrations.ts';

const WINDOW_S = 10 * 60;
const OVERALL_WINDOW_S = 60;

/**
 * Repeated submits and edits create no payment; still, each calls Stripe, and an edit may send a letter to
 * another address.
 */
export const REQUESTS_PER_REGISTRATION = 4;

/**
 * A payment is closed after five failed attempts, each of which sends the consent, and a registration that
 * was paid makes room for another one.
 */
const CONSENTS_PER_REGISTRATION = 10;

/** An office or a campus may have a whole network; so may a card tester. */
const ADDRESSES_PER_NETWORK = 4;
const NETWORK_BITS = 48;

/** The names of the limits that refuse. */
export const LIMITS = {
  requestsByAddress: 'registration-requests',
  newByAddress: 'registrations-by-address',
  newByNetwork: 'registrations-by-network',
  byEmail: 'registrations-by-email',
  newOverall: 'registrations-overall',
  edits: 'registration-edits',
  consentsByAddress: 'registration-consents',
} as const;

/** How much the limits allow. */
export interface Allowance {
  /**
   * New registrations from one address in ten minutes; the same number for one e-mail address, and for edits
   * of one registration.
   */
  perAddress: number;
  /** New registrations of all visitors in a minute. */
  overall: number;
}

/** A registration that is begun or edited, with the data that the limits need. */
export interface RegistrationAttempt {
  /** The visitor's address, see `visitorAddress`. */
  address: string;
  email: string;
  /** The registration's idempotency key, or the client secret of the payment that it has. */
  proof: string;
}

/** The slots under the limits that each kind of request takes. */
export function registrationSlots({ perAddress, overall }: Allowance) {
  const limit = (name: string, most: number, windowS = WINDOW_S): Limit => ({ name, most, windowS });
  const requests = limit(LIMITS.requestsByAddress, perAddress * REQUESTS_PER_REGISTRATION);
  const newByAddress = limit(LIMITS.newByAddress, perAddress);
  const newByNetwork = limit(LIMITS.newByNetwork, perAddress * ADDRESSES_PER_NETWORK);
  const byEmail = limit(LIMITS.byEmail, perAddress);
  const newOverall = { ...limit(LIMITS.newOverall, overall, OVERALL_WINDOW_S), evenly: true };
  const edits = limit(LIMITS.edits, perAddress);
  const consents = limit(LIMITS.consentsByAddress, perAddress * CONSENTS_PER_REGISTRATION);

  const ofEmail = (email: string): Slot => ({ limit: byEmail, of: digestOf(email.toLowerCase()) });
  /** The slots of a new registration that are counted for its sender. */
  const ofSender = (address: string): Slot[] => {
    const network = networkOf(address);
    const own = { limit: newByAddress, of: address };
    return network ? [own, { limit: newByNetwork, of: network }] : [own];
  };
  return {
    ofSender,
    /** The slot of a request of any kind. */
    ofRequest: (address: string): Slot => ({ limit: requests, of: address }),
    ofConsent: (address: string): Slot => ({ limit: consents, of: address }),
    ofNew: ({ address, email }: RegistrationAttempt): Slot[] => [
      ...ofSender(address),
      ofEmail(email),
      { limit: newOverall, of: 'all' },
    ],
    ofEdit: ({ proof, email }: RegistrationAttempt): Slot[] => [
      { limit: edits, of: registrationName(proof) },
      ofEmail(email),
    ],
  };
}

/**
 * The receipt that lets a submit be repeated, and remembers the address from which its registration came,
 * both for ten minutes.
 */
export function receiptOf({ address, email, proof }: RegistrationAttempt): Receipt {
  return {
    name: `registrations-known:${digestOf(`${proof} ${email.toLowerCase()}`)}`,
    note: { name: senderNote(registrationName(proof)), value: address },
    keptForS: WINDOW_S,
  };
}

/** The name of the note with the address from which a registration came. */
export function senderNote(registration: string): string {
  return `registration-address:${registration}`;
}

/** The network that the holder of this IPv6 address may have; undefined for an IPv4 address. */
function networkOf(address: string): string | undefined {
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${NETWORK_BITS}`).toString();
}

/**
 * Redis holds IP addresses for ten minutes, but no e-mail address, and no proof that opens a registration.
 */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
