import { PassThrough } from 'node:stream';
import { type RequestHandler, Router } from 'express';
import { type PageOptions, renderPage } from '#client/entry.server.tsx';
import type { Config } from '#server/config.ts';
import type { Logger } from '#server/logger.ts';
import type { SiteState } from '#shared/page.ts';
import { isRegistrationOpen } from '#shared/registration-window.ts';
import type { Assets } from './assets.ts';
import { pageUrl } from './page-url.ts';

/** `GET /`: the page, streamed from a fresh store. */
export function pageRoute(config: Config, assets: Assets, logger: Logger): Router {
  const router = Router();
  router.get(
    '/',
    streamPage(() => ({ site: siteState(config), assets, pageUrl: pageUrl(config) }), logger),
  );
  return router;
}

/** The part of the configuration that every visitor may read. */
function siteState({ office, registration, stripe }: Config): SiteState {
  return {
    officeEmail: office.email,
    officePhone: office.phone,
    registrationOpen: isRegistrationOpen(registration, new Date()),
    stripePublishableKey: stripe.publishableKey,
    stripeScriptUrl: stripe.scriptUrl ?? null,
  };
}

function streamPage(options: () => PageOptions, logger: Logger): RequestHandler {
  return (_req, res, next) => {
    const page = renderPage(options(), {
      onShellReady() {
        res.status(200).type('html').set('Cache-Control', 'no-cache');
        res.write(page.head);
        const app = new PassThrough();
        app.on('data', (chunk) => res.write(chunk));
        app.on('end', () => res.end(page.tail));
        page.pipe(app);
      },
      onShellError: next,
      onError: (error) => logger.error({ err: error }, 'The page did not render whole'),
    });
    res.on('close', () => {
      if (!res.writableFinished) page.abort();
    });
  };
}
