import { isDeepStrictEqual } from 'node:util';
import {
  AT_ONCE,
  type NewRow,
  noteChange,
  type PaymentRow,
  type RegistrationRow,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import type { Facts } from '#shared/content/edition.ts';
import { type Contact, contactIn, givenIn, type StoredContact } from '#shared/registration.ts';
import { currentTimeZone } from '#shared/zoned-time.ts';
import { sha256Of } from './links.ts';
import { folded, searchTextOf, sortNameOf } from './search-text.ts';

export interface Deposit {
  contact: Contact;
  facts: Facts;
  timeZone: string;
  /** Takes one of the letters that may go to people who have not paid, to her; false when there were too many. */
  admitLetter: () => Promise<boolean>;
  offer?: string | undefined;
  source?: RegistrationRow['source'];
}

/** What makes repeated submits one registration (R4.5). */
export interface RegistrationKey {
  value: string;
  /** For a key from the server: the key that it would have derived in the time window before. */
  before?: string;
}

export type Registrant = Contact & { timeZone: string };

const ID_DIGITS = 24;

/** The key itself, like a payment's client secret, gives access to the registration. */
export function registrationIdOf(key: string): string {
  return `reg_${sha256Of(key).slice(0, ID_DIGITS)}`;
}

export function secretDigest(clientSecret: string): string {
  return sha256Of(clientSecret);
}

/** For a key from the server, also the id of the time window before. */
export function idsOf({ value, before }: RegistrationKey): string[] {
  return [value, before].flatMap((key) => (key === undefined ? [] : [registrationIdOf(key)]));
}

export async function findRow(transaction: Transaction, id: string): Promise<RegistrationRow | undefined> {
  return (await rowsWith(transaction, 'registrations', 'id', [id]))[0];
}

export async function findDeposit(transaction: Transaction, id: string): Promise<PaymentRow | undefined> {
  return depositIn(await rowsWith(transaction, 'payments', 'registration', [id], 'madeAt', 'id'));
}

/** There is one, unless Stripe failed while it was made: then the one that is paid counts. */
export function depositIn(payments: readonly PaymentRow[]): PaymentRow | undefined {
  const deposits = payments.filter(({ number }) => number === 0);
  return deposits.find(({ status }) => status === 'paid') ?? deposits[0];
}

/** Unless her personal data were removed; the worker looks at it then. */
export async function changeRow(
  transaction: Transaction,
  id: string,
  values: Partial<RegistrationRow>,
): Promise<void> {
  await transaction
    .updateTable('registrations')
    .set(values)
    .where('id', '=', id)
    .where('forgottenAt', 'is', null)
    .execute();
  await noteChange(transaction, id);
}

/** What a registration keeps of a person beside her details, while there is nothing. */
export const NOTHING_OF_HERS = {
  letterWaits: 0,
  begunWith: '',
  askedAddress: null,
  askedAt: null,
  heldBy: null,
  heldNetwork: null,
  answers: '[]',
} as const satisfies Partial<RegistrationRow>;

/** Columns of a new registration unless something else is known. */
export const UNTOUCHED = {
  ...NOTHING_OF_HERS,
  source: 'page',
  nextAt: AT_ONCE,
  version: 0,
  linksEpoch: 0,
} as const satisfies Partial<RegistrationRow>;

export function newRow(
  { facts, offer, source = 'page', ...submit }: Omit<Deposit, 'admitLetter'> & { key: RegistrationKey },
  { begunAt, ...held }: Pick<RegistrationRow, 'begunAt' | 'heldUntil'> & Partial<RegistrationRow>,
): NewRow<'registrations'> {
  return {
    ...UNTOUCHED,
    id: registrationIdOf(submit.key.value),
    edition: facts.id,
    begunAt,
    ...personColumns({ ...submit.contact, timeZone: submit.timeZone }),
    // Whether a letter may go out is known once her customer is made, which is asked for next.
    ...(source === 'page' && { letterWaits: 1 as const, customerAskedAt: begunAt }),
    begunWith: detailsDigest({ ...submit, facts }),
    source,
    waiting: offer ?? null,
    standing: 'open',
    ...held,
  };
}

/** @param namesBefore of those who had her place before: a search finds them, too */
export function personColumns(registrant: Registrant, namesBefore = '') {
  return {
    ...registrantIn(registrant),
    namesBefore,
    person: comparableName(registrant),
    address: registrant.email.toLowerCase(),
    searchText: searchTextOf(registrant, namesBefore),
    sortName: sortNameOf(registrant),
  };
}

export function nameOf({ firstName, lastName }: Pick<Contact, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`.trim();
}

export function comparableName({ firstName, lastName }: Pick<Contact, 'firstName' | 'lastName'>): string {
  return folded(`${firstName} ${lastName}`);
}

export function hasDetails(row: RegistrationRow, { contact, timeZone }: Deposit): boolean {
  return hasSame(row, personColumns({ ...contact, timeZone }));
}

export function hasSame<Values extends object>(row: Values | undefined, values: Values): boolean {
  const held = new Map<string, unknown>(Object.entries(row ?? {}));
  return Object.entries(values).every(([column, value]) => isDeepStrictEqual(held.get(column), value));
}

/** To recognise details after edits; the visitor's IP address is not part of it. */
export function detailsDigest({ contact, facts }: Pick<Deposit, 'contact' | 'facts'>): string {
  return sha256Of(JSON.stringify([...comparableContact(contact), facts.retreatPackage.id]));
}

export function comparableContact(contact: Contact): readonly string[] {
  return givenIn({ ...contact, email: contact.email.toLowerCase() });
}

export function registrantIn(holder: Registrant): StoredContact & { timeZone: string } {
  return { ...contactIn(holder), timeZone: currentTimeZone(holder.timeZone) };
}

export const NOBODY = { ...contactIn({}), timeZone: '' };
