import type { IRouter, RequestHandler, Response } from 'express';
import { renderWaitingDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { isMarked, redirectMarked } from '#server/http/cookies.ts';
import { allow, requireSameOrigin } from '#server/http/request-guards.ts';
import { privately } from '#server/http/security-headers.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Assets } from '#server/page/assets.ts';
import { createLinks, type Links } from '#server/registration/links.ts';
import type { PlacesShown } from '#server/registration/places.ts';
import { isSameOffer, type WaitingList } from '#server/registration/waiting-list.ts';
import { waitingStateOf } from '#server/registration/waiting-record.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { endUnpaid } from '#server/stripe/forget.ts';
import { waitingLettersDue } from '#server/worker/waiting-work.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { type WaitingPress, type WaitingReason, waitingPresses } from '#shared/content/plain-pages.ts';
import { UNFINISHED_PATH } from '#shared/own-page.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { messages } from '#shared/registration.ts';
import {
  JOIN_WAITING_PATH,
  type JoinWaitingResponse,
  joinWaitingRequestSchema,
  OFFER_PATH,
  PLACES_LEFT,
  WAITING_PATH,
} from '#shared/waiting.ts';
import { beforeForm, keysOfDetails, readForm } from './read-form.ts';
import type { RegistrationLimits } from './registration-limits.ts';
import { createTaking, type TakenOffer, type Taking } from './taking.ts';

export const WAITING_POST_PATHS: readonly string[] = [JOIN_WAITING_PATH];

const TOKEN_PATHS = [WAITING_PATH, OFFER_PATH, UNFINISHED_PATH];

/** The names that may be logged whatever the status of the answer. */
export const WAITING_NAMES: readonly string[] = [OFFER_PATH, ...TOKEN_PATHS.map((path) => `${path}/:token`)];

/**
 * The name under which a path is logged: what follows these paths is a token. Express matches paths in upper
 * and lower case.
 */
export function nameOfWaitingPath(path: string): string {
  const found = TOKEN_PATHS.find((one) => path.toLowerCase().startsWith(`${one}/`));
  return found ? `${found}/:token` : path;
}

interface WaitingDependencies {
  config: AppConfig;
  assets: Assets;
  waitingList: WaitingList;
  placesShown: Pick<PlacesShown, 'isFull'>;
  payments: Pick<Payments, 'ask'>;
  limits: Pick<RegistrationLimits, 'admitNew' | 'countRequest'>;
  mailQueue: Pick<MailQueue, 'add' | 'isReady'>;
  logger: Logger;
  now: () => Date;
  /** Lets requests pass while registration is open. */
  requireOpen: RequestHandler;
  /** Answers with the landing page that is shown while there are places. */
  openPage: RequestHandler;
}

/** What all these routes share. */
interface WaitingSite extends WaitingDependencies {
  links: Links;
  taking: Taking;
  sendPage: SendWaitingPage;
}

/**
 * The routes of the waiting list. Its acts (POST) are added before the handler that refuses all methods but
 * GET and HEAD, its pages after it.
 */
export function createWaitingRoutes(dependencies: WaitingDependencies): {
  taking: Taking;
  addActs(app: IRouter): void;
  addPages(app: IRouter): void;
} {
  const { config, assets, now } = dependencies;
  const links = createLinks(config.linkSecrets, config.publicUrl);
  const taking = createTaking(links, config.publicUrl, now);
  const site = { ...dependencies, links, taking, sendPage: waitingPages(config, assets) };
  const offers = offerRoutes(site);
  const pages = new Map<string, { show: RequestHandler; press: RequestHandler | RequestHandler[] }>([
    [WAITING_PATH, pressRoutes(WAITING_PATH, waitingPageOf(site), site)],
    [UNFINISHED_PATH, pressRoutes(UNFINISHED_PATH, endPageOf(site), site)],
    [OFFER_PATH, offers],
  ]);
  return {
    taking,
    addActs(app) {
      addJoinRoute(app, site);
      for (const [path, { press }] of pages)
        app.post(`${path}/:token`, privately, press).all(`${path}/:token`, allow('GET', 'HEAD', 'POST'));
    },
    addPages(app) {
      for (const [path, { show }] of pages) app.get(`${path}/:token`, privately, show);
      app.get(OFFER_PATH, offers.showOpen);
    },
  };
}

/** All others are 200. */
const STATUS: Readonly<Partial<Record<WaitingReason, number>>> = {
  'end-paid': 409,
  invalid: 403,
  'no-cookie': 403,
  'offer-used': 410,
  'offer-over': 410,
};

/** Answers with a page of the waiting list; those of `waitingPresses` have a button that posts to a path. */
type SendWaitingPage = (res: Response, reason: WaitingReason, path?: string) => void;

function waitingPages({ office }: AppConfig, { ownPageStyle: styleSheet, fonts }: Assets): SendWaitingPage {
  const shown = { office: contactOf(office), look: { styleSheet, fonts } };
  return (res, reason, path) => {
    const press = isPress(reason) && path && { press: { act: reason, postTo: path } };
    const page = renderWaitingDocument({ ...shown, reason, ...press });
    res
      .status(STATUS[reason] ?? 200)
      .type('html')
      .send(page);
  };
}

function isPress(reason: WaitingReason): reason is WaitingPress {
  return reason in waitingPresses;
}

/**
 * `POST /joinWaitingList`: JSON in, JSON out. It counts for the same limits as registrations, and is refused while there
 * are places. For an address that is on the list already, or has a place, it does the same: only the letter to it says
 * so, which is queued after the answer, because that takes longer for a new address.
 */
function addJoinRoute(app: IRouter, site: WaitingSite): void {
  const { config, waitingList, placesShown, limits, mailQueue, requireOpen, now } = site;
  const keyOf = keysOfDetails(config.stripe.secretKey, now);
  const join: RequestHandler = async (req, res) => {
    const { form, key } = await readForm(joinWaitingRequestSchema, req, limits);
    const { timeZone, ...contact } = form;
    const address = visitorAddress(req);
    const details = { ...contact, package: JOIN_WAITING_PATH };
    const proof = key ?? keyOf(details, address).value;
    if (!placesShown.isFull())
      throw new AppError({ code: PLACES_LEFT, status: 409, message: messages.placesLeft });
    await limits.admitNew({ address, email: contact.email, proof }, 'joins');
    const id = await waitingList.join({ contact, timeZone, facts });
    const answer: JoinWaitingResponse = { confirmationMail: mailQueue.isReady() ? 'queued' : 'later' };
    res.json(answer);
    await queueLetters(id, site);
  };
  app.post(JOIN_WAITING_PATH, ...beforeForm(config.publicUrl, limits), requireOpen, join);
}

async function queueLetters(
  waiting: string,
  { waitingList, mailQueue, logger, now }: WaitingSite,
): Promise<void> {
  try {
    const record = await waitingList.find(waiting);
    if (record) await mailQueue.add(...waitingLettersDue(record, now()));
    logger.info({ waiting }, 'Somebody has put an address on the waiting list');
  } catch (error) {
    logger.error(
      { err: causeOf(error), waiting },
      'The letters of the waiting list could not be queued: the worker will send them later',
    );
  }
}

const OPEN_PAGE = `${OFFER_PATH}#${REGISTER_SECTION_ID}`;

/**
 * The link of an offer redirects at once to the landing page with its stepper open: Stripe.js sends the
 * page's URL to Stripe, so the token goes into a cookie. Opening the link changes nothing, and the page
 * contains nothing about her. A browser in which another place is still kept keeps that one until a press: the link may
 * be somebody else's.
 */
function offerRoutes({ config, links, waitingList, limits, taking, openPage, sendPage, now }: WaitingSite) {
  const stateOf = async ({ waitingId, until }: TakenOffer): Promise<'kept' | 'used' | 'over'> => {
    const record = await waitingList.find(waitingId);
    if (record && waitingStateOf(record, now()) === 'took') return 'used';
    const isKept = record && isSameOffer(record, until) && waitingStateOf(record, now()) === 'offered';
    return isKept ? 'kept' : 'over';
  };
  const enter =
    (isPressed: boolean): RequestHandler =>
    async (req, res) => {
      // Who comes too late is told so.
      const token = links.read(String(req.params.token), new Date(0), 'offer');
      if (!token) return sendPage(res, 'invalid');
      await limits.countRequest({ address: visitorAddress(req) });
      const offer = { waitingId: token.subject, until: token.expiresAt };
      const state = await stateOf(offer);
      if (state !== 'kept') return sendPage(res, `offer-${state}`);
      const other = taking.read(req);
      const isAnother = !isPressed && other !== undefined && other.waitingId !== offer.waitingId;
      if (isAnother && (await stateOf(other)) === 'kept')
        return sendPage(res, 'replace', `${OFFER_PATH}/${String(req.params.token)}`);
      taking.open(res, offer);
      redirectMarked(res, OPEN_PAGE);
    };
  const showOpen: RequestHandler = (req, res, next) => {
    const isKept = taking.read(req) !== undefined;
    if (isMarked(req)) return isKept ? res.redirect(303, OPEN_PAGE) : sendPage(res, 'no-cookie');
    if (!isKept) return res.redirect(303, '/');
    res.set('X-Robots-Tag', 'noindex');
    return openPage(req, res, next);
  };
  const fromHere = requireSameOrigin(config.publicUrl, { allowNullOrigin: true });
  return { show: enter(false), press: [fromHere, enter(true)], showOpen };
}

/** A page with a button, and what a press of it does; returns which page answers it. */
interface PressPage {
  page: WaitingPress;
  press(): Promise<WaitingReason>;
}

/**
 * A page with a button, and the press: hers, or that of her mail client, which sends neither cookie nor origin. Opening a
 * link changes nothing, since programs that look for harm in letters open it too. The token in the URL is the proof, so
 * the posted body is not read.
 * @param pageOf the page to which a token leads; undefined for one that this site did not make, or that has expired
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
function pressRoutes(
  path: string,
  pageOf: (token: string) => PressPage | undefined,
  { limits, sendPage }: WaitingSite,
) {
  const show: RequestHandler = (req, res) => {
    const token = String(req.params.token);
    const found = pageOf(token);
    if (found) sendPage(res, found.page, `${path}/${token}`);
    else sendPage(res, 'invalid');
  };
  const press: RequestHandler = async (req, res) => {
    const found = pageOf(String(req.params.token));
    if (!found) return sendPage(res, 'invalid');
    await limits.countRequest({ address: visitorAddress(req) });
    sendPage(res, await found.press());
  };
  return { show, press };
}

function waitingPageOf({ waitingList, mailQueue, links, logger, now }: WaitingSite) {
  /** Puts an entry on the list, and queues the letter that tells the office; who is off it already stays so. */
  const confirm = async (waiting: string) => {
    const record = await waitingList.confirm(waiting);
    if (!record) return 'left';
    if (record.took !== undefined) return 'took';
    await mailQueue.add(...waitingLettersDue(record, now())).catch((error: unknown) => {
      const told = { err: causeOf(error), waiting };
      logger.error(told, 'The letter about who waits could not be queued: the worker will send it later');
    });
    return 'confirmed';
  };
  const leave = async (waiting: string) => {
    const outcome = await waitingList.leave(waiting);
    if (outcome === 'left') logger.info({ waiting }, 'Somebody has left the waiting list');
    return outcome;
  };
  return (token: string): PressPage | undefined => {
    const { scope, subject } = links.read(token, now(), 'wait', 'leave') ?? {};
    if (subject === undefined) return undefined;
    return scope === 'wait'
      ? { page: 'confirm', press: () => confirm(subject) }
      : { page: 'leave', press: () => leave(subject) };
  };
}

const ENDED = { ended: 'ended', paid: 'end-paid', gone: 'invalid' } as const;

/** The page that ends a registration that is not paid. */
function endPageOf({ links, payments, logger, now }: WaitingSite) {
  return (text: string): PressPage | undefined => {
    const token = links.read(text, now(), 'end');
    if (!token) return undefined;
    const { subject: registration, digest } = token;
    const press = async () => {
      const outcome = await payments.ask(endUnpaid, registration, digest, now());
      if (outcome === 'ended') logger.info({ registration }, 'Somebody has ended her unpaid registration');
      return ENDED[outcome];
    };
    return { page: 'end', press };
  };
}
