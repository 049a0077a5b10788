import { AppError, causeOf } from '#server/http/app-error.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { DepositPayment, Payments, RegistrationKey } from '#server/payments/payments.ts';
import { type OpenPage, registrationName } from '#server/record/registrations.ts';
import { holdPlace, type Places } from '#server/register/places.ts';
import type { OfferedPayment, WaitingList } from '#server/register/waiting-list.ts';
import type { Logger } from '#server/service/logger.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { Contact, CreatePaymentResponse } from '#shared/registration.ts';
import type { RegistrationLimits } from './registration-limits.ts';
import type { TakenOffer } from './taking.ts';

export interface RegistrationDependencies {
  now: () => Date;
  payments: Payments;
  mailQueue: MailQueue;
  limits: RegistrationLimits;
  places: Pick<Places, 'hold'>;
  waitingList: Pick<WaitingList, 'register'>;
  watcher: RegistrationWatcher;
  logger: Logger;
}

/** Is notified of the progress of registrations. */
interface RegistrationWatcher {
  /** A payment was created, or found again for a repeated press. */
  begun(): void;
  /** `count` mails could not be queued. */
  mailsOwed(count: number): void;
}

/** One submit of the contact step, parsed. */
export interface RegistrationSubmit extends Contact {
  package: string;
  timeZone: string;
  /** Set when the page asked, and the visitor answered that the registration is for somebody else. */
  somebodyElse: boolean;
  /** The own page that the browser has open. */
  openPage: OpenPage | undefined;
  /** Sent by the browser when its registration has a payment already. */
  paymentIntentClientSecret?: string | undefined;
  key: RegistrationKey;
  /** The visitor's address, for the limits. */
  address: string;
  /** The offer to somebody on the waiting list that the browser has opened. */
  offer: TakenOffer | undefined;
}

/**
 * Handles one submit: creates (or, on a repeated submit, finds and updates) the deposit payment and queues
 * the letters that it owes, to the registrant and to the office. Letters that cannot be queued never fail the
 * registration: they are recorded as owed in the register, where the worker finds them (R4.1, R4.2, R5.1). Nor does one
 * that may not go out before she pays, because anybody may have typed her address.
 * @throws {AppError} for an unknown package, after too many attempts, when no place is left, for a person who
 *   is known to have paid already, when the payment provider refuses, or when an offer has ended, was taken back, or was
 *   used
 */
export async function register(
  submit: RegistrationSubmit,
  dependencies: RegistrationDependencies,
): Promise<CreatePaymentResponse> {
  const payment = await dependencies.limits.unlessBusy('request', submit, () =>
    createOrUpdatePayment(submit, dependencies),
  );
  const queued = await queueLetters(payment, dependencies);
  const { clientSecret: paymentIntentClientSecret, amountCents, offeredTo } = payment;
  // Of a letter that is withheld nothing is told: that depends on what others did with her address.
  const confirmationMail = queued ? 'queued' : 'later';
  return {
    paymentIntentClientSecret,
    amountCents,
    confirmationMail,
    ...(offeredTo !== undefined && { offeredTo }),
  };
}

async function createOrUpdatePayment(
  submit: RegistrationSubmit,
  { payments, limits, places, waitingList, watcher }: RegistrationDependencies,
): Promise<OfferedPayment> {
  const { package: packageId, paymentIntentClientSecret, key, address, offer, ...registrant } = submit;
  const { timeZone, somebodyElse, openPage, ...contact } = registrant;
  if (packageId !== facts.retreatPackage.id) throw unknownPackage();
  const attempt = { address, email: contact.email };
  const admitLetter = () => limits.admitLetter(attempt);
  const deposit = { contact, facts, timeZone, somebodyElse, openPage, admitLetter };
  if (paymentIntentClientSecret !== undefined && !offer) {
    await limits.countRequest(attempt);
    return payments.updateDeposit(paymentIntentClientSecret, deposit, async (registration) => {
      await limits.admitEdit({ ...attempt, proof: paymentIntentClientSecret });
      if (registration !== undefined) await holdPlace(places, facts, { registration });
    });
  }
  await limits.admitNew({ ...attempt, proof: key.value });
  const before = key.before && registrationName(key.before);
  const holder = { registration: registrationName(key.value), before };
  // In the place that is held for an offer: if several browsers use it, they share one payment.
  const payment = offer
    ? await waitingList.register({ ...deposit, offer: offer.waitingId, until: offer.until, key })
    : await payments.createDeposit(deposit, key, (record) => holdPlace(places, facts, holder, record));
  watcher.begun();
  return payment;
}

/** Whether the letters are on the queue. */
async function queueLetters(
  { id, letters }: DepositPayment,
  { mailQueue, watcher, logger }: RegistrationDependencies,
): Promise<boolean> {
  try {
    if (letters.length === 0) return mailQueue.isReady();
    await mailQueue.add(...letters);
    return true;
  } catch (error) {
    logger.error(
      { err: causeOf(error), paymentIntent: id },
      'The confirmation mail could not be queued: the worker will send it later',
    );
    watcher.mailsOwed(letters.length);
    return false;
  }
}

function unknownPackage(): AppError {
  return new AppError({
    code: 'unknown_package',
    status: 422,
    message: 'This package is not offered',
    fields: { package: 'This package is not offered' },
  });
}
