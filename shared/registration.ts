import * as v from 'valibot';
import { needsPostalCode, needsState } from './countries.ts';
import { isPhoneNumber, typedEmail, withAsciiDomain } from './mail-and-phone.ts';
import { typedNumber, typedText } from './typed-text.ts';

export const CREATE_PAYMENT_PATH = '/createRetreatCustomerPayment';

export const RECORD_CONSENT_PATH = '/recordConsent';

/** Names a registration across repeated submits (R4.5). The browser makes one per registration. */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

export const RETREAT_FULL = 'retreat_full';

/**
 * The error code of both paths above, with status 503, while the database is locked, full or being restarted: nothing is
 * charged, and the same request may be made after `Retry-After` seconds.
 */
export const REGISTER_AWAY = 'register_away';

export const messages = {
  firstName: 'First name is required',
  lastName: 'Last name is required',
  email: 'Email is required',
  emailInvalid: 'A valid email is required',
  phoneNumber: 'Phone is required',
  phoneNumberInvalid: 'A valid phone number is required, with area code',
  billingName: 'Cardholder name is required',
  addressLine1: 'Street is required',
  addressCity: 'City is required',
  addressState: 'State or province is required',
  addressPostalCode: 'Card postal code is required',
  addressCountry: 'Card country is required',
  cardNumber: 'Card number is required',
  cardExpiry: 'Card expiry is required',
  cardCvc: 'Card CVC is required',
  cardIncomplete: 'Please complete this field',
  termsAgreement: 'Please read the terms first',
  checkDetails: 'Please check your details',
  unexpected: 'An unexpected error occurred',
  registrationClosed:
    'Registration for this retreat has closed. Please look again on this page for the next one, or ask the retreat office',
  registrationNotYetOpen: (date: string) =>
    `Registration for this retreat opens on ${date}. Please look again then`,
  retreatFull: 'All places at this retreat are taken or being paid for at the moment. Nothing was charged',
  looksAutomated:
    'Something other than you, perhaps an extension of your browser, filled in a field that is not shown. It is empty again: please press the button once more',
  amountChanged:
    'The amount due has changed since you came here, and nothing was charged. Please look at it above, then press the button again',
  paymentCanceled:
    'This payment was cancelled, and you have not been charged for it. Please call or write to the retreat office, or press the button again to start a new payment',
  registrationUnknown:
    'This registration cannot be continued. Your card has not been charged. Please press the button again to begin a new one',
  paymentClosed:
    'This payment was closed after too many declined cards. You have not been charged. Please call or write to the retreat office',
  tooManyHeld: (minutes: number): string =>
    `Places are already being held for people at your connection who have not paid yet. Please try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}: what you typed is kept here. If you need help, the retreat office will gladly give it`,
  noRoom:
    'Very many people are registering at this moment. Nothing was charged. Please try again in a minute',
  registerAway:
    'Your registration cannot be stored at this moment. Nothing was charged. Please try again in a minute',
  alreadyPaid:
    'This registration has been paid already. To correct it, please write to the retreat office; to register somebody else, press the button again',
  paymentProcessing:
    'Your payment is still being processed. Please wait a minute, then press the button again: you will not be charged twice',
  placesLeft: 'There are places again, so you need not wait: you can register right away',
  stripeNotReady: 'Stripe is not ready',
} as const;

/** Longer than any field allows, with room for whitespace around what was typed. */
const RAW_LENGTH = 1_000;

/**
 * A text short enough to validate: later steps of a pipe never get a longer one. It ends with `v.string()`,
 * since a pipe that has failed stops at a schema, while checks would still run.
 */
function shortText(required: string, tooLong: string) {
  return v.pipe(v.string(required), v.maxLength(RAW_LENGTH, tooLong), v.string());
}

const tooLong = (maxLength: number): string => `At most ${maxLength} characters`;

function requiredText(maxLength: number, required: string) {
  return v.pipe(
    shortText(required, tooLong(maxLength)),
    v.transform(typedText),
    v.nonEmpty(required),
    v.maxLength(maxLength, tooLong(maxLength)),
  );
}

function optionalText(maxLength: number, read = typedText) {
  return v.optional(
    v.pipe(
      shortText(messages.checkDetails, tooLong(maxLength)),
      v.transform(read),
      v.maxLength(maxLength, tooLong(maxLength)),
    ),
    '',
  );
}

const email = v.pipe(
  shortText(messages.email, messages.emailInvalid),
  v.transform(typedEmail),
  v.nonEmpty(messages.email),
  v.transform(withAsciiDomain),
  v.maxLength(254, messages.emailInvalid),
  v.rfcEmail(messages.emailInvalid),
  v.regex(/\.[a-z\d-]{2,}$/i, messages.emailInvalid),
);

const phoneNumber = v.pipe(
  shortText(messages.phoneNumber, messages.phoneNumberInvalid),
  v.transform((phone) => typedNumber(phone).replace(/^tel:\s*/i, '')),
  v.nonEmpty(messages.phoneNumber),
  v.check(isPhoneNumber, messages.phoneNumberInvalid),
);

/** The contact step (R3.1), with the limits of R3.6. */
export const contactSchema = v.object({
  firstName: requiredText(100, messages.firstName),
  lastName: requiredText(100, messages.lastName),
  email,
  phoneNumber,
});

/** The registrant's contact details, read and valid; without those that may be left out. */
export type Contact = v.InferInput<typeof contactSchema>;
export type StoredContact = { [Field in keyof Contact]-?: string };

export const CONTACT_FIELDS = v.keyof(contactSchema).options;

const anyContact = v.object(v.entriesFromList(CONTACT_FIELDS, v.optional(v.string(), '')));

