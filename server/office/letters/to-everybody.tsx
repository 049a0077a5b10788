import { Fragment } from 'react';
import { isRoomMissing } from '#server/letters/announcements.ts';
import { type Message, readMessageLetters } from '#server/letters/messages.ts';
import { needTitle } from '#server/letters/office-digest-words.ts';
import {
  announceRecordings,
  announceRoom,
  announceSchedule,
  findEditionNow,
} from '#server/office/commands/announce-commands.ts';
import type { CommandContext } from '#server/office/commands/command.ts';
import { audienceWords, stopMessage, writeMessage } from '#server/office/commands/message-commands.ts';
import { DetailsList, LinkLine, PersonLink, PressButton, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { moment, people } from '#server/office/words.ts';
import { isUnreachable, nameOf, type RegistrationRecord } from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDateRange } from '#shared/dates.ts';

/** Those whom letters are about, by the ids of their registrations. */
export type Persons = ReadonlyMap<string, RegistrationRecord>;

const SEE = 'See the message and announce it';
const OTHER = 'Give another address';

/** What only the office can announce, with the words of its link before and after the first time. */
const ANNOUNCEMENTS = [
  { command: announceRoom, name: 'The video room', first: 'Say where it is', again: OTHER },
  { command: announceSchedule, name: 'A change of the schedule', first: SEE, again: SEE },
  { command: announceRecordings, name: 'The recordings', first: 'Say where they are', again: OTHER },
] as const;

export type EditionLetters = Awaited<ReturnType<typeof lettersOf>>;

/** What the office can say to everybody of a retreat, and what became of what it has said. */
export async function lettersOf(
  context: CommandContext,
  edition: Edition,
  records: readonly RegistrationRecord[],
) {
  const current = await findEditionNow(context, edition);
  const failed = new Set(await context.queue.getRanges(['failed'], 0, -1));
  const persons = new Map(records.map((record) => [record.id, record]));
  const written = current.messages.map((message) => progressOf(context, message, persons, failed));
  return { ...current, written: await Promise.all(written) };
}

/** What has become of the letters of a message; those not sent are not due any more, stopped or dismissed. */
async function progressOf(
  { payments }: CommandContext,
  message: Message,
  persons: Persons,
  failed: ReadonlySet<string>,
) {
  const letters = await readMessageLetters(payments, message.message);
  const owed = letters.filter(({ state }) => state === 'owed');
  const sent = letters.filter(({ state }) => state === 'sent');
  const hasFailed = owed.filter(({ id }) => failed.has(id));
  const cameBack = sent.filter(({ subject, endedAt }) => {
    const record = persons.get(subject);
    if (!record?.bounced || record.forgottenAt || !isUnreachable(record)) return false;
    return endedAt !== null && record.bounced.at >= new Date(endedAt);
  });
  return {
    message,
    sent: sent.length,
    waiting: owed.length - hasFailed.length,
    notSent: letters.length - owed.length - sent.length,
    failed: hasFailed.map(({ subject }) => subject),
    bounced: cameBack.map(({ subject }) => subject),
  };
}

export function ToEverybody(retreat: EditionLetters) {
  const { id, title, startDate, endDate } = retreat.edition.facts;
  const why = writeMessage.refuses(retreat);
  return (
    <Section id={id} title={`To everybody: ${title}, ${formatDateRange(startDate, endDate)}`}>
      <p>
        {why ??
          'In your own words, to everybody who has a place or to others on the list. You see the message, and can send a test to the office, before anybody gets it.'}
      </p>
      {why === undefined && (
        <LinkLine look="button" to={officePaths.announce(id, writeMessage.id)}>
          {writeMessage.heading}
        </LinkLine>
      )}
      <p className="fine">Only you can announce these. Other messages go out automatically.</p>
      <DetailsList
        rows={ANNOUNCEMENTS.map((one) => [one.name, <Announcement key="state" retreat={retreat} {...one} />])}
      />
    </Section>
  );
}

type AnnouncementProps = (typeof ANNOUNCEMENTS)[number] & { retreat: EditionLetters };

function Announcement({ retreat, command, name, first, again }: AnnouncementProps) {
  const { edition, announced, now } = retreat;
  const told = announced[command.announces];
  const refused = command.refuses(retreat);
  const isMissing = command === announceRoom && isRoomMissing(edition, announced, now);
  return (
    <>
      {isMissing && <strong className="need">{needTitle('no-room')}</strong>}
      {told && (
        <>
          {'url' in told ? <a href={told.url}>{told.url}</a> : `Revision ${told.revision}`}, as {told.by}{' '}
          announced on {moment(told.at, { edition })}.{' '}
        </>
      )}
      {refused ?? (told ? '' : command.sentence)}
      {refused === undefined && (
        <LinkLine look="button button--quiet" to={officePaths.announce(edition.facts.id, command.id)}>
          {told ? again : first}
          <span className="visually-hidden">: {name}</span>
        </LinkLine>
      )}
    </>
  );
}

export function Written({
  edition,
  written,
  persons,
  token,
}: EditionLetters & { persons: Persons; token: string }) {
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
            <PressButton
              action={officePaths.announce(edition.facts.id, stopMessage.id)}
              token={token}
              hidden={{ message: id }}
            >
              Stop it
              <span className="visually-hidden">: “{message.subject}”</span>
            </PressButton>
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

function Unreached({ words, ids, persons }: { words: string; ids: readonly string[]; persons: Persons }) {
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

export function Person({ id, persons }: { id: string; persons: Persons }) {
  const record = persons.get(id);
  return <PersonLink id={id} name={record && nameOf(record.registrant)} />;
}
