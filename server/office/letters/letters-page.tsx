import type { LetterProgress } from '#server/acts/announced-people.ts';
import { moment } from '#server/acts/plain-words.ts';
import { whyNoRecordings, whyNoRoom, whyNoSchedule } from '#server/acts/why-not-announced.ts';
import { isRoomMissing } from '#server/letters/retreat-letters.ts';
import type { Notice } from '#server/office/acts/notices.ts';
import { NoticeView } from '#server/office/acts/told-view.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords } from '#server/office/state-words.ts';
import { recordedDays } from '#shared/content/recordings.ts';
import { formatDateRange } from '#shared/dates.ts';
import { ANNOUNCE_RECORDINGS, ANNOUNCE_ROOM, ANNOUNCE_SCHEDULE } from './announce-acts.ts';
import type { EditionLetters, LettersToAll } from './read-letters.ts';

interface LettersPageProps {
  letters: readonly EditionLetters[];
  notice: Notice | undefined;
}

/**
 * What the office announces to everyone: what has been announced, who gets a letter, the progress of the
 * letters, and what can be done.
 */
export function LettersPage({ letters, notice }: LettersPageProps) {
  return (
    <>
      {notice && <NoticeView notice={notice} />}
      <p>
        Letters about each registration go out automatically. Here is what only you can announce: to everyone
        who has a place. You see the letter, and how many get it, before anything is sent.
      </p>
      {letters.length === 0 && (
        <p>Nobody has registered for a retreat yet. Each retreat appears here as soon as somebody has.</p>
      )}
      {letters.map((one) => (
        <Retreat key={one.edition.facts.id} {...one} />
      ))}
    </>
  );
}

function Retreat(letters: EditionLetters) {
  const { id, title, startDate, endDate } = letters.edition.facts;
  return (
    <section className="registration-section" aria-labelledby={id}>
      <h2 id={id}>{`${title}, ${formatDateRange(startDate, endDate)}`}</h2>
      <div className="letters-to-all">
        <Room {...letters} />
        <Schedule {...letters} />
        <Recordings {...letters} />
      </div>
    </section>
  );
}

function Room({ edition, announced, now }: EditionLetters) {
  const why = whyNoRoom(edition, now);
  const { room } = announced;
  return (
    <div className="letter-to-all">
      <h3>The video room</h3>
      {room && (
        <p>
          It is at <a href={room.url}>{room.url}</a>, as {room.by} announced on {moment(room.at, { edition })}
          .
        </p>
      )}
      {isRoomMissing(edition, announced, now) && (
        <p role="alert">
          <strong className="office-need">{needWords['no-room']}</strong>
        </p>
      )}
      {why === undefined ? (
        <>
          {!room && (
            <p>
              Nobody has given its address yet. The letters about the test session and the way in wait for it.
            </p>
          )}
          <ActLink
            edition={edition.facts.id}
            act={ANNOUNCE_ROOM}
            words={room ? 'Give another address' : 'Say where it is'}
          />
        </>
      ) : (
        <p>{why}</p>
      )}
    </div>
  );
}

function Schedule({ edition, announced, now, schedule }: EditionLetters) {
  const { id, calendar } = edition.facts;
  const why = whyNoSchedule(edition, announced, now);
  const told = announced.scheduleTold;
  return (
    <div className="letter-to-all">
      <h3>A change of the schedule</h3>
      {why === undefined ? (
        <>
          <p>
            Revision {calendar.revision} of the schedule stands on the site, and has not been announced.{' '}
            {people(schedule.due)} would get the letter now.
          </p>
          {told && (
            <p className="registration-fine">
              Revision {told.revision} was announced on {moment(told.at, { edition })} by {told.by}.
            </p>
          )}
          <ActLink edition={id} act={ANNOUNCE_SCHEDULE} words="See the letter and announce it" />
        </>
      ) : (
        <p>{why}</p>
      )}
      <Progress {...schedule} edition={id} />
    </div>
  );
}

function Recordings({ edition, announced, now, recordings }: EditionLetters) {
  const { facts, timetable } = edition;
  const why = whyNoRecordings(edition, now);
  const { recordings: from } = timetable.letters;
  const told = announced.recordings;
  return (
    <div className="letter-to-all">
      <h3>The recordings</h3>
      {told && (
        <p>
          They are at <a href={told.url}>{told.url}</a>, as {told.by} announced on{' '}
          {moment(told.at, { edition })}.
        </p>
      )}
      {why !== undefined && <p>{why}</p>}
      {recordings && from !== undefined && why === undefined && (
        <>
          {!told && <p>Nobody has given their address yet.</p>}
          <p>
            {now < new Date(from) ? `From ${moment(new Date(from), { edition })} on, the` : 'The'} pages of
            those who have paid everything lead there{told ? '' : ', once you have given the address'}, and a
            letter tells them. {people(recordings.due)} {told ? 'have not had it yet' : 'would get it now'}
            {recordings.owing > 0 && `; ${recordings.owing} will get it once nothing is left to pay`}.
          </p>
          <dl className="details-list">
            {recordedDays(timetable).map(({ title, text }) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <ActLink
            edition={facts.id}
            act={ANNOUNCE_RECORDINGS}
            words={told ? 'Give another address' : 'Say where they are'}
          />
        </>
      )}
      {recordings && <Progress {...recordings} edition={facts.id} />}
    </div>
  );
}

function ActLink({ edition, act, words }: { edition: string; act: string; words: string }) {
  return (
    <p>
      <a className="button button--quiet" href={officePaths.announce(edition, act)}>
        {words}
      </a>
    </p>
  );
}

const progressWords: Readonly<Record<keyof LetterProgress, string>> = {
  sent: 'Sent',
  queued: 'On the queue',
  notYet: 'Not on the queue yet',
  failed: 'Failed',
  dismissed: 'Dismissed',
};
/** These rows are always shown; the others only if they are not zero. */
const ALWAYS: readonly (keyof LetterProgress)[] = ['sent', 'queued', 'notYet'];
const progressNames: readonly (keyof LetterProgress)[] = [...ALWAYS, 'failed', 'dismissed'];

function Progress({ progress, edition }: LettersToAll & { edition: string }) {
  if (!progress) return null;
  const rows = progressNames.filter((name) => progress[name] > 0 || ALWAYS.includes(name));
  return (
    <table className="registration-table letters-progress">
      <caption>What has become of the letters</caption>
      <tbody>
        {rows.map((name) => (
          <tr key={name}>
            <th scope="row">
              {name === 'failed' ? (
                <a href={`${officePaths.list}?edition=${edition}&show=letter-failed`}>
                  {progressWords[name]}
                </a>
              ) : (
                progressWords[name]
              )}
            </th>
            <td className="registration-sum">{progress[name]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function people(count: number): string {
  return count === 1 ? 'One person' : count === 0 ? 'Nobody' : `${count} people`;
}
