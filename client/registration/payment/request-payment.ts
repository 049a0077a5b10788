import { replacePayment } from '#client/registration/progress/registration-key.ts';
import type { RegistrationData, SentContact } from '#client/store/stepper-slice.ts';
import {
  CONTACT_FIELDS,
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  createPaymentResponseSchema,
  RETREAT_FULL,
} from '#shared/registration.ts';
import { ask, RegistrationRefused } from './create-payment.ts';

/** What the contact step submits. */
interface ContactSubmit {
  contact: SentContact;
  /** The honeypot's value. */
  website: string;
}

/** Stores interim results, so that the next submit continues from them, also after a reload. */
type Keep = (progress: RegistrationData) => void;

/** Codes that mean: these details have never made a payment under this key. */
const NEVER_MADE = new Set(['invalid_request', 'registered_before', 'registration_changed']);

/** Codes that mean: this key or payment must not be used again; retry with a new key. */
const NEEDS_NEW_KEY = new Set(['registration_changed', 'registration_not_found']);

/** Also needs a new key, but without a retry: the refusal is shown to the visitor. */
const PAYMENT_OVER = new Set(['already_paid', 'payment_canceled', 'payment_closed', RETREAT_FULL]);

/**
 * Creates the payment of a registration, and never a second one (R4.5): an existing payment is updated, and
 * details whose answer was lost are first resent unchanged, before other details are sent.
 * @throws what `ask` throws
 */
export async function requestPayment(
  registration: RegistrationData,
  submit: ContactSubmit,
  keep: Keep,
): Promise<void> {
  try {
    await send(await resolveUnanswered(registration, submit, keep), submit, keep);
  } catch (error) {
    if (!(error instanceof RegistrationRefused)) throw error;
    const isOver = PAYMENT_OVER.has(error.code);
    if (!isOver && !NEEDS_NEW_KEY.has(error.code)) throw error;
    const replaced = replacePayment(registration);
    keep(replaced);
    if (isOver) throw error;
    await send({ ...registration, ...replaced }, submit, keep);
  }
}

/**
 * Resends details whose answer was lost, to learn whether they made a payment before other details are sent.
 */
async function resolveUnanswered(
  registration: RegistrationData,
  submit: ContactSubmit,
  keep: Keep,
): Promise<RegistrationData> {
  const { unanswered, paymentIntentClientSecret } = registration;
  const settled =
    paymentIntentClientSecret !== undefined || !unanswered || isSame(unanswered, submit.contact);
  if (settled) return registration;
  try {
    return await send(registration, { ...submit, contact: unanswered }, keep);
  } catch (error) {
    if (!(error instanceof RegistrationRefused && NEVER_MADE.has(error.code))) throw error;
    return { ...registration, unanswered: undefined };
  }
}

async function send(
  registration: RegistrationData,
  { contact, website }: ContactSubmit,
  keep: Keep,
): Promise<RegistrationData> {
  const { package: packageId = '', idempotencyKey = '', paymentIntentClientSecret } = registration;
  const { timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone } = registration;
  const json: CreatePaymentRequest = {
    ...contact,
    timeZone,
    website: registration.hiddenFieldFilled ? '' : website,
    package: packageId,
    paymentIntentClientSecret,
  };
  keep({ unanswered: contact });
  try {
    const answer = await ask(CREATE_PAYMENT_PATH, createPaymentResponseSchema, { json, idempotencyKey });
    const payment = { offeredTo: undefined, ...answer, unanswered: undefined };
    keep(payment);
    return { ...registration, ...payment };
  } catch (error) {
    if (error instanceof RegistrationRefused) keep(progressAfterRefusal(error, registration));
    throw error;
  }
}

/**
 * A refused submit made no payment, but an earlier one of the same details, whose answer was lost, may have.
 */
function progressAfterRefusal(
  { code }: RegistrationRefused,
  { unanswered }: RegistrationData,
): RegistrationData {
  return {
    unanswered: NEVER_MADE.has(code) ? undefined : unanswered,
    ...(code === 'looks_automated' && { hiddenFieldFilled: true }),
  };
}

function isSame(one: SentContact, other: SentContact): boolean {
  return (
    one.somebodyElse === other.somebodyElse && CONTACT_FIELDS.every((field) => one[field] === other[field])
  );
}
