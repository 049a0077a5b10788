import { Fragment } from 'react';
import { isRoomMissing } from '#server/letters/retreat-letters.ts';
import type { Message } from '#server/mail/messages.ts';
import {
  announceRecordings,
  announceRoom,
  announceSchedule,
} from '#server/office/commands/announce-commands.ts';
import type { EditionNow } from '#server/office/commands/edition-command.ts';
import type { FoundLetter } from '#server/office/commands/letters.ts';
import { audienceWords, stopMessage, writeMessage } from '#server/office/commands/message-commands.ts';
import { DataTable, LinkLine, PressForm, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords } from '#server/office/state-words.ts';
import { moment, people, peopleDo } from '#server/office/words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { FailedSection, Person, type SentLetters, SentSection } from './letter-tables.tsx';
import type { Readers } from './readers.ts';

/** A letter that the office wrote, with what became of it: how many, and whom it did not reach, by her registration. */
export interface WrittenMessage {
  message: Message;
  sent: number;
  waiting: number;
  notSent: number;
  failed: readonly string[];
  bounced: readonly string[];
}

export interface EditionLetters extends EditionNow {
  /** Of each announcement, in their order. */
  readers: readonly Readers[];
  written: readonly WrittenMessage[];
}

interface LettersPageProps extends SentLetters {
  /** Of the session, for its forms. */
  token: string;
  /** Absent on the pages of older letters. */
  now?: { failed: readonly FoundLetter[]; count: number; retreats: readonly EditionLetters[] };
}

/** What failed and why, what the office can say to many, what was sent to whom, and what became of its own words. */
export function LettersPage({ now, token, ...letters }: LettersPageProps) {
  if (!now) return <SentSection {...letters} title="Older messages" />;
  const { failed, count, retreats } = now;
  return (
    <>
      {count > 0 && <FailedSection {...letters} failed={failed} count={count} token={token} />}
      {retreats.map((one) => (
        <ToEverybody key={one.edition.facts.id} {...one} />
      ))}
      {retreats.length === 0 && (
        <p>
          Nobody has registered for a retreat yet. As soon as somebody has, you can write to everybody here.
        </p>
      )}
      <SentSection {...letters} title="What was sent" />
      {retreats.map((one) => (
        <Written key={one.edition.facts.id} retreat={one} persons={letters.persons} token={token} />
      ))}
    </>
  );
}

const SEE = 'See the message and announce it';
const OTHER = 'Give another address';

/** What only the office can announce, with the words of its link before and after the first time. */
export const ANNOUNCEMENTS = [
  { command: announceRoom, name: 'The video room', first: 'Say where it is', again: OTHER },
  { command: announceSchedule, name: 'A change of the schedule', first: SEE, again: SEE },
  { command: announceRecordings, name: 'The recordings', first: 'Say where they are', again: OTHER },
] as const;

function ToEverybody(retreat: EditionLetters) {
  const { edition, announced, now, readers } = retreat;
  const { id, title, startDate, endDate } = edition.facts;
  const why = writeMessage.refuses(retreat);
  return (
    <Section id={id} title={`To everybody: ${title}, ${formatDateRange(startDate, endDate)}`}>
      <p>
        {why ??
          'In your own words, to everybody who has a place or to others on the list. You see the message, and can send a test to the office, before anybody gets it.'}
      </p>
      {why === undefined && (
        <LinkLine className="button" to={officePaths.announce(id, writeMessage.id)}>
          {writeMessage.heading}
        </LinkLine>
      )}
      <DataTable
        className="table table--stacked"
        caption="Only you can announce these. Other messages go out automatically."
        rows={ANNOUNCEMENTS.map(({ command, name, first, again }, index) => {
          const told = announced[command.announces];
          const refused = command.refuses(retreat);
          const isMissing = command === announceRoom && isRoomMissing(edition, announced, now);
          return [
            name,
            <Fragment key="state">
              {isMissing && <strong className="need">{needWords['no-room']}</strong>}
              {told && <Told {...told} edition={edition} />}
              {refused ?? (told ? '' : command.sentence)}
              <span className="fine">
                {(told || refused === undefined) && readersWords(readers[index], told !== undefined)}
              </span>
              {refused === undefined && (
                <LinkLine className="button button--quiet" to={officePaths.announce(id, command.id)}>
                  {told ? again : first}
                  <span className="visually-hidden">: {name}</span>
                </LinkLine>
              )}
            </Fragment>,
          ];
        })}
      />
    </Section>
  );
}

interface ToldProps {
  at: Date;
  by: string;
  url?: string;
  revision?: number;
  edition: Edition;
}

function Told({ at, by, url, revision, edition }: ToldProps) {
  return (
    <>
      {url === undefined ? `Revision ${revision}` : <a href={url}>{url}</a>}, as {by} announced on{' '}
      {moment(at, { edition })}.{' '}
    </>
  );
}

function readersWords({ had, due }: Readers = { had: 0, due: 0 }, isTold: boolean): string {
  if (!isTold) return due > 0 ? `${people(due)} would get the message now.` : '';
  if (had + due === 0) return '';
  return `${peopleDo(had, 'has', 'have')} had the message${due > 0 ? `, ${due} not yet` : ''}.`;
}

interface WrittenProps extends Pick<SentLetters, 'persons'> {
  retreat: EditionLetters;
  token: string;
}

/** The letters that the office wrote itself. */
function Written({ retreat: { edition, written }, persons, token }: WrittenProps) {
  if (written.length === 0) return null;
  return (
    <Section id={`${edition.facts.id}-written`} title="What you wrote">
      {written.map(({ message: { message: id, ...message }, sent, waiting, notSent, failed, bounced }) => (
        <section key={id} className="letter-written">
          <h3>{message.subject}</h3>
          {message.sendings.map(({ at, by, to, count }) => (
            <p key={at.toISOString()}>
              To {people(count)}, by {by} on {moment(at, { edition })}. {audienceWords(to)}.
            </p>
          ))}
          {message.stopped && (
            <p>
              <strong>
                Stopped by {message.stopped.by} on {moment(message.stopped.at, { edition })}.
              </strong>
            </p>
          )}
          <p>
            {sent} sent, {waiting} waiting{notSent > 0 && `, ${notSent} not sent`}.
          </p>
          <Unreached words="Failed" ids={failed} persons={persons} />
          <Unreached words="Came back" ids={bounced} persons={persons} />
          {waiting > 0 && !message.stopped && (
            <PressForm
              action={officePaths.announce(edition.facts.id, stopMessage.id)}
              token={token}
              hidden={{ message: id }}
            >
              <button type="submit" className="button button--quiet">
                Stop it
                <span className="visually-hidden">: “{message.subject}”</span>
              </button>
            </PressForm>
          )}
          <details>
            <summary>
              The text<span className="visually-hidden"> of “{message.subject}”</span>
            </summary>
            <p className="as-written">{message.text}</p>
          </details>
        </section>
      ))}
    </Section>
  );
}

/** More names would hide the letters below: the list has filters for all. */
const MOST_NAMES = 20;

interface UnreachedProps extends Pick<SentLetters, 'persons'> {
  words: string;
  ids: readonly string[];
}

function Unreached({ words, ids, persons }: UnreachedProps) {
  if (ids.length === 0) return null;
  return (
    <p>
      {words}, {ids.length}:{' '}
      {ids.slice(0, MOST_NAMES).map((id, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Person id={id} persons={persons} />
        </Fragment>
      ))}
      {ids.length > MOST_NAMES && `, and ${ids.length - MOST_NAMES} more`}.
    </p>
  );
}
