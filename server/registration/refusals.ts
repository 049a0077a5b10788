import { AppError } from '#server/web/app-error.ts';
import { messages, RETREAT_FULL } from '#shared/registration.ts';
import { HANDED_OVER } from './allowed.ts';

const REFUSALS = {
  [RETREAT_FULL]: messages.retreatFull,
  /** The idempotency key was used with other details. */
  registration_changed: 'This registration was already started with other details',
  registration_not_found: 'This registration cannot be continued. Please start again',
  /** Her deposit was cancelled: too many attempts failed, or for another reason, such as that registration is over. */
  payment_closed: messages.paymentClosed,
  payment_canceled: messages.paymentCanceled,
  already_paid: messages.alreadyPaid,
  /** The payment's edition never had these terms, or this release does not know them yet. */
  unknown_terms: messages.unexpected,
  changed: 'Something had changed since you opened this page, so nothing was done. Please look at it again',
  hand_over_gone:
    'This place is not being handed over to you any more, or is yours already. Nothing was done; please load this page again',
  hand_over_waits:
    'The balance of this place is being paid at this very moment. Please wait a few minutes, then load this page again',
  hand_over_has_place:
    'You have a place at this retreat already, under the same name and address, so nothing was done. Please ask the retreat office',
  handed_over: HANDED_OVER,
  corrected_meanwhile:
    'Somebody else corrected this at the same time: look at the registration, and correct it again',
  decided_meanwhile:
    'Somebody else decided this at the same time: look at the registration, and decide again',
  /** It is on record, and a card paid the balance at the same time. */
  decided_but_paid:
    'It is recorded, but the balance was paid by card meanwhile: look at the registration, and give back what is not owed as an exception',
} as const;

type RefusalCode = keyof typeof REFUSALS;

export function refused(code: RefusalCode, cause?: unknown): AppError {
  return new AppError({ code, status: 409, message: REFUSALS[code], cause });
}

export function isRefused(error: unknown, code: RefusalCode): boolean {
  return error instanceof AppError && error.code === code;
}

export function tooManyDeclines(): AppError {
  const message =
    'Too many cards were declined. Nothing was charged. Please write to or call the retreat office';
  return new AppError({ code: 'too_many', status: 429, message });
}
