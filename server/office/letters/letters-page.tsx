import { Fragment, type ReactNode } from 'react';
import { isRoomMissing } from '#server/letters/retreat-letters.ts';
import type { Message } from '#server/mail/messages.ts';
import {
  announceRecordings,
  announceRoom,
  announceSchedule,
} from '#server/office/commands/announce-commands.ts';
import type { EditionNow } from '#server/office/commands/edition-command.ts';
import { audienceWords, stopMessage, writeMessage } from '#server/office/commands/message-commands.ts';
import { type Notice, NoticeView } from '#server/office/commands/notices.tsx';
import { DataTable, DetailsList, LinkLine, PressForm, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords } from '#server/office/state-words.ts';
import { moment, people } from '#server/office/words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { recordedDays } from '#shared/content/schedule.ts';
import { formatDateRange } from '#shared/dates.ts';
import { type FailedLetters, FailedLettersSection } from './failed-letters.tsx';
import type {
  Progress as LetterProgress,
  messageProgress,
  Readers,
  Unreached as UnreachedPerson,
} from './progress.ts';

/** Who gets a letter, and the progress of the letters once they were announced. */
interface LettersToAll extends Readers {
  /** Absent before it is announced. */
  progress?: LetterProgress;
}

export interface EditionLetters extends EditionNow {
  schedule: LettersToAll;
  /** Absent if no session is recorded. */
  recordings?: LettersToAll;
  /** The letters that the office wrote, with what has become of them. */
  written: readonly { message: Message; progress: ReturnType<typeof messageProgress> }[];
}

interface LettersPageProps {
  letters: readonly EditionLetters[];
  failed: FailedLetters;
  notice: Notice | undefined;
  /** Of the session, for its forms. */
  token: string;
}

/**
 * What the office announces to everyone: what has been announced, who gets a letter, the progress of the letters, and
 * what can be done.
 */
export function LettersPage({ letters, failed, notice, token }: LettersPageProps) {
  return (
    <>
      {notice && <NoticeView notice={notice} />}
      <FailedLettersSection failed={failed} token={token} />
      <p>
        Messages about each registration go out automatically. Here is what only you can announce to everyone
        who has a place, and where you write messages of your own. You see the message, and how many get it,
        before anything is sent.
      </p>
      {letters.length === 0 && (
        <p>Nobody has registered for a retreat yet. Each retreat appears here as soon as somebody has.</p>
      )}
      {letters.map((one) => (
        <Retreat key={one.edition.facts.id} letters={one} token={token} />
      ))}
    </>
  );
}

function Retreat({ letters, token }: { letters: EditionLetters; token: string }) {
  const { id, title, startDate, endDate } = letters.edition.facts;
  return (
    <Section id={id} title={`${title}, ${formatDateRange(startDate, endDate)}`}>
      <div className="letters-to-all">
        <Room {...letters} />
        <Schedule {...letters} />
        <Recordings {...letters} />
        <Written letters={letters} token={token} />
      </div>
    </Section>
  );
}

function Room(letters: EditionLetters) {
  const { edition, announced, now } = letters;
  const why = announceRoom.refuses(letters);
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
          <strong className="need">{needWords['no-room']}</strong>
        </p>
      )}
      {why === undefined ? (
        <>
          {!room && (
            <p>
              Nobody has given its address yet. The messages about the test session and the way in wait for
              it.
            </p>
          )}
          <CommandLink edition={edition} command={announceRoom}>
            {room ? 'Give another address' : 'Say where it is'}
          </CommandLink>
        </>
      ) : (
        <p>{why}</p>
      )}
    </div>
  );
}

function Schedule(letters: EditionLetters) {
  const { edition, announced, schedule } = letters;
  const { calendar } = edition.facts;
  const why = announceSchedule.refuses(letters);
  const told = announced.scheduleTold;
  return (
    <div className="letter-to-all">
      <h3>A change of the schedule</h3>
      {why === undefined ? (
        <>
          <p>
            Revision {calendar.revision} of the schedule stands on the site, and has not been announced.{' '}
            {people(schedule.due)} would get the message now.
          </p>
          {told && (
            <p className="fine">
              Revision {told.revision} was announced on {moment(told.at, { edition })} by {told.by}.
            </p>
          )}
          <CommandLink edition={edition} command={announceSchedule}>
            See the message and announce it
          </CommandLink>
        </>
      ) : (
        <p>{why}</p>
      )}
      <Progress {...schedule} edition={edition} />
    </div>
  );
}

function Recordings(letters: EditionLetters) {
  const { edition, announced, now, recordings } = letters;
  const { timetable } = edition;
  const why = announceRecordings.refuses(letters);
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
            message tells them. {people(recordings.due)} {told ? 'have not had it yet' : 'would get it now'}
            {recordings.owing > 0 && `; ${recordings.owing} will get it once nothing is left to pay`}.
          </p>
          <DetailsList rows={recordedDays(timetable).map(({ title, text }) => [title, text])} />
          <CommandLink edition={edition} command={announceRecordings}>
            {told ? 'Give another address' : 'Say where they are'}
          </CommandLink>
        </>
      )}
      {recordings && <Progress {...recordings} edition={edition} />}
    </div>
  );
}

