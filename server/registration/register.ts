import { AppError, causeOf } from '#server/http/app-error.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { DepositPayment, Payments, RegistrationKey } from '#server/payments/payments.ts';
import { type OpenPage, registrationName } from '#server/record/registrations.ts';
import { holdPlace, type Places } from '#server/register/places.ts';
import type { WaitingList } from '#server/register/waiting-list.ts';
import type { Logger } from '#server/service/logger.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { Contact, CreatePaymentResponse } from '#shared/registration.ts';
import type { RegistrationLimits } from './registration-limits.ts';

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
}

/**
 * Handles one submit: creates (or, on a repeated submit, finds and updates) the deposit payment and queues
 * the letters that it owes, to the registrant and to the office. Letters that cannot be queued never fail the
 * registration: they are recorded as owed at the payment, where the worker finds them (R4.1, R4.2, R5.1). Nor does one
 * that may not go out before she pays, because anybody may have typed her address.
 * @throws {AppError} for an unknown package, after too many attempts, when no place is left, for a person who
 *   is known to have paid already, or when the payment provider refuses
 */
export async function register(
  submit: RegistrationSubmit,
  dependencies: RegistrationDependencies,
): Promise<CreatePaymentResponse> {
  const { limits } = dependencies;
  const payment = await limits.unlessBusy('request', submit, () =>
    createOrUpdatePayment(submit, dependencies),
  );
  return answerWith(payment, dependencies);
}

async function answerWith(
  payment: DepositPayment,
  dependencies: RegistrationDependencies,
): Promise<CreatePaymentResponse> {
  const queued = await queueLetters(payment, dependencies);
  return {
    paymentIntentClientSecret: payment.clientSecret,
    amountCents: payment.amountCents,
    // Of a letter that is withheld nothing is told: that depends on what others did with her address.
    confirmationMail: queued ? 'queued' : 'later',
  };
}

/** One submit with an offer to somebody on the waiting list. */
export interface OfferedSubmit extends RegistrationSubmit {
  offer: { waitingId: string; until: Date };
}

/**
 * Registers with an offer, in the place that is held for it: if several browsers use the offer, they share
 * one payment.
 * @throws {AppError} also when the offer has ended, was taken back, or was used
 */
export async function registerByOffer(
  { package: packageId, key, address, offer, ...registrant }: OfferedSubmit,
  dependencies: RegistrationDependencies,
): Promise<CreatePaymentResponse> {
  const { waitingList, limits, watcher } = dependencies;
  const { timeZone, somebodyElse, openPage, paymentIntentClientSecret: _other, ...contact } = registrant;
  if (packageId !== facts.retreatPackage.id) throw unknownPackage();
  await limits.admitNew({ address, email: contact.email, proof: key.value });
  const { waitingId, until } = offer;
  const admitLetter = () => limits.admitLetter({ address, email: contact.email });
  const deposit = {
    contact,
    facts,
    timeZone,
    somebodyElse,
    openPage,
    admitLetter,
    offer: waitingId,
    until,
    key,
  };
  const payment = await limits.unlessBusy('request', { address }, () => waitingList.register(deposit));
  watcher.begun();
  const answer = await answerWith(payment, dependencies);
  return payment.offeredTo === undefined ? answer : { ...answer, offeredTo: payment.offeredTo };
}

async function createOrUpdatePayment(
  submit: RegistrationSubmit,
  { payments, limits, places, watcher }: RegistrationDependencies,
): Promise<DepositPayment> {
  const { package: packageId, paymentIntentClientSecret, key, address, ...registrant } = submit;
  const { timeZone, somebodyElse, openPage, ...contact } = registrant;
  const { retreatPackage } = facts;
  if (packageId !== retreatPackage.id) throw unknownPackage();
  const attempt = { address, email: contact.email };
  const admitLetter = () => limits.admitLetter(attempt);
  const deposit = { contact, facts, timeZone, somebodyElse, openPage, admitLetter };
  if (paymentIntentClientSecret !== undefined) {
    await limits.countRequest(attempt);
    return payments.updateDeposit(paymentIntentClientSecret, deposit, async (registration) => {
      await limits.admitEdit({ ...attempt, proof: paymentIntentClientSecret });
      if (registration !== undefined) await holdPlace(places, facts, { registration });
    });
  }
  await limits.admitNew({ ...attempt, proof: key.value });
  const payment = await payments.createDeposit(deposit, key, (record) =>
    holdPlace(places, facts, holderOf(key), record),
  );
  watcher.begun();
  return payment;
}

function holderOf({ value, before }: RegistrationKey) {
  return { registration: registrationName(value), before: before && registrationName(before) };
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
