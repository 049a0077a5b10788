import type { IRouter, RequestHandler, Response } from 'express';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import { Refusal } from '#server/acts/refusal.ts';
import { tellWaitingList } from '#server/acts/waiting-list.ts';
import { causeOf } from '#server/http/app-error.ts';
import { createActContext } from '#server/office/acts/act-context.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { renderOfficeDocument } from '#server/office/office-document.tsx';
import { officePaths } from '#server/office/paths.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { signedInOf } from '#server/users/user.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { waitingActs } from './waiting-acts.ts';
import { WaitingActPage, WaitingPage, WaitingRefused } from './waiting-page.tsx';

const TITLE = 'Waiting list';
const REDIS_TIMEOUT_MS = 2_000;
/** The whole answer stays below the minute for which proxies wait. */
const ACT_TIMEOUT_MS = 30_000;

const pressSchema = v.object({ seen: v.string() });

/**
 * The waiting list of the edition on sale, and the acts on its entries: first a preview, then the act by a
 * press.
 */
export function addWaitingPages(router: IRouter, dependencies: OfficeDependencies): void {
  const { assets, audit, logger } = dependencies;
  const context = createActContext(dependencies);
  const send = (res: Response, status: number, title: string, children: ReactNode): void => {
    const document = { title, style: assets.officeStyle, signedIn: signedInOf(res), children };
    res.status(status).type('html').send(renderOfficeDocument(document));
  };

  const list: RequestHandler = async (_req, res) => {
    try {
      const told = await withTimeout(tellWaitingList(context, edition), REDIS_TIMEOUT_MS);
      noteShown(res, { rows: told?.entries.length ?? 0 });
      const none = <p>This retreat has no number of places, and so no waiting list.</p>;
      send(res, 200, TITLE, told ? <WaitingPage told={told} /> : none);
    } catch (error) {
      logger.warn({ err: error }, 'The waiting list was not shown');
      send(res, 503, TITLE, <p>The list cannot be read now. Please try again in a minute.</p>);
    }
  };
  const act: RequestHandler = async (req, res) => {
    const { user, token } = signedInOf(res);
    const found = waitingActs.find(({ id }) => id === req.params.act);
    const waitingId = String(req.params.id);
    if (!found || !/^waiting_\w{1,200}$/.test(waitingId))
      return send(res, 404, TITLE, <WaitingRefused why="There is no such entry or act." />);
    const press = v.safeParse(pressSchema, req.body ?? {});
    const isPress = req.method === 'POST';
    const seen = isPress && press.success ? { seen: press.output.seen } : {};
    const asked = { by: user.name, 'dry-run': !isPress || !press.success, ...seen };
    try {
      const told = await withTimeout(found.run(context, waitingId, asked), ACT_TIMEOUT_MS);
      if (isPress) audit(user, `waiting-${found.id}`, { waiting: waitingId, outcome: told.outcome });
      const status = told.outcome === 'changed' ? 409 : 200;
      send(res, status, found.heading, <WaitingActPage act={found} {...{ waitingId, told, token }} />);
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      const outcome = isRefusal ? 'refused' : 'failed';
      if (isPress) audit(user, `waiting-${found.id}`, { waiting: waitingId, outcome });
      if (!isRefusal) logger.error({ err: causeOf(error), act: found.id }, 'An act of the office failed');
      const why = isRefusal
        ? error.message
        : 'Stripe or Redis does not answer now, and it is not known whether this was done. Please look at the list.';
      send(res, isRefusal ? 409 : 502, found.heading, <WaitingRefused why={why} />);
    }
  };
  router.get(officePaths.waiting, list);
  router.get(officePaths.waitingAct(':id', ':act'), act);
  router.post(officePaths.waitingAct(':id', ':act'), act);
}
