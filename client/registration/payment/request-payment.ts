import { replacePayment } from '#client/registration/progress/registration-key.ts';
import type { RegistrationData, SentContact } from '#client/store/registration-data.ts';
import { RETREAT_FULL } from '#shared/registration.ts';
import { createPayment, RegistrationRefused } from './create-payment.ts';

/** What the contact step submits. */
interface ContactSubmit {
  contact: SentContact;
  /** The field that no person sees. */
  website: string;
}

/** Keeps what is learned on the way: the next submit goes on from there, after a reload too. */
type Keep = (progress: RegistrationData) => void;

/** Codes that mean: these details made no payment under this key, at no time. */
const NEVER_MADE = new Set(['invalid_request', 'registered_before', 'registration_changed']);

/** Codes that mean: this key or this payment must not be used again, another registration is needed. */
const NEEDS_ANOTHER = new Set(['registration_changed', 'registration_not_found']);

/** The same, but the visitor is told first. */
const OVER = new Set(['already_paid', 'payment_canceled', 'payment_closed', RETREAT_FULL]);

/**
 * Gets the payment of a registration for contact details, and never a second one (R4.5): a payment that exists is
 * updated, and details whose answer was lost are sent once more, unchanged, before other ones follow.
 * @throws what `createPayment` throws
 */
export async function requestPayment(
  registration: RegistrationData,
  submit: ContactSubmit,
  keep: Keep,
): Promise<void> {
  try {
    await send(await settle(registration, submit, keep), submit, keep);
  } catch (error) {
    if (!(error instanceof RegistrationRefused)) throw error;
    const isOver = OVER.has(error.code);
    if (!isOver && !NEEDS_ANOTHER.has(error.code)) throw error;
    const replaced = replacePayment(registration);
    keep(replaced);
    if (isOver) throw error;
    await send({ ...registration, ...replaced }, submit, keep);
  }
}

/** Finds out whether details whose answer was lost made a payment, before others are sent in their place. */
async function settle(
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
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const request = {
    ...contact,
    timeZone,
    website: registration.hiddenFieldFilled ? '' : website,
    package: packageId,
    paymentIntentClientSecret,
  };
  keep({ unanswered: contact });
  try {
    const payment = { ...(await createPayment(request, idempotencyKey)), unanswered: undefined };
    keep(payment);
    return { ...registration, ...payment };
  } catch (error) {
    if (error instanceof RegistrationRefused) keep(learnedFrom(error, registration));
    throw error;
  }
}

/** A refused submit made nothing; an earlier one of the same details, whose answer was lost, may have. */
function learnedFrom({ code }: RegistrationRefused, { unanswered }: RegistrationData): RegistrationData {
  return {
    unanswered: NEVER_MADE.has(code) ? undefined : unanswered,
    ...(code === 'looks_automated' && { hiddenFieldFilled: true }),
  };
}

function isSame(one: SentContact, other: SentContact): boolean {
  return (
    one.firstName === other.firstName &&
    one.lastName === other.lastName &&
    one.email === other.email &&
    one.phoneNumber === other.phoneNumber &&
    one.somebodyElse === other.somebodyElse
  );
}
