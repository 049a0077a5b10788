import { MoreLine } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { csvHead, csvLines } from '#server/service/csv.ts';
import { folded } from '#server/service/folded.ts';
import { localClock } from '#server/service/local-clock.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { ListedRow } from './find-listed.ts';
import { addressAbout } from './list-query.ts';

/** Those who come to a retreat, in the order of their names. */
interface Participants {
  edition: Edition;
  rows: readonly ListedRow[];
  now: Date;
}

/**
 * Those who come, as a list to be printed: on paper there is nothing but the list, and each sheet begins with the
 * retreat and the day.
 */
export function ParticipantsPage({ edition, rows, now }: Participants) {
  const { facts, timetable } = edition;
  const { dateOf } = localClock(timetable.timeZone.id);
  const people =
    rows.length === 1 ? 'one participant' : `${rows.length.toLocaleString('en-US')} participants`;
  const what = `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}: ${people} on ${formatDate(dateOf(now))}`;
  return (
    <>
      <div className="participants-about">
        <p className="office-edition">
          {what}. They have paid the deposit, did not get it back, and have not cancelled.
        </p>
        <p>Print this page for a list on paper: it has what you see in the table, and nothing else.</p>
        <MoreLine to={addressAbout(edition, officePaths.participantsCsv)}>
          For the video host (CSV): names, e-mail and join names
        </MoreLine>
      </div>
      <section className="office-registrations" aria-label="Participants">
        <table className="office-table participants">
          <colgroup>
            <col />
            <col />
            <col />
            <col />
          </colgroup>
          <thead>
            <tr className="participants-sheet">
              <td colSpan={4}>{what}</td>
            </tr>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Phone</th>
              <th scope="col">E-mail</th>
              <th scope="col">Still open</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ deposit, firstName, lastName, phoneNumber, email, toPayCents, dueAt }) => (
              <tr key={deposit}>
                <th scope="row">{`${firstName} ${lastName}`.trim()}</th>
                <td data-label="Phone" className="participants-phone">
                  {phoneNumber}
                </td>
                <td data-label="E-mail">{email}</td>
                <td data-label="Still open">
                  {toPayCents === 0 ? 'nothing' : formatCents(toPayCents)}{' '}
                  {dueAt && (
                    <span className="office-fine">{`due ${formatDate(dateOf(new Date(dueAt)))}`}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Those who come, for the host of the video room; by the rules of the list for a spreadsheet, see `csvOf`. */
export function participantsCsv(rows: readonly ListedRow[]): string {
  const joining = joinNamesOf(rows);
  const cells = rows.map(({ firstName, lastName, email }, at) => [
    firstName,
    lastName,
    email,
    joining[at] ?? '',
  ]);
  return csvHead(['First name', 'Last name', 'E-mail', 'Join name']) + csvLines(cells);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The names that they show to each other in the room: first name and initial, or the whole name where two would read
 * the same.
 */
function joinNamesOf(people: readonly Pick<ListedRow, 'firstName' | 'lastName'>[]): string[] {
  const names = people.map(({ firstName, lastName }) => {
    const [initial] = graphemes.segment(lastName);
    return `${firstName}${initial ? ` ${initial.segment.toUpperCase()}.` : ''}`;
  });
  const counts = new Map<string, number>();
  for (const name of names) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1);
  return people.map(({ firstName, lastName }, at) => {
    const name = names[at] ?? '';
    return counts.get(folded(name)) === 1 ? name : `${firstName} ${lastName}`.trim();
  });
}
