import { type IRouter, json, type RequestHandler } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/errors.ts';
import {
  CREATE_PAYMENT_PATH,
  createPaymentRequestSchema,
  fieldErrors,
  IDEMPOTENCY_KEY_HEADER,
  idempotencyKeySchema,
  messages,
} from '#shared/registration.ts';
import { type RegistrationDependencies, register } from './register.ts';
import { requireSameOrigin } from './require-same-origin.ts';
import { visitorAddress } from './visitor-address.ts';

interface RouteDependencies extends RegistrationDependencies {
  /** Whether registrations are taken at this moment. */
  isOpen: () => boolean;
  publicUrl: string;
}

/** `POST /createRetreatCustomerPayment`: JSON in, JSON out (R4.1). */
export function addRegistrationRoute(
  app: IRouter,
  { isOpen, publicUrl, ...dependencies }: RouteDependencies,
): void {
  app.post(
    CREATE_PAYMENT_PATH,
    requireSameOrigin(publicUrl),
    requireJson,
    json({ limit: '16kb' }),
    requireOpen(isOpen),
    createPayment(dependencies),
  );
}

/** A page of another site can send forms and text without asking first, but no JSON. */
const requireJson: RequestHandler = (req, _res, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  const empty = encoding === undefined && Number(length ?? 0) === 0;
  next(empty || req.is('json') ? undefined : notJson());
};

function requireOpen(isOpen: () => boolean): RequestHandler {
  return (_req, _res, next) => next(isOpen() ? undefined : registrationClosed());
}

function createPayment(dependencies: RegistrationDependencies): RequestHandler {
  const warnOfProxy = once(() => dependencies.logger.warn(PROXY_HINT));
  return async (req, res) => {
    if (!req.app.get('trust proxy') && req.get('X-Forwarded-For')) warnOfProxy();
    const request = v.safeParse(createPaymentRequestSchema, req.body);
    if (!request.success) throw invalidRequest(fieldErrors(createPaymentRequestSchema, req.body));
    const key = v.safeParse(idempotencyKeySchema, req.get(IDEMPOTENCY_KEY_HEADER));
    if (!key.success)
      throw invalidRequest({}, `The ${IDEMPOTENCY_KEY_HEADER} header is missing or malformed`);
    const { website, ...registration } = request.output;
    if (website !== '') throw invalidRequest({});

    const submit = { ...registration, idempotencyKey: key.output, address: visitorAddress(req) };
    res.set('Cache-Control', 'no-store').json(await register(submit, dependencies));
  };
}

const PROXY_HINT =
  'A request came with X-Forwarded-For, but TRUST_PROXY is 0 or none: behind a proxy the limits count all visitors as one';

/** The action, but for its repetitions. */
function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}

function registrationClosed(): AppError {
  return new AppError({ code: 'registration_closed', status: 409, message: messages.registrationClosed });
}

function notJson(): AppError {
  return new AppError({ code: 'not_json', status: 415, message: 'This takes JSON only' });
}

function invalidRequest(fields: Record<string, string>, message: string = messages.checkDetails): AppError {
  return new AppError({ code: 'invalid_request', status: 400, message, fields });
}
