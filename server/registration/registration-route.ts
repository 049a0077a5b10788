import type { IRouter, Request, RequestHandler } from 'express';
import { AppError } from '#server/http/app-error.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { OpenPage } from '#server/record/registrations.ts';
import { isOfferGone } from '#server/register/waiting-list.ts';
import { CREATE_PAYMENT_PATH, createPaymentRequestSchema, messages } from '#shared/registration.ts';
import { keyOfOffer, keysOfDetails } from './key-of-details.ts';
import { beforeForm, readForm } from './read-form.ts';
import { type RegistrationDependencies, register } from './register.ts';
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
  const { limits, logger } = dependencies;
  const keyOf = keysOfDetails(secret, dependencies.now);
  let hasWarned = false;
  const createPayment: RequestHandler = async (req, res) => {
    if (!hasWarned && !req.app.get('trust proxy') && req.get('X-Forwarded-For')) {
      logger.warn(PROXY_HINT);
      hasWarned = true;
    }
    const { form, key: value } = await readForm(createPaymentRequestSchema, req, limits);
    const address = visitorAddress(req);
    const offer = taking.read(req);
    const ownKey = value === undefined ? keyOf(form, address) : { value };
    const key = offer ? keyOfOffer(secret, offer) : ownKey;
    try {
      res.json(await register({ ...form, key, address, offer, openPage: readOpenPage(req) }, dependencies));
    } catch (error) {
      // Without the cookie, an offer that is not valid any more does not keep her from registering.
      if (isOfferGone(error)) taking.close(res);
      throw error;
    }
  };
  app.post(CREATE_PAYMENT_PATH, ...beforeForm(publicUrl, limits), requireOpen, createPayment);
}

/**
 * Refuses requests while registration is not open.
 * @param opensAt when registration will open, if that is in the future
 */
export function requireOpen(isOpen: () => boolean, opensAt: () => string | undefined): RequestHandler {
  return (_req, _res, next) => next(isOpen() ? undefined : registrationClosed(opensAt() !== undefined));
}

const PROXY_HINT =
  'A request came with X-Forwarded-For, but TRUST_PROXY is 0 or none: behind a proxy the limits count all visitors as one';

function registrationClosed(opensLater: boolean): AppError {
  const message = opensLater ? messages.registrationNotYetOpen : messages.registrationClosed;
  return new AppError({ code: 'registration_closed', status: 409, message });
}
