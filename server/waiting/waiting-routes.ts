import type { IRouter, RequestHandler } from 'express';
import type { CapacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import type { Config } from '#server/config/config.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import type { Assets } from '#server/page/assets.ts';
import { createTaking, type Taking } from '#server/registration/taking.ts';
import { JOIN_WAITING_PATH, OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { addJoinRoute, type JoinRouteDependencies } from './join-route.ts';
import type { LeaveDependencies } from './leave.ts';
import { leaveRoutes } from './leave-routes.ts';
import { addOfferRoutes } from './offer-routes.ts';
import { waitingPages } from './waiting-pages.ts';

/** What takes nothing but a POST. */
export const WAITING_POST_PATHS: readonly string[] = [JOIN_WAITING_PATH];

const TOKEN_PATHS = [WAITING_PATH, OFFER_PATH];

/** What may be logged of the waiting list, whatever it is answered with. */
export const WAITING_NAMES: readonly string[] = [OFFER_PATH, ...TOKEN_PATHS.map((path) => `${path}/:token`)];

/** What a path is logged as: what stands below these is a token. Express takes an address in any case. */
export function nameOfWaitingPath(path: string): string {
  const found = TOKEN_PATHS.find((one) => path.toLowerCase().startsWith(`${one}/`));
  return found ? `${found}/:token` : path;
}

interface WaitingDependencies extends Omit<JoinRouteDependencies, 'waitingModel' | 'publicUrl' | 'secret'> {
  config: Config;
  assets: Assets;
  waitingModel: JoinRouteDependencies['waitingModel'] & LeaveDependencies['waitingModel'];
  capacityInRedis: Pick<CapacityInRedis, 'endOffer'>;
  /** Answers with the landing page as it is while there are places. */
  openPage: RequestHandler;
}

/** The waiting list: what is pressed stands before, and what is opened after the line that refuses all but reading. */
export function createWaitingRoutes({ config, assets, openPage, ...dependencies }: WaitingDependencies): {
  taking: Taking;
  addActs(app: IRouter): void;
  addPages(app: IRouter): void;
} {
  const { publicUrl, linkSecrets, stripe } = config;
  const links = createWaitingLinks(linkSecrets, publicUrl);
  const taking = createTaking(links, publicUrl, dependencies.now);
  const sendPage = waitingPages(config, assets);
  const leaving = leaveRoutes({ ...dependencies, links, sendPage });
  return {
    taking,
    addActs(app) {
      addJoinRoute(app, { ...dependencies, publicUrl, secret: stripe.secretKey });
      leaving.addActs(app);
    },
    addPages(app) {
      leaving.addPages(app);
      addOfferRoutes(app, { ...dependencies, links, taking, openPage, sendPage });
    },
  };
}
