import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import type { Contact } from '#shared/registration.ts';
import { confirmUntil, isSameAddress } from './address-letters.ts';
import { HERSELF } from './decisions.ts';
import { customerOf } from './deposit.ts';
import { LINKS_MARK, lettersOwed, linksEpochOf } from './deposit-letters.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { laterLettersDue } from './later-letters.ts';
import { isUsedOtherwise } from './provider-errors.ts';
import { isDeposit, RECORD_MARKS } from './recognise-deposit.ts';
import type { Corrections, RegistrationRecord } from './registration-record.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { inTurn } from './write-once.ts';

/** https://docs.stripe.com/api/metadata */
const METADATA_LENGTH = 500;

/**
 * Of several concurrent corrections, the last one reads the result of all; this bounds the rewrites of the
 * customer.
 */
const MAX_CUSTOMER_WRITES = 3;

const EXPANSION = ['customer', 'latest_charge'];

/** Who makes a correction, and when. */
interface Act {
  by: string;
  at: Date;
}

/** Her name and phone number, validated as in the contact step. */
export type Details = Pick<Contact, 'firstName' | 'lastName' | 'phoneNumber'>;

/** The detail to correct, and the new values of its metadata. */
type Detail = keyof Corrections;
type Values = Partial<Contact>;

/**
 * Writes a corrected name and phone number to a registration's deposit and customer, and what they were
 * before.
 * @returns the mails that are now due; undefined when there is no such registration, or it is closed or
 *   forgotten
 * @throws {AppError} when somebody else corrected the same at the same time
 */
export function correctDetails(
  records: Records,
  { id }: Pick<RegistrationRecord, 'id'>,
  { firstName, lastName, phoneNumber }: Details,
  by: string,
  now: Date,
): Promise<RegistrationMail[] | undefined> {
  const corrected: [Detail, Values][] = [
    ['name', { firstName, lastName }],
    ['phoneNumber', { phoneNumber }],
  ];
  return correct(records, id, corrected, { by, at: now });
}

/**
 * Writes a corrected e-mail address to a registration's deposit and customer, so that later mails go there
 * too, and the previous address. The links to her page in earlier letters stop working, as those letters may
 * have reached somebody else. An address that she requested and has not confirmed is dropped.
 * @returns the mails that are due to the new address; undefined when there is no such registration, or it is
 *   closed or forgotten
 * @throws {AppError} when somebody else corrected it at the same time
 */
export function correctAddress(
  records: Records,
  paymentIntentId: string,
  email: string,
  by: string,
  now: Date,
): Promise<RegistrationMail[] | undefined> {
  return correct(records, paymentIntentId, [['email', { email }]], { by, at: now });
}

/**
 * Records which new address she requests; her letters go there once she confirms it, see `confirmAddress`.
 */
export async function askForAddress(
  stripe: Stripe,
  { id }: Pick<RegistrationRecord, 'id'>,
  email: string,
  now: Date,
): Promise<void> {
  const metadata = { [RECORD_MARKS.addressAsked]: JSON.stringify({ to: email, at: now }) };
  await stripe.paymentIntents.update(id, { metadata });
}

/** Drops the requested address: the link that was sent to it no longer confirms anything. */
export async function dropAddress(stripe: Stripe, { id }: Pick<RegistrationRecord, 'id'>): Promise<void> {
  await stripe.paymentIntents.update(id, { metadata: { [RECORD_MARKS.addressAsked]: '' } });
}

/**
 * Makes the requested address hers, once the press of the link proved that she reads letters there.
 * @param to the address that was written to
 * @returns `gone` when she requested it more than three days ago, or another one since
 * @throws {AppError} when somebody else corrected it at the same time
 */
export async function confirmAddress(
  records: Records,
  { id }: Pick<RegistrationRecord, 'id'>,
  to: string,
  now: Date,
): Promise<'confirmed' | 'gone'> {
  const record = await findRegistration(records, id);
  if (!record) return 'gone';
  // It was already confirmed, and the response was lost.
  if (isSameAddress(record.registrant.email, to)) return 'confirmed';
  const { addressAsked } = record;
  const until = confirmUntil(record);
  if (!addressAsked || !isSameAddress(addressAsked.to, to) || !until || now >= until) return 'gone';
  const due = await correctAddress(records, id, addressAsked.to, HERSELF, now);
  return due ? 'confirmed' : 'gone';
}

/**
 * Writes the customer first, because Stripe validates the address; then each detail; and last the customer
 * again, in case somebody else has corrected a detail meanwhile. Each step can be repeated.
 */
async function correct(
  records: Records,
  id: string,
  corrected: readonly [Detail, Values][],
  act: Act,
): Promise<RegistrationMail[] | undefined> {
  const { stripe, letterLog } = records;
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
  const record = await findRegistration(records, id);
  const ended = await letterLog.endedOf(after.id);
  return [...lettersOwed(after, ended), ...(record ? laterLettersDue(record, act.at) : [])];
}

/**
 * Writes one detail together with its previous value. The idempotency key is derived from the previous value,
 * so of two concurrent corrections of the same detail the second gets an error.
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
  // For a paid deposit Stripe has sent its receipt already, if any.
  const receipt = email !== undefined && intent.status !== 'succeeded' ? { receipt_email: email } : {};
  const writeUnder = (idempotencyKey: string) =>
    inTurn(() => stripe.paymentIntents.update(id, { ...receipt, metadata }, { idempotencyKey }));
  const key = `${id}-${detail}-${generationOf(intent, detail, values)}`;
  const ownKey = `${key}-at-${act.at.toISOString()}`;
  try {
    // Without a mark, the same previous value, and so the same key, could occur again.
    await writeUnder(RECORD_MARKS.corrected[detail] in marks ? key : ownKey);
  } catch (error) {
    if (!isUsedOtherwise(error)) throw error;
    const now = await stripe.paymentIntents.retrieve(id);
    if (saysAlready(now, values)) return;
    if (generationOf(now, detail, values) !== generationOf(intent, detail, values))
      throw correctedMeanwhile();
    // What Stripe saved under the key is a failure of its own, which it would replay for a day.
    await writeUnder(ownKey);
  }
}

/** The metadata that record a correction; none where only the case of the address changes. */
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

/** The mark of a correction, with the previous value cut to fit the length of a metadata value. */
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

/** Identifies the recorded value of a detail: each correction changes it. */
function generationOf(intent: Stripe.PaymentIntent, detail: Detail, values: Values): string {
  const held = [...heldIn(intent, values), intent.metadata[RECORD_MARKS.corrected[detail]] ?? ''];
  return createHash('sha256').update(JSON.stringify(held)).digest('hex');
}

/** Updates the customer until it matches the deposit, since concurrent corrections write both. */
async function fitCustomerAgain(stripe: Stripe, id: string): Promise<Stripe.PaymentIntent> {
  for (let fitted = 1; ; fitted += 1) {
    const intent = await stripe.paymentIntents.retrieve(id, { expand: EXPANSION });
    if (!(await fitCustomer(stripe, intent)) || fitted >= MAX_CUSTOMER_WRITES) return intent;
  }
}

/**
 * Writes the details of a deposit, with some changes, to its customer. Returns whether there was anything to
 * write.
 */
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
