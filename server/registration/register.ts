import { AppError } from '#server/errors.ts';
import type { Logger } from '#server/logger.ts';
import type { MailJob, MailQueue } from '#server/mail/queue.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { Contact, CreatePaymentResponse } from '#shared/registration.ts';
import { findPackage } from '#shared/retreat-package.ts';
import type { RegistrationLimits } from './registration-limits.ts';

export interface RegistrationDependencies {
  payments: Payments;
  mailQueue: MailQueue;
  limits: RegistrationLimits;
  watcher: RegistrationWatcher;
  logger: Logger;
}

/** Is told how registrations go. */
interface RegistrationWatcher {
  /** There is a payment to be made, perhaps again for a press that was repeated. */
  begun(): void;
  /** So many mails could not be queued. */
  mailsOwed(count: number): void;
}

/** One submit of the contact step, parsed. */
export interface RegistrationSubmit extends Contact {
  package: string;
  timeZone: string;
  /** Named by the browser when its registration has a payment already. */
  paymentIntentClientSecret?: string | undefined;
  idempotencyKey: string;
  /** Of the visitor, for the limits. */
  address: string;
}

/**
 * Takes one registration: makes (or, on a repeated submit, finds and updates) its deposit payment and queues
 * the confirmation mail and the office's notice. Mails that cannot be queued never fail the registration: they stand
 * as owed with the payment, where the worker finds them (R4.1, R4.2, R5.1).
 * @throws {AppError} for an unknown package, after too many attempts, or when the payment provider refuses
 */
export async function register(
  submit: RegistrationSubmit,
  { payments, mailQueue, limits, watcher, logger }: RegistrationDependencies,
): Promise<CreatePaymentResponse> {
  const { package: packageId, paymentIntentClientSecret, idempotencyKey, address, ...registrant } = submit;
  const { timeZone, ...contact } = registrant;
  const retreatPackage = findPackage(packageId);
  if (!retreatPackage) throw unknownPackage();
  const isNew = paymentIntentClientSecret === undefined;
  const proof = paymentIntentClientSecret ?? idempotencyKey;
  await limits.admit({ address, email: contact.email, proof, isNew });

  const deposit = { contact, retreatPackage, timeZone };
  const payment = paymentIntentClientSecret
    ? await payments.updateDeposit(deposit, paymentIntentClientSecret)
    : await payments.createDeposit(deposit, idempotencyKey);

  if (isNew) watcher.begun();
  const mails = mailsFor({ paymentIntentId: payment.id, ...registrant });
  const queued = await mailQueue.add(...mails).then(
    () => true,
    (error: unknown) => {
      logger.error({ err: error, paymentIntent: payment.id }, 'The confirmation mail is owed');
      watcher.mailsOwed(mails.length);
      return false;
    },
  );
  return {
    paymentIntentClientSecret: payment.clientSecret,
    amountCents: payment.amountCents,
    confirmationMail: queued ? 'queued' : 'later',
  };
}

function mailsFor(mail: Omit<MailJob, 'kind'>): MailJob[] {
  return [
    { kind: 'registration-received', ...mail },
    { kind: 'office-notice', ...mail },
  ];
}

function unknownPackage(): AppError {
  return new AppError({
    code: 'unknown_package',
    status: 422,
    message: 'This package is not offered',
    fields: { package: 'This package is not offered' },
  });
}
