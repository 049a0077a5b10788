import { moment } from '#server/acts/plain-words.ts';
import { nameOf, waitingActs } from '#server/acts/waiting-acts.ts';
import { placesTold, type WaitingListTold } from '#server/acts/waiting-list.ts';
import type { Notice } from '#server/office/acts/notices.ts';
import { NoticeView } from '#server/office/acts/told-view.tsx';
import { DataTable } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { WaitingRecord } from '#server/record/waiting-record.ts';
import { freeOf } from '#server/register/places.ts';
import { mailLink } from '#shared/mail-link.ts';

interface WaitingPageProps {
  told: WaitingListTold;
  notice: Notice | undefined;
  now: Date;
}

/** The counts of places, and the people who wait, in the order of joining. */
export function WaitingPage({ told, notice, now }: WaitingPageProps) {
  return (
    <>
      {notice && <NoticeView notice={notice} />}
      <DataTable caption="How the places stand" rows={placesTold(told.places)} />
      {told.entries.length === 0 && <p>Nobody waits.</p>}
      <ol className="waiting-entries">
        {told.entries.map(({ record, words }) => (
          <li key={record.id} className="waiting-entry">
            <h2>{nameOf(record)}</h2>
            <p>
              {words}. Joined {moment(record.joinedAt, record)}.
            </p>
            <p>
              <a href={mailLink(record.registrant.email)}>{record.registrant.email}</a>,{' '}
              {record.registrant.phoneNumber}
            </p>
            <ActLinks {...{ record, now, free: freeOf(told.places) }} />
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