/** Contact details as they were stored: '' for a field that is younger than they are. */
export const storedContact = v.pipe(
  anyContact,
  v.transform((contact): Contact => contact),
);

export function contactIn(holder: Partial<Contact>): StoredContact {
  return v.parse(anyContact, holder);
}

/** The contact details that somebody gave: one that she left out is as if there were no field for it. */
export function givenIn(holder: Partial<Contact>): readonly string[] {
  return Object.values(contactIn(holder)).filter((value) => value !== '');
}

function lacks(address: unknown, field: string, isNeeded: (country: unknown) => boolean): boolean {
  const isAddress = v.is(v.record(v.string(), v.unknown()), address);
  return isAddress && address[field] === '' && isNeeded(address.addressCountry);
}

/**
 * The payment step's own fields (R3.2 to R3.4). Card fields hold a mask, never a card's data. State and postal code may
 * be empty where addresses in the country have none.
 */
export const paymentSchema = v.pipe(
  v.object({
    billingName: requiredText(200, messages.billingName),
    cardNumber: v.pipe(v.string(messages.cardNumber), v.nonEmpty(messages.cardNumber)),
    cardExpiry: v.pipe(v.string(messages.cardExpiry), v.nonEmpty(messages.cardExpiry)),
    cardCvc: v.pipe(v.string(messages.cardCvc), v.nonEmpty(messages.cardCvc)),
    addressLine1: requiredText(200, messages.addressLine1),
    addressLine2: optionalText(200),
    addressCountry: v.pipe(v.string(messages.addressCountry), v.regex(/^[A-Z]{2}$/, messages.addressCountry)),
    addressCity: requiredText(100, messages.addressCity),
    addressState: optionalText(100),
    addressPostalCode: optionalText(20, typedNumber),
    termsAgreement: v.literal(true, messages.termsAgreement),
  }),
  // Raw checks, because they also run when other fields are invalid.
  v.forward(
    v.rawCheck(({ dataset, addIssue }) => {
      if (lacks(dataset.value, 'addressState', needsState)) addIssue({ message: messages.addressState });
    }),
    ['addressState'],
  ),
  v.forward(
    v.rawCheck(({ dataset, addIssue }) => {
      if (lacks(dataset.value, 'addressPostalCode', needsPostalCode))
        addIssue({ message: messages.addressPostalCode });
    }),
    ['addressPostalCode'],
  ),
);

export type PaymentDetails = v.InferOutput<typeof paymentSchema>;

/** The format of time zones, `America/Port-au-Prince` or `+05:30`; the mails check whether one exists. */
const TIME_ZONE = /^[\w+:-]+(?:\/[\w+-]+)*$/;

/**
 * Neither part can contain the separator `_secret_`, so that the regular expression needs no backtracking.
 */
const CLIENT_SECRET = /^pi_[A-Za-z0-9]+_secret_[A-Za-z0-9]+$/;

const clientSecret = v.pipe(
  shortText(messages.checkDetails, messages.checkDetails),
  v.regex(CLIENT_SECRET, messages.checkDetails),
);

/** The body of `POST /createRetreatCustomerPayment`; unknown keys are dropped, no amount is accepted. */
export const createPaymentRequestSchema = v.object({
  ...contactSchema.entries,
  package: requiredText(100, 'Package is required'),
  /** Sent when the contact details of a registration that already has its payment are edited. */
  paymentIntentClientSecret: v.optional(clientSecret),
  /** The visitor's own time zone, for the schedule in her mails; an invalid format is dropped. */
  timeZone: v.optional(v.fallback(v.pipe(v.string(), v.maxLength(64), v.regex(TIME_ZONE)), ''), ''),
  website: v.optional(v.string(messages.checkDetails), ''),
});
export type CreatePaymentRequest = v.InferInput<typeof createPaymentRequestSchema>;

export const createPaymentResponseSchema = v.object({
  paymentIntentClientSecret: v.pipe(v.string(), v.nonEmpty()),
  /** The payment's amount in US cents: the deposit at the time the payment was created or last edited. */
  amountCents: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Whether mail works, or the confirmation will be sent once it works again. It says nothing of who is registered. */
  confirmationMail: v.picklist(['queued', 'later']),
});
export type CreatePaymentResponse = v.InferOutput<typeof createPaymentResponseSchema>;

export const recordConsentRequestSchema = v.object({
  paymentIntentClientSecret: clientSecret,
  version: v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/)),
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
export type RecordConsentRequest = v.InferInput<typeof recordConsentRequestSchema>;

/** An idempotency key made by the browser: too long to guess, and safe in a header and for Stripe. */
export const idempotencyKeySchema = v.pipe(v.string(), v.regex(/^[\w-]{16,64}$/));

export const errorResponseSchema = v.object({
  error: v.object({
    code: v.string(),
    message: v.string(),
    fields: v.optional(v.record(v.string(), v.string())),
  }),
});
export type ErrorResponse = v.InferOutput<typeof errorResponseSchema>;

type ObjectSchema = v.GenericSchema & { entries: v.ObjectEntries };

export function fieldErrors(schema: ObjectSchema, values: unknown): Record<string, string> {
  const result = v.safeParse(schema, withEveryField(schema, values));
  if (result.success) return {};
  const nested: Record<string, readonly string[] | undefined> = v.flatten(result.issues).nested ?? {};
  return Object.fromEntries(
    Object.entries(nested).flatMap(([field, errors]) => (errors?.[0] ? [[field, errors[0]]] : [])),
  );
}

/** Adds absent fields as undefined, so that each gets its own error message. */
function withEveryField({ entries }: ObjectSchema, values: unknown): object {
  const absent = Object.fromEntries(Object.keys(entries).map((name) => [name, undefined]));
  return typeof values === 'object' ? { ...absent, ...values } : absent;
}
