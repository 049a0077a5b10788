import type { Limit, Receipt, Slot } from '#server/limits/limiter.ts';
import { digestOf, visitorSlots } from '#server/limits/visitor-slots.ts';
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

/** The names of the limits that refuse; those by address also count for its IPv6 network. */
export const LIMITS = {
  requestsByAddress: 'registration-requests',
  newByAddress: 'registrations-by-address',
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
  const byEmail = limit(LIMITS.byEmail, perAddress);
  const newOverall = { ...limit(LIMITS.newOverall, overall, OVERALL_WINDOW_S), evenly: true };
  const edits = limit(LIMITS.edits, perAddress);
  const consents = limit(LIMITS.consentsByAddress, perAddress * CONSENTS_PER_REGISTRATION);

  const ofEmail = (email: string): Slot => ({ limit: byEmail, of: digestOf(email.toLowerCase()) });
  /** The slots of a new registration that are counted for its sender. */
  const ofSender = (address: string): Slot[] => visitorSlots(newByAddress, address);
  return {
    ofSender,
    /** The slots of a request of any kind. */
    ofRequest: (address: string): Slot[] => visitorSlots(requests, address),
    ofConsent: (address: string): Slot[] => visitorSlots(consents, address),
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
