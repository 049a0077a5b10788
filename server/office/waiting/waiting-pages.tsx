import type { IRouter } from 'express';
import { type CommandDependencies, createCommandPages } from '#server/office/commands/command-pages.tsx';
import { waiting } from '#server/office/commands/subjects.ts';
import {
  placesLine,
  readWaitingList,
  type WaitingListNow,
} from '#server/office/commands/waiting-commands.ts';
import { noteShown } from '#server/office/looks.ts';
import { DataTable } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { moment } from '#server/office/words.ts';
import { freeOf, nameOf } from '#server/registration/registration.ts';
import { withTimeout } from '#server/service/work.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';

const TITLE = 'Waiting list';
const REDIS_TIMEOUT_MS = 2_000;

/** The waiting list of the edition on sale, and the commands about its entries. */
export function addWaitingPages(router: IRouter, dependencies: CommandDependencies): void {
  const { logger, now } = dependencies;
  const { context, send, addCommands } = createCommandPages(dependencies);

  router.get(officePaths.waiting, async (_req, res) => {
    try {
      const list = await withTimeout(readWaitingList(context, edition), REDIS_TIMEOUT_MS);
      noteShown(res, { rows: list?.entries.length ?? 0 });
      const none = <p>This retreat has no number of places, and so no waiting list.</p>;
      send(res, 200, TITLE, list ? <WaitingPage {...list} now={now()} /> : none);
    } catch (error) {
      logger.warn({ err: error }, 'The waiting list was not shown');
      send(res, 503, TITLE, <p>The list cannot be read now. Please try again in a minute.</p>);
    }
  });
  addCommands(router, waiting);
}

/** The places, and the people who wait, in the order of joining. */
function WaitingPage({ places, entries, now }: WaitingListNow & { now: Date }) {
  const free = freeOf(places);
  return (
    <>
      <p>{placesLine(places)}</p>
      {entries.length === 0 ? (
        <p>
          Nobody waits. Once every place is taken, visitors can join the list on the site, and appear here.
        </p>
      ) : (
        <DataTable
          className="table table--stacked"
          head={['Who waits, the longest first', 'How it stands', 'What you can do']}
          rows={entries.map(({ record, words }) => {
            const { registrant } = record;
            const possible = waiting.commands.filter(({ refuses }) => !refuses({ record, now, free }));
            return [
              <div key="who">
                {nameOf(registrant)}
                <span className="row fine">
                  <a href={mailLink(registrant.email)}>{registrant.email}</a>
                  <a href={phoneLink(registrant.phoneNumber)}>{registrant.phoneNumber}</a>
                </span>
              </div>,
              <div key="state">
                {words}
                <span className="fine">Joined {moment(record.joinedAt, record)}</span>
              </div>,
              <div key="acts" className="row">
                {possible.map(({ id, heading }) => (
                  <a key={id} href={officePaths.waitingAct(record.id, id)} className="button button--quiet">
                    {heading}
                    <span className="visually-hidden">: {nameOf(registrant)}</span>
                  </a>
                ))}
              </div>,
            ];
          })}
        />
      )}
    </>
  );
}
