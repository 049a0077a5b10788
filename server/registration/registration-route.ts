import { type IRouter, json, type Request, type RequestHandler } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import { requireJson } from '#server/http/require-json.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import {
  CREATE_PAYMENT_PATH,
  createPaymentRequestSchema,
  fieldErrors,
  IDEMPOTENCY_KEY_HEADER,
  idempotencyKeySchema,
  messages,
} from '#shared/registration.ts';
import { type KeyOfDetails, keysOfDetails } from './key-of-details.ts';
import { type RegistrationDependencies, type RegistrationSubmit, register } from './register.ts';
import type { RegistrationLimits } from './registration-limits.ts';

interface RouteDependencies extends RegistrationDependencies {
  /** Whether registrations are taken at this moment. */
  isOpen: () => boolean;
  /** When they will be, if that is still ahead. */
  opensAt: () => string | undefined;
  publicUrl: string;
  /** Known to this site alone, to make keys of. */
  secret: string;
  now: () => Date;
}

/** `POST /createRetreatCustomerPayment`: JSON in, JSON out (R4.1). What cannot be read counts for its sender. */
export function addRegistrationRoute(
  app: IRouter,
  { isOpen, opensAt, publicUrl, secret, now, ...dependencies }: RouteDependencies,
): void {
  const { limits } = dependencies;
  app.post(
    CREATE_PAYMENT_PATH,
    requireSameOrigin(publicUrl),
    requireJson,
    countUnread(json({ limit: '16kb' }), limits),
    requireOpen(isOpen, opensAt),
    createPayment(dependencies, keysOfDetails(secret, now)),
  );
}

/** Counts the requests whose body a parser does not read. */
function countUnread(parse: RequestHandler, limits: RegistrationLimits): RequestHandler {
  return async (req, res, next) => {
    const error = await new Promise<unknown>((resolve) => parse(req, res, resolve));
    if (error) await limits.countRequest({ address: visitorAddress(req) });
    next(error);
  };
}

function requireOpen(isOpen: () => boolean, opensAt: () => string | undefined): RequestHandler {
  return (_req, _res, next) => next(isOpen() ? undefined : registrationClosed(opensAt() !== undefined));
}

function createPayment(dependencies: RegistrationDependencies, keyOf: KeyOfDetails): RequestHandler {
  const warnOfProxy = once(() => dependencies.logger.warn(PROXY_HINT));
  return async (req, res) => {
    if (!req.app.get('trust proxy') && req.get('X-Forwarded-For')) warnOfProxy();
    const address = visitorAddress(req);
    const submit = readSubmit(req, address, keyOf);
    if (submit instanceof AppError) {
      await dependencies.limits.countRequest({ address });
      throw submit;
    }
    res.set('Cache-Control', 'no-store').json(await register(submit, dependencies));
  };
}

function readSubmit(req: Request, address: string, keyOf: KeyOfDetails): RegistrationSubmit | AppError {
  const request = v.safeParse(createPaymentRequestSchema, req.body);
  if (!request.success) return invalidRequest(fieldErrors(createPaymentRequestSchema, req.body));
  const { website, ...registration } = request.output;
  const header = req.get(IDEMPOTENCY_KEY_HEADER);
  const key = v.safeParse(v.optional(idempotencyKeySchema), header);
  if (!key.success) return invalidRequest({}, `The ${IDEMPOTENCY_KEY_HEADER} header is malformed`);
  if (website !== '') return looksAutomated();
  const value = key.output;
  return { ...registration, address, key: value === undefined ? keyOf(registration, address) : { value } };
}

const PROXY_HINT =
  'A request came with X-Forwarded-For, but TRUST_PROXY is 0 or none: behind a proxy the limits count all visitors as one';

/** Runs the action on the first call only. */
function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}

function registrationClosed(opensLater: boolean): AppError {
  const message = opensLater ? messages.registrationNotYetOpen : messages.registrationClosed;
  return new AppError({ code: 'registration_closed', status: 409, message });
}

/** Not for ever: what fills in the field that nobody sees may be an extension of the visitor's browser. */
function looksAutomated(): AppError {
  return new AppError({ code: 'looks_automated', status: 409, message: messages.looksAutomated });
}

function invalidRequest(fields: Record<string, string>, message: string = messages.checkDetails): AppError {
  return new AppError({ code: 'invalid_request', status: 400, message, fields });
}
