import { AppError } from '#server/errors.ts';
import type { Logger } from '#server/logger.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { CreatePaymentRequest, CreatePaymentResponse } from '#shared/registration.ts';
import { findPackage } from '#shared/retreat-package.ts';

export interface RegistrationDependencies {
  payments: Payments;
  mailQueue: MailQueue;
  logger: Logger;
}

/**
 * Takes one registration: makes (or, on a repeated submit, finds and updates) its deposit payment and queues
 * the confirmation mail. A mail that cannot be queued never fails the registration (R4.1, R4.2, R5.1).
 * @throws {AppError} for an unknown package or when the payment provider refuses
 */
export async function register(
  request: CreatePaymentRequest,
  idempotencyKey: string,
  { payments, mailQueue, logger }: RegistrationDependencies,
): Promise<CreatePaymentResponse> {
  const { package: packageId, paymentIntentClientSecret, ...contact } = request;
  const retreatPackage = findPackage(packageId);
  if (!retreatPackage) throw unknownPackage();

  const deposit = { contact, retreatPackage };
  const payment = paymentIntentClientSecret
    ? await payments.updateDeposit(deposit, paymentIntentClientSecret)
    : await payments.createDeposit(deposit, idempotencyKey);

  await mailQueue
    .add({
      kind: 'registration-received',
      paymentIntentId: payment.id,
      firstName: contact.firstName,
      email: contact.email,
    })
    .catch((error: unknown) => {
      logger.error({ err: error, paymentIntent: payment.id }, 'The confirmation mail is owed');
    });
  return { paymentIntentClientSecret: payment.clientSecret };
}

function unknownPackage(): AppError {
  return new AppError({
    code: 'unknown_package',
    status: 422,
    message: 'This package is not offered',
    fields: { package: 'This package is not offered' },
  });
}
