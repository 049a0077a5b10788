import type { IRouter } from 'express';
import { Refusal } from '#server/acts/act.ts';
import {
  type Entry,
  findEntry,
  placeFacts,
  tellWaitingList,
  type WaitingListTold,
  waitingActs,
} from '#server/acts/waiting-acts.ts';
import { moment } from '#server/acts/words.ts';
import { type ActPagesDependencies, createActPages } from '#server/office/acts/act-pages.tsx';
import { type Notice, NoticeView } from '#server/office/acts/notices.tsx';
import { noteShown } from '#server/office/looks.ts';
import { DataTable, Warning, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { freeOf } from '#server/registration/places.ts';
import { nameOf } from '#server/registration/registrations.ts';
import type { WaitingRecord } from '#server/registration/waiting-record.ts';
import { withTimeout } from '#server/service/work.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { mailLink } from '#shared/mail-and-phone.ts';

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
      send(res, 200, TITLE, told ? <WaitingPage told={told} notice={notice} now={now()} /> : none);
    } catch (error) {
      logger.warn({ err: error }, 'The waiting list was not shown');
      send(res, 503, TITLE, <p>The list cannot be read now. Please try again in a minute.</p>);
    }
  });
  addActs<Entry, string>(router, {
    acts: waitingActs,
    pathOf: officePaths.waitingAct,
    auditedAs: 'waiting-',
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
      name: [record.id, nameOf(record.registrant)].filter(Boolean).join(', '),
      ...TO_WAITING,
    }),
    factsOf: (waiting) => ({ waiting }),
  });
}

const TO_WAITING = { path: officePaths.waiting, back: 'Back to the waiting list' };

/** Why nothing was done. */
function NoEntry({ why }: { why: string }) {
  return (
    <>
      <Warning>{why}</Warning>
      <WayBack {...TO_WAITING} />
    </>
  );
}

interface WaitingPageProps {
  told: WaitingListTold;
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
            <ActLinks record={record} now={now} free={freeOf(told.places)} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** Which of the two offer acts is shown depends on whether a place is free. */
function ActLinks(entry: { record: WaitingRecord; now: Date; free: number }) {
  const { record, free } = entry;
  const shown = waitingActs.filter(
    (act) => act.whyNot(entry) === undefined && !(free > 0 && act.id === 'offer-without-place'),
  );
  return (
    <p className="waiting-acts">
      {shown.map((act) => (
        <a key={act.id} href={officePaths.waitingAct(record.id, act.id)}>
          {act.heading}
        </a>
      ))}
    </p>
  );
}
