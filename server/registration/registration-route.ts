import { type IRouter, json, type Request, type RequestHandler } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import { requireJson } from '#server/http/require-json.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import { isOfferGone } from '#server/payments/register-by-offer.ts';
import {
  CREATE_PAYMENT_PATH,
  createPaymentRequestSchema,
  fieldErrors,
  IDEMPOTENCY_KEY_HEADER,
  idempotencyKeySchema,
  messages,
} from '#shared/registration.ts';
import { type KeyOfDetails, keyOfOffer, keysOfDetails } from './key-of-details.ts';
import { countUnread, invalidRequest, looksAutomated } from './read-form.ts';
import {
  type RegistrationDependencies,
  type RegistrationSubmit,
  register,
  registerByOffer,
} from './register.ts';
import type { Taking } from './taking.ts';

interface RouteDependencies extends RegistrationDependencies {
  /** Lets a request pass while registrations are taken, see `requireOpen`. */
  requireOpen: RequestHandler;
  publicUrl: string;
  /** Known to this site alone, to make keys of. */
  secret: string;
  /** What a browser brings that took up an offer to somebody of the waiting list. */
  taking: Pick<Taking, 'read' | 'close'>;
}

/** `POST /createRetreatCustomerPayment`: JSON in, JSON out (R4.1). What cannot be read counts for its sender. */
export function addRegistrationRoute(
  app: IRouter,
  { requireOpen, publicUrl, secret, taking, ...dependencies }: RouteDependencies,
): void {
  const { limits } = dependencies;
  app.post(
    CREATE_PAYMENT_PATH,
    requireSameOrigin(publicUrl),
    requireJson,
    countUnread(json({ limit: '16kb' }), limits),
    requireOpen,
    createPayment(dependencies, keysOfDetails(secret, dependencies.now), { taking, secret }),
  );
}

/**
 * Refuses while registrations are not taken.
 * @param opensAt when they will be, if that is still ahead
 */
export function requireOpen(isOpen: () => boolean, opensAt: () => string | undefined): RequestHandler {
  return (_req, _res, next) => next(isOpen() ? undefined : registrationClosed(opensAt() !== undefined));
}

function createPayment(
  dependencies: RegistrationDependencies,
  keyOf: KeyOfDetails,
  { taking, secret }: Pick<RouteDependencies, 'taking' | 'secret'>,
): RequestHandler {
  const warnOfProxy = once(() => dependencies.logger.warn(PROXY_HINT));
  return async (req, res) => {
    if (!req.app.get('trust proxy') && req.get('X-Forwarded-For')) warnOfProxy();
    const address = visitorAddress(req);
    const submit = readSubmit(req, address, keyOf);
    if (submit instanceof AppError) {
      await dependencies.limits.countRequest({ address });
      throw submit;
    }
    const offer = taking.read(req);
    if (!offer) return void res.json(await register(submit, dependencies));
    try {
      res.json(await registerByOffer({ ...submit, offer, key: keyOfOffer(secret, offer) }, dependencies));
    } catch (error) {
      // What cannot be taken up keeps nobody from registering without it.
      if (isOfferGone(error)) taking.close(res);
      throw error;
    }
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
