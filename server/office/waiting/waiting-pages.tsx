import type { IRouter } from 'express';
import { type CommandDependencies, createCommandPages } from '#server/office/commands/command-pages.tsx';
import { type Notice, NoticeView } from '#server/office/commands/notices.tsx';
import { waiting } from '#server/office/commands/subjects.ts';
import {
  type Entry,
  placeFacts,
  readWaitingList,
  type WaitingListNow,
} from '#server/office/commands/waiting-commands.ts';
import { noteShown } from '#server/office/looks.ts';
import { DataTable } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { moment } from '#server/office/words.ts';
import { freeOf } from '#server/registration/places.ts';
import { nameOf } from '#server/registration/registrations.ts';
import { withTimeout } from '#server/service/work.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { mailLink } from '#shared/mail-and-phone.ts';

const TITLE = 'Waiting list';
const REDIS_TIMEOUT_MS = 2_000;

/** The waiting list of the edition on sale, and the commands about its entries. */
export function addWaitingPages(router: IRouter, dependencies: CommandDependencies): void {
  const { logger, now } = dependencies;
  const { context, notices, send, addCommands } = createCommandPages(dependencies);

  router.get(officePaths.waiting, async (req, res) => {
    try {
      const told = await withTimeout(readWaitingList(context, edition), REDIS_TIMEOUT_MS);
      noteShown(res, { rows: told?.entries.length ?? 0 });
      const none = <p>This retreat has no number of places, and so no waiting list.</p>;
      const notice = await notices.find(req.query.told);
      send(res, 200, TITLE, told ? <WaitingPage told={told} notice={notice} now={now()} /> : none);
    } catch (error) {
      logger.warn({ err: error }, 'The waiting list was not shown');
      send(res, 503, TITLE, <p>The list cannot be read now. Please try again in a minute.</p>);
    }
  });
  addCommands(router, waiting);
}

interface WaitingPageProps {
  told: WaitingListNow;
  notice: Notice | undefined;
  now: Date;
}

/** The counts of places, and the people who wait, in the order of joining. */
function WaitingPage({ told, notice, now }: WaitingPageProps) {
  return (
    <>
      {notice && <NoticeView notice={notice} />}
      <DataTable
        caption="How the places stand"
        rows={placeFacts(told.places).map(([words, count]) => [words, String(count)])}
      />
      {told.entries.length === 0 && <p>Nobody waits.</p>}
      <ol className="waiting-entries">
        {told.entries.map(({ record, words }) => (
          <li key={record.id} className="waiting-entry">
            <h2>{nameOf(record.registrant)}</h2>
            <p>
              {words}. Joined {moment(record.joinedAt, record)}.
            </p>
            <p>
              <a href={mailLink(record.registrant.email)}>{record.registrant.email}</a>,{' '}
              {record.registrant.phoneNumber}
            </p>
            <CommandLinks record={record} now={now} free={freeOf(told.places)} />
          </li>
        ))}
      </ol>
    </>
  );
}

function CommandLinks(entry: Entry) {
  return (
    <p className="row">
      {waiting.commands
        .filter(({ refuses }) => refuses(entry) === undefined)
        .map(({ id, heading }) => (
          <a key={id} href={officePaths.waitingAct(entry.record.id, id)}>
            {heading}
          </a>
        ))}
    </p>
  );
}
