import { type IRouter, json, type RequestHandler } from 'express';
import * as v from 'valibot';
import type { Logger } from '#server/config/logger.ts';
import type { MailQueue } from '#server/letters/queue.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import {
  type Admission,
  type HeldFrom,
  idsOf,
  type RegistrationKey,
} from '#server/registration/registration.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { recordConsent } from '#server/stripe/decide.ts';
import { createDeposit, type DepositPayment, updateDeposit } from '#server/stripe/deposit.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import { requireJson, requireSameOrigin } from '#server/web/request-guards.ts';
import { visitorAddress } from '#server/web/visitor-address.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { formatDate } from '#shared/dates.ts';
import {
  CREATE_PAYMENT_PATH,
  type CreatePaymentResponse,
  createPaymentRequestSchema,
  messages,
  RECORD_CONSENT_PATH,
  recordConsentRequestSchema,
} from '#shared/registration.ts';
import { beforeForm, heldFrom, keysOfDetails, readForm } from './read-form.ts';
import type { RegistrationLimits } from './registration-limits.ts';

interface RouteDependencies extends RegistrationDependencies {
  /** Lets requests pass while registration is open, see `requireOpen`. */
  requireOpen: RequestHandler;
  publicUrl: string;
  /** Known to this site alone; keys are derived from it. */
  secret: string;
}

type ConsentDependencies = Pick<RouteDependencies, 'payments' | 'limits' | 'places' | 'publicUrl' | 'now'>;

/** `POST /createRetreatCustomerPayment` (R4.1). Requests that cannot be read also count for their sender. */
export function addRegistrationRoute(
  app: IRouter,
  { requireOpen, publicUrl, secret, ...dependencies }: RouteDependencies,
): void {
  const { limits, logger, mailQueue } = dependencies;
  const keyOf = keysOfDetails(secret, dependencies.now);
  let hasWarned = false;
  const createPayment: RequestHandler = async (req, res) => {
    if (!hasWarned && !req.app.get('trust proxy') && req.get('X-Forwarded-For')) {
      logger.warn(PROXY_HINT);
      hasWarned = true;
    }
    const { form, key: value } = await readForm(createPaymentRequestSchema, req, limits);
    const address = visitorAddress(req);
    const key = value === undefined ? keyOf(form, address) : { value };
    const from = facts.places === undefined ? undefined : heldFrom(secret, req);
    const payment = await register({ form, key, address, from }, dependencies);
    const { clientSecret: paymentIntentClientSecret, amountCents } = payment;
    const confirmationMail = mailQueue.isReady() ? 'queued' : 'later';
    const answer: CreatePaymentResponse = { paymentIntentClientSecret, amountCents, confirmationMail };
    res.json(answer);
    // Whether there are letters depends on what others did with her address, so the answer does not wait for them.
    await queueLetters(payment, dependencies);
  };
  app.post(CREATE_PAYMENT_PATH, ...beforeForm(publicUrl, limits), requireOpen, createPayment);
}

/** @param opensAt when registration will open, if that is in the future */
export function requireOpen(isOpen: () => boolean, opensAt: () => string | undefined): RequestHandler {
  return (_req, _res, next) => {
    if (isOpen()) return next();
    const day = opensAt()?.slice(0, 'yyyy-mm-dd'.length);
    const message = day ? messages.registrationNotYetOpen(formatDate(day)) : messages.registrationClosed;
    next(new AppError({ code: 'registration_closed', status: 409, message }));
  };
}

const PROXY_HINT =
  'A request came with X-Forwarded-For, but TRUST_PROXY is 0 or none: behind a proxy the limits count all visitors as one';

interface RegistrationDependencies extends Admission {
  now: () => Date;
  payments: Payments;
  mailQueue: MailQueue;
  limits: RegistrationLimits;
  metrics: Pick<Metrics, 'count'>;
  logger: Logger;
}

interface RegistrationSubmit {
  form: Omit<v.InferOutput<typeof createPaymentRequestSchema>, 'website'>;
  key: RegistrationKey;
  /** The visitor's address, for the limits. */
  address: string;
  /** Undefined where places are not limited. */
  from: HeldFrom | undefined;
}

/**
 * Creates, or on a repeated submit finds and updates, the deposit payment (R4.1, R4.2, R5.1).
 * @throws {AppError} for an unknown package, after too many attempts, when no place is left, or when the payment provider
 * refuses
 */
async function register(
  { form, key, address, from }: RegistrationSubmit,
  dependencies: RegistrationDependencies,
): Promise<DepositPayment> {
  const { payments, limits, places, metrics } = dependencies;
  const { package: packageId, paymentIntentClientSecret, timeZone, ...contact } = form;
  if (packageId !== facts.retreatPackage.id) {
    const message = 'This package is not offered';
    throw new AppError({ code: 'unknown_package', status: 422, message, fields: { package: message } });
  }
  const attempt = { address, email: contact.email };
  const admitLetter = () => limits.admitLetter(attempt);
  const deposit = { contact, facts, timeZone, admitLetter };
  if (paymentIntentClientSecret !== undefined) {
    await limits.countRequest(attempt);
    return payments.ask(updateDeposit, paymentIntentClientSecret, deposit, async (registration) => {
      await limits.admitEdit({ ...attempt, proof: paymentIntentClientSecret });
      if (registration !== undefined) await places.hold(facts, { own: [registration], from });
    });
  }
  await limits.admitNew({ ...attempt, proof: key.value });
  const payment = await payments.ask(createDeposit, deposit, key, (record) =>
    places.hold(facts, { own: idsOf(key), from }, record),
  );
  metrics.count('deposits_total', { event: 'begun' });
  return payment;
}

/** Letters that cannot be queued, or go out only once she pays: the worker finds them. */
async function queueLetters(
  { registration, letters }: DepositPayment,
  { mailQueue, metrics, logger }: RegistrationDependencies,
): Promise<void> {
  if (letters.length === 0) return;
  try {
    await mailQueue.queue(...letters);
  } catch (error) {
    logger.error(
      { err: causeOf(error), registration },
      'The confirmation mail could not be queued: the worker will send it later',
    );
    metrics.count('mails_owed_total', undefined, letters.length);
  }
}

/**
 * `POST /recordConsent`: records that the registrant has agreed to the terms, before the card is charged. The
 * time is this server's. Every request counts for its sender, because each calls Stripe. It holds the place
 * once more from now.
 */
export function addConsentRoute(
  app: IRouter,
  { payments, limits, places, publicUrl, now }: ConsentDependencies,
): void {
  const count: RequestHandler = async (req, _res, next) => {
    await limits.countConsent({ address: visitorAddress(req) });
    next();
  };
  const record: RequestHandler = async (req, res) => {
    const request = v.safeParse(recordConsentRequestSchema, req.body);
    if (!request.success)
      throw new AppError({ code: 'invalid_request', status: 400, message: messages.checkDetails });
    const { paymentIntentClientSecret: clientSecret, ...terms } = request.output;
    const consent = { ...terms, agreedAt: now() };
    await payments.ask(recordConsent, clientSecret, consent, (facts, registration) =>
      places.hold(facts, { own: [registration], agrees: true }),
    );
    res.status(204).end();
  };
  const before = [requireSameOrigin(publicUrl), requireJson, count, json({ limit: '1kb' })];
  app.post(RECORD_CONSENT_PATH, ...before, record);
}
