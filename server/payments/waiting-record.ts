import type Stripe from 'stripe';
import * as v from 'valibot';
import type { Edition, Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import type { Contact } from '#shared/registration.ts';
import { type Bounced, readBounced } from './bounce-mark.ts';
import { moment } from './decisions.ts';
import { customerOf } from './deposit.ts';
import { ADDRESS_HAS_PLACE } from './earlier-registrations.ts';
import { unreadablePayment } from './provider-errors.ts';
import { isOwnWaiting, MARK_PREFIX, ownMarksOfWaiting } from './recognise-deposit.ts';

/** A place that is kept for somebody on the waiting list. */
export const offerSchema = v.object({ at: moment, until: moment, by: v.string() });
export type Offer = v.InferOutput<typeof offerSchema>;

/** What Stripe has on record of somebody who waits for a place. Her state is derived from this alone. */
export interface WaitingRecord {
  /** The customer, who has no payments. */
  id: string;
  edition: Edition;
  joinedAt: Date;
  /** Empty once she has taken a place. */
  registrant: Contact & { timeZone: string };
  /** Whether the address had a paid registration of this edition when she joined. */
  addressHasPlace: boolean;
  /** The marks of the letters, by mark name. */
  letterMarks: Readonly<Record<string, string>>;
  /** The last time that a letter to her bounced, or that she complained about one. */
  bounced?: Bounced;
  offer?: Offer;
  /**
   * The payment of the deposit that was begun by an offer: there is never a second one that could be paid.
   */
  deposit?: string;
  /** The payment of the deposit by which she took a place. */
  took?: string;
}

/**
 * `waiting` counts for the places that are left, and so does `offered`, which holds one. Once an offer has
 * expired, the entry is `lapsed`, until she joins again or gets another offer.
 */
const waitingStates = ['waiting', 'offered', 'lapsed', 'took'] as const;
export type WaitingState = (typeof waitingStates)[number];

export function waitingStateOf(
  { offer, took }: Pick<WaitingRecord, 'offer' | 'took'>,
  now: Date,
): WaitingState {
  if (took !== undefined) return 'took';
  if (!offer) return 'waiting';
  return now < offer.until ? 'offered' : 'lapsed';
}

/** In the metadata of the customer, beside the details as they were typed. */
export const WAITING_MARKS = {
  joined: 'joined',
  /** Written by the act that makes or withdraws the offer. */
  offer: 'offer',
  /** Written by the app, before the payment can be paid. */
  deposit: 'deposit',
  /** Written once she has paid, by the process that sees it first. */
  took: 'took',
  /** A digest of the key with which she joined. */
  joinedBy: 'joined-by',
} as const;

/** Somebody who joins. */
export interface Joining {
  contact: Contact;
  timeZone: string;
  facts: Facts;
  addressHasPlace: boolean;
}

/** The Stripe customer that represents an entry. */
export function waitingCustomerOf(
  { contact, timeZone, facts, addressHasPlace }: Joining,
  joinedBy: string,
  now: Date,
): Stripe.CustomerCreateParams & { metadata: Record<string, string> } {
  return {
    ...customerOf(contact),
    metadata: {
      ...ownMarksOfWaiting(facts),
      ...contact,
      timeZone,
      ...(addressHasPlace && { [ADDRESS_HAS_PLACE]: 'yes' }),
      [WAITING_MARKS.joined]: now.toISOString(),
      [WAITING_MARKS.joinedBy]: joinedBy,
    },
  };
}

/**
 * Reads an entry from its customer.
 * @returns undefined for another customer, and for an edition that this release does not know
 * @throws {AppError} when its metadata hold data that this site did not write
 */
export function readWaiting(customer: Stripe.Customer | Stripe.DeletedCustomer): WaitingRecord | undefined {
  if (customer.deleted || !isOwnWaiting(customer)) return undefined;
  const { id, metadata } = customer;
  const edition = findEdition(metadata.edition ?? '');
  if (!edition) return undefined;
  const { firstName = '', lastName = '', email = '', phoneNumber = '', timeZone = '' } = metadata;
  const joinedAt = v.safeParse(moment, metadata[WAITING_MARKS.joined]);
  const offer = v.safeParse(
    v.optional(v.pipe(v.string(), v.parseJson(), offerSchema)),
    metadata[WAITING_MARKS.offer],
  );
  if (!joinedAt.success || !offer.success)
    throw unreadablePayment(`${id} is an entry of the waiting list that cannot be read`);
  const { deposit, took } = metadata;
  const bounced = readBounced(customer);
  return {
    id,
    edition,
    joinedAt: joinedAt.output,
    registrant: { firstName, lastName, email, phoneNumber, timeZone },
    addressHasPlace: metadata[ADDRESS_HAS_PLACE] === 'yes',
    letterMarks: Object.fromEntries(
      Object.entries(metadata).filter(([name]) => name.startsWith(MARK_PREFIX)),
    ),
    ...(bounced && { bounced }),
    ...(offer.output && { offer: offer.output }),
    ...(deposit !== undefined && { deposit }),
    ...(took !== undefined && { took }),
  };
}

/** Compares entries for sorting: the earliest joined comes first. */
export function inOrderOfJoining(one: WaitingRecord, other: WaitingRecord): number {
  return one.joinedAt.getTime() - other.joinedAt.getTime() || (one.id < other.id ? -1 : 1);
}
