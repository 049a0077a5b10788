import type { Limit, Receipt, Slot } from '#server/limits/limiter.ts';
import { digestOf, visitorSlots } from '#server/limits/visitor-slots.ts';
import { registrationName } from '#server/record/registrations.ts';

const WINDOW_S = 10 * 60;
const OVERALL_WINDOW_S = 60;
const DAY_S = 24 * 60 * 60;

/** Repeated submits and edits create no payment; still, each calls Stripe. */
export const REQUESTS_PER_REGISTRATION = 4;

/**
 * A payment is closed after five failed attempts, each of which sends the consent, and a registration that
 * was paid makes room for another one.
 */
const CONSENTS_PER_REGISTRATION = 10;

/**
 * How many letters go in a day to people who have not paid: anybody may have typed their addresses. From one visitor's
 * address and in all, as parts of how many registrations may be begun; to one e-mail address.
 */
const LETTERS_PER_ADDRESS = 4;
const LETTERS_OVERALL = 20;
const LETTERS_PER_EMAIL = 3;

/** The names of the limits that refuse; those by address also count for its IPv6 network. */
export const LIMITS = {
  requestsByAddress: 'registration-requests',
  newByAddress: 'registrations-by-address',
  newOverall: 'registrations-overall',
  edits: 'registration-edits',
  consentsByAddress: 'registration-consents',
} as const;

/** The names of the limits that have letters wait until she pays. */
export const LETTER_LIMITS = {
  byAddress: 'letters-by-address',
  byEmail: 'letters-by-email',
  overall: 'letters-overall',
} as const;

/** How much the limits allow. */
export interface Allowance {
  /** New registrations from one address in ten minutes; the same number for edits of one registration. */
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
  const newOverall = { ...limit(LIMITS.newOverall, overall, OVERALL_WINDOW_S), evenly: true };
  const edits = limit(LIMITS.edits, perAddress);
  const consents = limit(LIMITS.consentsByAddress, perAddress * CONSENTS_PER_REGISTRATION);
  const lettersByAddress = limit(LETTER_LIMITS.byAddress, perAddress * LETTERS_PER_ADDRESS, DAY_S);
  const lettersByEmail = limit(LETTER_LIMITS.byEmail, LETTERS_PER_EMAIL, DAY_S);
  const lettersOverall = limit(LETTER_LIMITS.overall, overall * LETTERS_OVERALL, DAY_S);

  /** The slots of a new registration that are counted for its sender. */
  const ofSender = (address: string): Slot[] => visitorSlots(newByAddress, address);
  /** The slots of a letter that are counted for the one who had it sent, and for all. */
  const ofLetterBy = (address: string): Slot[] => [
    ...visitorSlots(lettersByAddress, address),
    { limit: lettersOverall, of: 'all' },
  ];
  return {
    ofSender,
    ofLetterBy,
    /** The slots of the letter of an entry of the waiting list, which is never refused because of others. */
    ofJoin: (address: string): Slot[] => visitorSlots(lettersByAddress, address),
    /** The slots of a letter to somebody who has not paid. */
    ofLetter: ({ address, email }: Pick<RegistrationAttempt, 'address' | 'email'>): Slot[] => [
      { limit: lettersByEmail, of: digestOf(email.toLowerCase()) },
      ...ofLetterBy(address),
    ],
    /** The slots of a request of any kind. */
    ofRequest: (address: string): Slot[] => visitorSlots(requests, address),
    ofConsent: (address: string): Slot[] => visitorSlots(consents, address),
    ofNew: ({ address }: RegistrationAttempt): Slot[] => [
      ...ofSender(address),
      { limit: newOverall, of: 'all' },
    ],
    ofEdit: ({ proof }: RegistrationAttempt): Slot[] => [{ limit: edits, of: registrationName(proof) }],
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
