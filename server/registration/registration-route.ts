import { json, type RequestHandler, Router } from 'express';
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

interface RouteDependencies extends RegistrationDependencies {
  /** Whether registrations are taken at this moment. */
  isOpen: () => boolean;
}

/** `POST /createRetreatCustomerPayment`: JSON in, JSON out (R4.1). */
export function registrationRoute(dependencies: RouteDependencies): Router {
  const router = Router();
  router.post(CREATE_PAYMENT_PATH, json({ limit: '16kb' }), createPayment(dependencies));
  return router;
}

function createPayment(dependencies: RouteDependencies): RequestHandler {
  return async (req, res) => {
    if (!dependencies.isOpen()) throw registrationClosed();
    const request = v.safeParse(createPaymentRequestSchema, req.body);
    if (!request.success) throw invalidRequest(fieldErrors(createPaymentRequestSchema, req.body));
    const key = v.safeParse(idempotencyKeySchema, req.get(IDEMPOTENCY_KEY_HEADER));
    if (!key.success)
      throw invalidRequest({}, `The ${IDEMPOTENCY_KEY_HEADER} header is missing or malformed`);

    res.set('Cache-Control', 'no-store').json(await register(request.output, key.output, dependencies));
  };
}

function registrationClosed(): AppError {
  return new AppError({ code: 'registration_closed', status: 409, message: messages.registrationClosed });
}

function invalidRequest(fields: Record<string, string>, message = 'Please check your details'): AppError {
  return new AppError({ code: 'invalid_request', status: 400, message, fields });
}
