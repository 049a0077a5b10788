import type { IRouter, RequestHandler, Response } from 'express';
import { renderDocument, WaitingDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import type { Logger } from '#server/config/logger.ts';
import { contactOf } from '#server/config/office.ts';
import type { MailQueue } from '#server/letters/queue.ts';
import { waitingLettersDue } from '#server/letters/table.ts';
import {
  createLinks,
  type Links,
  type PlacesShown,
  type WaitingList,
} from '#server/registration/registration.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { endUnpaid } from '#server/stripe/forget.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import type { Assets } from '#server/web/assets.ts';
import { allow } from '#server/web/request-guards.ts';
import { privately } from '#server/web/security-headers.ts';
import { visitorAddress } from '#server/web/visitor-address.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { type WaitingPress, type WaitingReason, waitingPresses } from '#shared/content/plain-pages.ts';
import { UNFINISHED_PATH } from '#shared/own-page.ts';
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

/** Followed by the token of a letter. */
const PRESS_PATHS = [WAITING_PATH, UNFINISHED_PATH];
const TOKEN_PATHS = [...PRESS_PATHS, OFFER_PATH];

/** The names that may be logged whatever the status of the answer. */
export const WAITING_NAMES: readonly string[] = TOKEN_PATHS.map((path) => `${path}/:token`);

/** The name under which a path is logged, without its token. Express matches paths in upper and lower case. */
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
}

/** What all these routes share. */
interface WaitingSite extends WaitingDependencies {
  links: Links;
  /** Answers with a page; those of `waitingPresses` have a button that posts to their own path. */
  sendPage(res: Response, reason: WaitingReason): void;
}

/** The waiting list: joining it, and the pages to which its letters lead. */
export function addWaitingRoutes(app: IRouter, dependencies: WaitingDependencies): void {
  const { linkSecrets, publicUrl } = dependencies.config;
  const links = createLinks(linkSecrets, publicUrl);
  const site = { ...dependencies, links, sendPage: waitingPages(dependencies) };
  const { show, press } = pressRoutes(site);
  addJoinRoute(app, site);
  for (const path of PRESS_PATHS) {
    const page = app.route(`${path}/:token`).all(privately, allow('GET', 'HEAD', 'POST'));
    page.get(show).post(press);
  }
}

/** All others are 200. */
const STATUS: Readonly<Partial<Record<WaitingReason, number>>> = {
  'end-paid': 409,
  invalid: 403,
};

function waitingPages({ config, assets }: WaitingDependencies): WaitingSite['sendPage'] {
  const { ownPageStyle: styleSheet, fonts } = assets;
  const shown = { office: contactOf(config.office), look: { styleSheet, fonts } };
  return (res, reason) => {
    const press = isPress(reason) && { press: { act: reason, postTo: res.req.path } };
    const page = renderDocument(WaitingDocument, { ...shown, reason, ...press });
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
  const { config, waitingList, placesShown, limits, mailQueue, requireOpen, logger, now } = site;
  const keyOf = keysOfDetails(config.stripe.secretKey, now);
  const join: RequestHandler = async (req, res) => {
    const { form, key } = await readForm(joinWaitingRequestSchema, req, limits);
    const { timeZone, ...contact } = form;
    const address = visitorAddress(req);
    const proof = key ?? keyOf({ ...contact, package: JOIN_WAITING_PATH }, address).value;
    if (!placesShown.isFull())
      throw new AppError({ code: PLACES_LEFT, status: 409, message: messages.placesLeft });
    await limits.admitNew({ address, email: contact.email, proof }, 'joins');
    const waiting = await waitingList.join({ contact, timeZone, facts });
    const answer: JoinWaitingResponse = { confirmationMail: mailQueue.isReady() ? 'queued' : 'later' };
    res.json(answer);
    await queueLetters(waiting, site);
    logger.info({ waiting }, 'Somebody has put an address on the waiting list');
  };
  app.post(JOIN_WAITING_PATH, ...beforeForm(config.publicUrl, limits), requireOpen, join);
}

/** The worker finds those that cannot be queued now. */
async function queueLetters(
  waiting: string,
  { waitingList, mailQueue, logger, now }: WaitingSite,
): Promise<void> {
  try {
    const record = await waitingList.find(waiting);
    if (record) await mailQueue.add(...waitingLettersDue(record, now()));
  } catch (error) {
    logger.error(
      { err: causeOf(error), waiting },
      'The letters of the waiting list could not be queued: the worker will send them later',
    );
  }
}

/** A page with a button, what it is about, and what a press of it does; returns which page answers it. */
interface PressPage {
  page: WaitingPress;
  about: { waiting: string } | { registration: string };
  press(): Promise<WaitingReason>;
}

const ENDED = { ended: 'ended', paid: 'end-paid', gone: 'invalid' } as const;

/**
 * A page with a button, and the press: hers, or that of her mail client, which sends neither cookie nor origin. Opening a
 * link changes nothing, since programs that look for harm in letters open it too. The token in the URL is the proof, so
 * the posted body is not read.
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
function pressRoutes(site: WaitingSite) {
  const { links, waitingList, payments, limits, logger, sendPage, now } = site;
  const confirm = async (waiting: string) => {
    const outcome = await waitingList.confirm(waiting);
    // To the office.
    if (outcome === 'confirmed') await queueLetters(waiting, site);
    return outcome;
  };
  /** Undefined for a token that this site did not make, or that has expired. */
  const pageOf = (text: string): PressPage | undefined => {
    const token = links.read(text, now(), 'wait', 'leave', 'end');
    if (!token) return undefined;
    const { scope, subject, digest } = token;
    if (scope === 'wait')
      return { page: 'confirm', about: { waiting: subject }, press: () => confirm(subject) };
    if (scope === 'leave')
      return { page: 'leave', about: { waiting: subject }, press: () => waitingList.leave(subject) };
    const press = async () => ENDED[await payments.ask(endUnpaid, subject, digest, now())];
    return { page: 'end', about: { registration: subject }, press };
  };
  const show: RequestHandler = (req, res) =>
    sendPage(res, pageOf(String(req.params.token))?.page ?? 'invalid');
  const press: RequestHandler = async (req, res) => {
    const found = pageOf(String(req.params.token));
    if (!found) return sendPage(res, 'invalid');
    await limits.countRequest({ address: visitorAddress(req) });
    const outcome = await found.press();
    logger.info({ ...found.about, outcome }, 'Somebody has pressed a button that a letter leads to');
    sendPage(res, outcome);
  };
  return { show, press };
}
