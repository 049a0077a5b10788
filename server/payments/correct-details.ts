import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import type { Contact } from '#shared/registration.ts';
import { confirmUntil, isSameAddress } from './address-letters.ts';
import { HERSELF } from './decisions.ts';
import { customerOf } from './deposit.ts';
import { LINKS_MARK, lettersOwed, linksEpochOf } from './deposit-letters.ts';
import { findRegistration } from './find-registration.ts';
import { laterLettersDue } from './later-letters.ts';
import { isUsedOtherwise } from './provider-errors.ts';
import { isDeposit, RECORD_MARKS } from './recognise-deposit.ts';
import type { Corrections, RegistrationRecord } from './registration-record.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { inTurn } from './write-once.ts';

/** https://docs.stripe.com/api/metadata */
const METADATA_LENGTH = 500;

/** Of several who correct her details at once, the last one reads what all have written. */
const MOST_FITTINGS = 3;

const EXPANSION = ['customer', 'latest_charge'];

/** Who corrects it, and when. */
interface Act {
  by: string;
  at: Date;
}

/** Her name and phone number, checked as the contact step does. */
export type Details = Pick<Contact, 'firstName' | 'lastName' | 'phoneNumber'>;

/** Which detail of hers, and what its metadata are to say. */
type Detail = keyof Corrections;
type Values = Partial<Contact>;

/**
 * Writes a corrected name and phone number to a registration's deposit and customer, and what they were before.
 * @returns the mails that are due since; undefined when there is no such registration, or it is closed or forgotten
 * @throws {AppError} when somebody else corrected the same at the same time
 */
export function correctDetails(
  stripe: Stripe,
  { id }: Pick<RegistrationRecord, 'id'>,
  { firstName, lastName, phoneNumber }: Details,
  by: string,
  now: Date,
): Promise<RegistrationMail[] | undefined> {
  const corrected: [Detail, Values][] = [
    ['name', { firstName, lastName }],
    ['phoneNumber', { phoneNumber }],
  ];
  return correct(stripe, id, corrected, { by, at: now });
}

/**
 * Writes a corrected e-mail address to a registration's deposit and customer, so that later mails go there too, and what
 * it was before. The links to her page in earlier letters open nothing from then on: they may have reached somebody else.
 * An address that she asked for and has not confirmed is forgotten.
 * @returns the mails that are due to the new address; undefined when there is no such registration, or it is closed or
 *   forgotten
 * @throws {AppError} when somebody else corrected it at the same time
 */
export function correctAddress(
  stripe: Stripe,
  paymentIntentId: string,
  email: string,
  by: string,
  now: Date,
): Promise<RegistrationMail[] | undefined> {
  return correct(stripe, paymentIntentId, [['email', { email }]], { by, at: now });
}

/** Records which address she asks for; her letters go there once she confirms it, see `confirmAddress`. */
export async function askForAddress(
  stripe: Stripe,
  { id }: Pick<RegistrationRecord, 'id'>,
  email: string,
  now: Date,
): Promise<void> {
  const metadata = { [RECORD_MARKS.addressAsked]: JSON.stringify({ to: email, at: now }) };
  await stripe.paymentIntents.update(id, { metadata });
}

/** Forgets it again: the link that was sent to it confirms nothing. */
export async function dropAddress(stripe: Stripe, { id }: Pick<RegistrationRecord, 'id'>): Promise<void> {
  await stripe.paymentIntents.update(id, { metadata: { [RECORD_MARKS.addressAsked]: '' } });
}

/**
 * Makes the address that she asked for hers, once it has proved that it is read.
 * @param to the address that was written to
 * @returns `gone` when she asked for it more than three days ago, or for another one since
 * @throws {AppError} when somebody else corrected it at the same time
 */
export async function confirmAddress(
  stripe: Stripe,
  { id }: Pick<RegistrationRecord, 'id'>,
  to: string,
  now: Date,
): Promise<'confirmed' | 'gone'> {
  const record = await findRegistration(stripe, id);
  if (!record) return 'gone';
  // Confirmed before, and the answer was lost.
  if (isSameAddress(record.registrant.email, to)) return 'confirmed';
  const { addressAsked } = record;
  const until = confirmUntil(record);
  if (!addressAsked || !isSameAddress(addressAsked.to, to) || !until || now > until) return 'gone';
  const due = await correctAddress(stripe, id, addressAsked.to, HERSELF, now);
  return due ? 'confirmed' : 'gone';
}

/**
 * The customer comes first, for Stripe looks at her address; then each detail; and last the customer again, where
 * somebody else has corrected a detail meanwhile. Each step can be repeated.
 */
