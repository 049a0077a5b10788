import type { IRouter } from 'express';
import { Refusal } from '#server/acts/refusal.ts';
import { type Entry, findEntry, nameOf, waitingActs } from '#server/acts/waiting-acts.ts';
import { tellWaitingList } from '#server/acts/waiting-list.ts';
import { type ActPagesDependencies, createActPages } from '#server/office/acts/act-pages.tsx';
import { noteShown } from '#server/office/looks.ts';
import { LinkLine, Warning } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { WaitingPage } from './waiting-page.tsx';

const TITLE = 'Waiting list';
const REDIS_TIMEOUT_MS = 2_000;

/** The waiting list of the edition on sale, and the acts on its entries. */
export function addWaitingPages(router: IRouter, dependencies: ActPagesDependencies): void {
  const { logger, now } = dependencies;
  const { context, notices, send, addActs } = createActPages(dependencies);

  router.get(officePaths.waiting, async (req, res) => {
    try {
      const told = await withTimeout(tellWaitingList(context, edition), REDIS_TIMEOUT_MS);
      noteShown(res, { rows: told?.entries.length ?? 0 });
      const none = <p>This retreat has no number of places, and so no waiting list.</p>;
      const notice = await notices.find(req.query.told);
      send(res, 200, TITLE, told ? <WaitingPage {...{ told, notice, now: now() }} /> : none);
    } catch (error) {
      logger.warn({ err: error }, 'The waiting list was not shown');
      send(res, 503, TITLE, <p>The list cannot be read now. Please try again in a minute.</p>);
    }
  });
  addActs<Entry, string>(router, {
    ...{ acts: waitingActs, pathOf: officePaths.waitingAct, auditedAs: 'waiting-' },
    async actable(req, res) {
      const id = String(req.params.key);
      const none = 'There is no such entry or act.';
      try {
        if (!/^waiting_\w{1,200}$/.test(id)) throw new Refusal('noSuchMail', none);
        return await findEntry(context, id);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        send(res, 404, TITLE, <NoEntry why={error.message} />);
        return undefined;
      }
    },
    keyOf: ({ record }) => record.id,
    of: ({ record }) => record.id,
    subjectOf: ({ record }) => ({
      name: [record.id, nameOf(record)].filter(Boolean).join(', '),
      ...{ path: officePaths.waiting, back: 'Back to the waiting list' },
    }),
    factsOf: (waiting) => ({ waiting }),
  });
}

/** Why nothing was done. */
function NoEntry({ why }: { why: string }) {
  return (
    <>
      <Warning>{why}</Warning>
      <LinkLine to={officePaths.waiting}>Back to the waiting list</LinkLine>
    </>
  );
}
