import { type IRouter, json, type Request, type RequestHandler } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import { requireJson } from '#server/http/require-json.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { OpenPage } from '#server/record/registrations.ts';
import { isOfferGone } from '#server/register/waiting-list.ts';
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
  /** Lets requests pass while registration is open, see `requireOpen`. */
  requireOpen: RequestHandler;
  publicUrl: string;
  /** Known to this site alone; keys are derived from it. */
  secret: string;
  /** The cookie of a browser that opened an offer from the waiting list. */
  taking: Pick<Taking, 'read' | 'close'>;
  readOpenPage: ReadOpenPage;
}

/** The own page that a browser has opened by a link in a letter. */
export type ReadOpenPage = (req: Request) => OpenPage | undefined;

/**
 * `POST /createRetreatCustomerPayment`: JSON in, JSON out (R4.1). Requests that cannot be read also count for
 * their sender.
 */
export function addRegistrationRoute(
  app: IRouter,
  { requireOpen, publicUrl, secret, taking, readOpenPage, ...dependencies }: RouteDependencies,
): void {
  const { limits } = dependencies;
  app.post(
    CREATE_PAYMENT_PATH,
    requireSameOrigin(publicUrl),
    requireJson,
    countUnread(json({ limit: '16kb' }), limits),
    requireOpen,
    createPayment(dependencies, keysOfDetails(secret, dependencies.now), { taking, readOpenPage, secret }),
  );
}

/**
 * Refuses requests while registration is not open.
 * @param opensAt when registration will open, if that is in the future
 */
export function requireOpen(isOpen: () => boolean, opensAt: () => string | undefined): RequestHandler {
  return (_req, _res, next) => next(isOpen() ? undefined : registrationClosed(opensAt() !== undefined));
}

function createPayment(
  dependencies: RegistrationDependencies,
  keyOf: KeyOfDetails,
  { taking, readOpenPage, secret }: Pick<RouteDependencies, 'taking' | 'readOpenPage' | 'secret'>,
): RequestHandler {
  const warnOfProxy = once(() => dependencies.logger.warn(PROXY_HINT));
  return async (req, res) => {
    if (!req.app.get('trust proxy') && req.get('X-Forwarded-For')) warnOfProxy();
    const address = visitorAddress(req);
    const read = readSubmit(req, address, keyOf);
    if (read instanceof AppError) {
      await dependencies.limits.countRequest({ address });
      throw read;
    }
    const submit = { ...read, openPage: readOpenPage(req) };
    const offer = taking.read(req);
    if (!offer) return void res.json(await register(submit, dependencies));
    try {
      res.json(await registerByOffer({ ...submit, offer, key: keyOfOffer(secret, offer) }, dependencies));
    } catch (error) {
      // Without the cookie, an offer that is not valid any more does not keep her from registering.
      if (isOfferGone(error)) taking.close(res);
      throw error;
    }
  };
}

function readSubmit(
  req: Request,
  address: string,
  keyOf: KeyOfDetails,
): Omit<RegistrationSubmit, 'openPage'> | AppError {
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