async function correct(
  stripe: Stripe,
  id: string,
  corrected: readonly [Detail, Values][],
  act: Act,
): Promise<RegistrationMail[] | undefined> {
  const intent = await retrieveIntent(stripe, id, EXPANSION);
  if (!intent || !isDeposit(intent) || intent.status === 'canceled') return undefined;
  if (intent.metadata[RECORD_MARKS.forgotten] !== undefined) return undefined;
  await fitCustomer(stripe, intent, Object.assign({}, ...corrected.map(([, values]) => values)));
  let after = intent;
  try {
    for (const [detail, values] of corrected) await write(stripe, intent, detail, values, act);
  } finally {
    after = await fitCustomerAgain(stripe, id);
  }
  const record = await findRegistration(stripe, id);
  return [...lettersOwed(after), ...(record ? laterLettersDue(record, act.at) : [])];
}

/**
 * Writes one detail with what it was before. The key under which Stripe takes it is made of what is on record: of two who
 * correct the same at once, the second is told.
 * @see https://docs.stripe.com/api/idempotent_requests
 */
async function write(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
  detail: Detail,
  values: Values,
  act: Act,
): Promise<void> {
  if (saysAlready(intent, values)) return;
  const { id } = intent;
  const { email } = values;
  const marks = correctionMarks(intent, detail, values, act);
  const metadata = { ...values, ...marks };
  // What is paid has had Stripe's receipt, if any.
  const receipt = email !== undefined && intent.status !== 'succeeded' ? { receipt_email: email } : {};
  const writeUnder = (idempotencyKey: string) =>
    inTurn(() => stripe.paymentIntents.update(id, { ...receipt, metadata }, { idempotencyKey }));
  const key = `${id}-${detail}-${generationOf(intent, detail, values)}`;
  const ownKey = `${key}-at-${act.at.toISOString()}`;
  try {
    // Without a mark what is on record could come back, and the key with it.
    await writeUnder(RECORD_MARKS.corrected[detail] in marks ? key : ownKey);
  } catch (error) {
    if (!isUsedOtherwise(error)) throw error;
    const now = await stripe.paymentIntents.retrieve(id);
    if (saysAlready(now, values)) return;
    if (generationOf(now, detail, values) !== generationOf(intent, detail, values))
      throw correctedMeanwhile();
    // What Stripe has under the key is a failure of its own, which it would repeat for a day.
    await writeUnder(ownKey);
  }
}

/** Of an address in another case nothing is to be told, and it is the same to all who look for it. */
function correctionMarks(
  intent: Stripe.PaymentIntent,
  detail: Detail,
  values: Values,
  act: Act,
): Stripe.MetadataParam {
  const was = heldIn(intent, values).join(' ');
  const mark = { [RECORD_MARKS.corrected[detail]]: formatCorrection(was, act) };
  if (values.email === undefined) return mark;
  if (isSameAddress(was, values.email)) return {};
  return { ...mark, [LINKS_MARK]: String(linksEpochOf(intent) + 1), [RECORD_MARKS.addressAsked]: '' };
}

/** As much of what it was as metadata take beside the rest. */
function formatCorrection(was: string, { by, at }: Act): string {
  const characters = [...was];
  for (;;) {
    const text = JSON.stringify({ was: characters.join(''), at, by });
    if (text.length <= METADATA_LENGTH || characters.length === 0) return text;
    characters.pop();
  }
}

function heldIn({ metadata }: Stripe.PaymentIntent, values: Values): string[] {
  return Object.keys(values).map((name) => metadata[name] ?? '');
}

function saysAlready(intent: Stripe.PaymentIntent, values: Values): boolean {
  return heldIn(intent, values).join('\n') === Object.values(values).join('\n');
}

/** Names what is on record of a detail: each correction makes it another. */
function generationOf(intent: Stripe.PaymentIntent, detail: Detail, values: Values): string {
  const held = [...heldIn(intent, values), intent.metadata[RECORD_MARKS.corrected[detail]] ?? ''];
  return createHash('sha256').update(JSON.stringify(held)).digest('hex');
}

/** Of several, the last to write the customer reads the deposit after that. */
async function fitCustomerAgain(stripe: Stripe, id: string): Promise<Stripe.PaymentIntent> {
  for (let fitted = 1; ; fitted += 1) {
    const intent = await stripe.paymentIntents.retrieve(id, { expand: EXPANSION });
    if (!(await fitCustomer(stripe, intent)) || fitted >= MOST_FITTINGS) return intent;
  }
}

/** Writes the details of a deposit, with some changes, to its customer; whether there was anything to write. */
async function fitCustomer(
  stripe: Stripe,
  { customer, metadata }: Stripe.PaymentIntent,
  changes: Values = {},
): Promise<boolean> {
  if (!customer || typeof customer === 'string' || customer.deleted) return false;
  const { firstName = '', lastName = '', email = '', phoneNumber = '' } = metadata;
  const wanted = customerOf({ firstName, lastName, email, phoneNumber, ...changes });
  const { name, email: address, phone } = customer;
  if (name === wanted.name && address === wanted.email && (phone ?? '') === wanted.phone) return false;
  await stripe.customers.update(customer.id, wanted);
  return true;
}

function correctedMeanwhile(): AppError {
  const message =
    'Somebody else corrected this at the same time: look at the registration, and correct it again';
  return new AppError({ code: 'corrected_meanwhile', status: 409, message });
}