/** The letters that the office wrote itself. */
function Written({ letters, token }: { letters: EditionLetters; token: string }) {
  const { edition, written } = letters;
  const why = writeMessage.refuses(letters);
  return (
    <div className="letter-to-all">
      <h3>Messages of your own</h3>
      {why === undefined ? (
        <>
          <p>
            In your own words, to everyone who has a place, or to others on the list. You can send a test to
            the office first.
          </p>
          <CommandLink edition={edition} command={writeMessage}>
            Write a message
          </CommandLink>
        </>
      ) : (
        <p>{why}</p>
      )}
      {written.map((one) => (
        <WrittenLetter key={one.message.message} edition={edition} token={token} {...one} />
      ))}
    </div>
  );
}

type WrittenLetterProps = EditionLetters['written'][number] & { edition: Edition; token: string };

function WrittenLetter({ edition, message, progress, token }: WrittenLetterProps) {
  const { subject, text, sendings, stopped } = message;
  const { sent, waiting, notSent, failed, bounced } = progress;
  const rows = [
    ['Sent', sent],
    ['Waiting', waiting],
    ['Failed', failed.length],
    ['Came back', bounced.length],
    ['Not sent', notSent],
  ] as const;
  return (
    <section className="letter-to-all letter-written">
      <h4>{subject}</h4>
      {sendings.map(({ at, by, to, count }) => (
        <p key={at.toISOString()}>
          To {people(count)}, by {by} on {moment(at, { edition })}. {audienceWords(to)}.
        </p>
      ))}
      {stopped && (
        <p>
          <strong>
            Stopped by {stopped.by} on {moment(stopped.at, { edition })}.
          </strong>
        </p>
      )}
      <ProgressTable rows={rows} always={2} />
      <Unreached words="Failed" people={failed} />
      <Unreached words="Came back" people={bounced} />
      {waiting > 0 && !stopped && (
        <PressForm
          action={officePaths.announce(edition.facts.id, stopMessage.id)}
          token={token}
          hidden={{ message: message.message }}
        >
          <button type="submit" className="button button--quiet">
            Stop it
            <span className="visually-hidden">: “{subject}”</span>
          </button>
        </PressForm>
      )}
      <details>
        <summary>
          The text<span className="visually-hidden"> of “{subject}”</span>
        </summary>
        <p className="as-written">{text}</p>
      </details>
    </section>
  );
}

/** More names would hide the letters below: the list has filters for all. */
const MOST_NAMES = 20;

function Unreached({ words, people }: { words: string; people: readonly UnreachedPerson[] }) {
  if (people.length === 0) return null;
  return (
    <p>
      {words}:{' '}
      {people.slice(0, MOST_NAMES).map(({ registration, name }, index) => (
        <Fragment key={registration}>
          {index > 0 && ', '}
          <a href={officePaths.registration(registration)}>{name || 'Forgotten'}</a>
        </Fragment>
      ))}
      {people.length > MOST_NAMES && `, and ${people.length - MOST_NAMES} more`}.
    </p>
  );
}

function CommandLink({
  edition,
  command,
  children,
}: {
  edition: Edition;
  command: { id: string };
  children: string;
}) {
  return (
    <LinkLine className="button button--quiet" to={officePaths.announce(edition.facts.id, command.id)}>
      {children}
    </LinkLine>
  );
}

/** What has become of letters, with its words; the first ones are always shown, others only if they are not zero. */
const progressWords: readonly (readonly [keyof LetterProgress, words: string])[] = [
  ['sent', 'Sent'],
  ['queued', 'On the queue'],
  ['notYet', 'Not on the queue yet'],
  ['failed', 'Failed'],
  ['dismissed', 'Dismissed'],
];

function Progress({ progress, edition }: LettersToAll & { edition: Edition }) {
  if (!progress) return null;
  const href = `${officePaths.list}?edition=${edition.facts.id}&show=letter-failed`;
  const wordsOf = (name: keyof LetterProgress, words: string) =>
    name === 'failed' ? <a href={href}>{words}</a> : words;
  const rows = progressWords.map(([name, words]) => [wordsOf(name, words), progress[name]] as const);
  return <ProgressTable rows={rows} always={3} />;
}

interface ProgressTableProps {
  rows: readonly (readonly [words: ReactNode, count: number])[];
  always: number;
}

function ProgressTable({ rows, always }: ProgressTableProps) {
  return (
    <DataTable
      className="table table--narrow"
      caption="What has become of the messages"
      rows={rows.filter(([, count], index) => count > 0 || index < always)}
      classes={[undefined, 'sum']}
    />
  );
}
