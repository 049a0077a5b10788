import type { IRouter, RequestHandler } from 'express';
import type { AppConfig } from '#server/config/config.ts';
import { allow } from '#server/http/allow-methods.ts';
import { privately } from '#server/http/privately.ts';
import { createOwnPageLinks } from '#server/links/own-page-links.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import type { Assets } from '#server/page/assets.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { WaitingList } from '#server/register/waiting-list.ts';
import { createTaking, type Taking } from '#server/registration/taking.ts';
import { UNFINISHED_PATH } from '#shared/own-page.ts';
import { JOIN_WAITING_PATH, OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { addJoinRoute, type JoinRouteDependencies } from './join-route.ts';
import { offerRoutes } from './offer-routes.ts';
import { endPageOf, pressRoutes, waitingPageOf } from './press-routes.ts';
import { waitingPages } from './waiting-pages.ts';

/** Paths that accept only POST. */
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

interface WaitingDependencies extends Omit<JoinRouteDependencies, 'waitingList' | 'publicUrl' | 'secret'> {
  config: AppConfig;
  assets: Assets;
  waitingList: WaitingList;
  payments: Pick<Payments, 'endUnpaid'>;
  /** Answers with the landing page that is shown while there are places. */
  openPage: RequestHandler;
}

/**
 * The routes of the waiting list. Its acts (POST) are added before the handler that refuses all methods but
 * GET and HEAD, its pages after it.
 */
export function createWaitingRoutes({ config, assets, openPage, ...dependencies }: WaitingDependencies): {
  taking: Taking;
  addActs(app: IRouter): void;
  addPages(app: IRouter): void;
} {
  const { publicUrl, linkSecrets, stripe } = config;
  const links = createWaitingLinks(linkSecrets, publicUrl);
  const taking = createTaking(links, publicUrl, dependencies.now);
  const sendPage = waitingPages(config, assets);
  const ownPageLinks = createOwnPageLinks(linkSecrets, publicUrl);
  const pressed = (path: string, pageOf: Parameters<typeof pressRoutes>[1]) =>
    [path, pressRoutes(path, pageOf, { limits: dependencies.limits, sendPage })] as const;
  const offers = offerRoutes({ ...dependencies, links, taking, openPage, publicUrl, sendPage });
  const pages = new Map<string, { show: RequestHandler; press: RequestHandler | RequestHandler[] }>([
    pressed(WAITING_PATH, waitingPageOf({ ...dependencies, links })),
    pressed(UNFINISHED_PATH, endPageOf({ ...dependencies, ownPageLinks })),
    [OFFER_PATH, offers],
  ]);
  return {
    taking,
    addActs(app) {
      addJoinRoute(app, { ...dependencies, publicUrl, secret: stripe.secretKey });
      for (const [path, { press }] of pages)
        app.post(`${path}/:token`, privately, press).all(`${path}/:token`, allow('GET', 'HEAD', 'POST'));
    },
    addPages(app) {
      for (const [path, { show }] of pages) app.get(`${path}/:token`, privately, show);
      app.get(OFFER_PATH, offers.showOpen);
    },
  };
}
