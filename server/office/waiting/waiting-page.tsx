import type { IRouter } from 'express';
import { waiting } from '#server/office/commands/subjects.ts';
import {
  placesLine,
  readWaitingList,
  type WaitingListNow,
} from '#server/office/commands/waiting-commands.ts';
import { addPage, type Office } from '#server/office/office.ts';
import { DataTable } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { moment } from '#server/office/words.ts';
import { freeOf, nameOf } from '#server/registration/registration.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';

type Row = WaitingListNow['entries'][number];

/** The places of the edition on sale, and who waits for one, in the order of joining. */
export function addWaitingPage(router: IRouter, office: Office): void {
  addPage(router, office, [officePaths.waiting, 'Waiting list'], async (_req, _res) => {
    const list = await readWaitingList(office, edition);
    if (!list) return <p>This retreat has no number of places, and so no waiting list.</p>;
    const { places, entries } = list;
    const [now, free] = [office.now(), freeOf(places)];
    return (
      <>
        <p>{placesLine(places)}</p>
        {entries.length === 0 ? (
          <p>
            Nobody waits. Once every place is taken, visitors can join the list on the site, and appear here.
          </p>
        ) : (
          <DataTable<Row>
            className="table table--stacked"
            columns={[
              ['Who waits, the longest first', Who],
              ['State', State, 'plain'],
              ['What you can do', ({ record }) => <Presses record={record} now={now} free={free} />, 'plain'],
            ]}
            rows={entries}
          />
        )}
      </>
    );
  });
}

function Who({ record: { registrant } }: Row) {
  return (
    <>
      {nameOf(registrant)}
      <span className="row fine">
        <a href={mailLink(registrant.email)}>{registrant.email}</a>
        <a href={phoneLink(registrant.phoneNumber)}>{registrant.phoneNumber}</a>
      </span>
    </>
  );
}

function State({ record, words }: Row) {
  return (
    <>
      {words}
      <span className="fine">Joined {moment(record.joinedAt, record)}</span>
    </>
  );
}

function Presses(entry: Parameters<(typeof waiting.commands)[number]['refuses']>[0]) {
  return (
    <div className="row">
      {waiting.commands
        .filter(({ refuses }) => refuses(entry) === undefined)
        .map(({ id, heading }) => (
          <a key={id} href={officePaths.waitingAct(entry.record.id, id)} className="button button--quiet">
            {heading}
            <span className="visually-hidden">: {nameOf(entry.record.registrant)}</span>
          </a>
        ))}
    </div>
  );
}
