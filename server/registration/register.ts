import { AppError } from '#server/errors.ts';
import type { Logger } from '#server/logger.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { DepositPayment, Payments } from '#server/payments/payments.ts';
import type { Contact, CreatePaymentResponse } from '#shared/registration.ts';
import { findPackage } from '#shared/retreat-package.ts';
import type { RegistrationLimits } from './registration-limits.ts';

export interface RegistrationDependencies {
  payments: Payments;
  mailQueue: MailQueue;
  limits: RegistrationLimits;
  logger: Logger;
}

/** One submit of the contact step, parsed. */
export interface RegistrationSubmit extends Contact {
  package: string;
  /** Named by the browser when its registration has a payment already. */
  paymentIntentClientSecret?: string | undefined;
  idempotencyKey: string;
  /** Of the visitor, for the limits. */
  address: string;
}

/**
 * Takes one registration: makes (or, on a repeated submit, finds and updates) its deposit payment and queues
 * the confirmation mail. A mail that cannot be queued never fails the registration (R4.1, R4.2, R5.1).
 * @throws {AppError} for an unknown package, after too many attempts, or when the payment provider refuses
 */
export async function register(
  submit: RegistrationSubmit,
  { payments, mailQueue, limits, logger }: RegistrationDependencies,
): Promise<CreatePaymentResponse> {
  const { package: packageId, paymentIntentClientSecret, idempotencyKey, address, ...contact } = submit;
  const retreatPackage = findPackage(packageId);
  if (!retreatPackage) throw unknownPackage();
  const newKey = paymentIntentClientSecret ? undefined : idempotencyKey;
  await limits.admit({ address, email: contact.email, newKey });

  const deposit = { contact, retreatPackage };
  const payment = paymentIntentClientSecret
    ? await payments.updateDeposit(deposit, paymentIntentClientSecret)
    : await payments.createDeposit(deposit, idempotencyKey);

  if (newKey) limits.remember(payment.id, address);
  await queueConfirmation(payment, contact, mailQueue).catch((error: unknown) => {
    logger.error({ err: error, paymentIntent: payment.id }, 'The confirmation mail is owed');
  });
  return { paymentIntentClientSecret: payment.clientSecret };
}

function queueConfirmation({ id }: DepositPayment, contact: Contact, mailQueue: MailQueue): Promise<void> {
  const { firstName, email } = contact;
  return mailQueue.add({ kind: 'registration-received', paymentIntentId: id, firstName, email });
}

function unknownPackage(): AppError {
  return new AppError({
    code: 'unknown_package',
    status: 422,
    message: 'This package is not offered',
    fields: { package: 'This package is not offered' },
  });
}
