import { Fragment } from 'react';
import { letterTable } from '#server/letters/table.ts';
import type { RecordedLetter } from '#server/mail/letter-log.ts';
import type { Message } from '#server/mail/messages.ts';
import { dismiss, retry } from '#server/office/commands/letter-commands.ts';
import { type FoundLetter, letterName, letterStates } from '#server/office/commands/letters.ts';
import { DataTable, MoreLine, PressForm, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { moment, sentence } from '#server/office/words.ts';
import { nameOf, type RegistrationRecord } from '#server/registration/registration.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale.ts';

type Persons = ReadonlyMap<string, RegistrationRecord>;

export interface SentLetters {
  /** Some letters that ended, the newest first. */
  sent: readonly RecordedLetter[];
  /** The letter before which the next page begins, if there is one. */
  older: string | undefined;
  /** Those whom letters are about, by the ids of their registrations. */
  persons: Persons;
  /** Those that the office wrote, for their names. */
  messages: readonly Message[];
}

/** Which letters were sent to whom. */
export function SentSection({ sent, older, persons, messages, title }: SentLetters & { title: string }) {
  return (
    <Section id="sent" title={title}>
      {sent.length === 0 ? (
        <p>Nothing yet. Messages go out automatically as soon as somebody registers.</p>
      ) : (
        <DataTable
          className="table table--stacked"
          head={['To', 'Message', 'What became of it']}
          rows={sent.map((letter) => {
            const at = letter.endedAt ?? letter.owedAt;
            const when = moment(at, persons.get(letter.subject) ?? { edition: onSale });
            return [
              <Whom key="whom" letter={letter} persons={persons} />,
              letterName(letter, messages),
              `${sentence(letterStates[letter.state === 'owed' ? 'waiting' : letter.state])}, ${when}`,
            ];
          })}
        />
      )}
      {older !== undefined && (
        <MoreLine to={`${officePaths.letters}?before=${encodeURIComponent(older)}`}>Older messages</MoreLine>
      )}
    </Section>
  );
}

interface FailedProps extends Pick<SentLetters, 'persons' | 'messages'> {
  /** The newest that failed for good, and how many there are in all. */
  failed: readonly FoundLetter[];
  count: number;
  token: string;
}

/** Which letters did not get through, with the answers of the mail server, and what can be done. */
export function FailedSection({ failed, count, token, persons, messages }: FailedProps) {
  return (
    <Section id="failed" title={count === 1 ? 'One message failed' : `${count} messages failed`}>
      <DataTable
        className="table table--stacked"
        head={['To', 'Message', 'Why', 'What you can do']}
        rows={failed.map(({ id, letter, job }) => {
          const { attemptsMade = 0, finishedOn, failedReason = 'The answer is not known.' } = job ?? {};
          const name = letterName(letter, messages);
          return [
            <Whom key="whom" letter={letter} persons={persons} />,
            name,
            <Fragment key="why">
              {failedReason}
              <span className="fine">
                {finishedOn && `${moment(new Date(finishedOn), { edition: onSale })}, after `}
                {attemptsMade === 1 ? 'one try' : `${attemptsMade} tries`}
              </span>
            </Fragment>,
            <div key="acts" className="row">
              {[retry, dismiss].map((command) => (
                <PressForm key={command.id} action={officePaths.letterAct(id, command.id)} token={token}>
                  <button type="submit" className="button button--quiet">
                    {command === retry ? 'Try again' : 'Dismiss'}
                    <span className="visually-hidden"> “{name}”</span>
                  </button>
                </PressForm>
              ))}
            </div>,
          ];
        })}
      />
      {count > 1 && (
        <PressForm action={officePaths.letters} token={token}>
          <button type="submit" className="button button--quiet">
            Try all again
          </button>
        </PressForm>
      )}
    </Section>
  );
}

function Whom({ letter, persons }: { letter: RecordedLetter | undefined; persons: Persons }) {
  if (!letter) return 'Somebody';
  const { subject, address, kind } = letter;
  const who = persons.has(subject) && <Person id={subject} persons={persons} />;
  const { to } = letterTable[kind];
  if (to === 'office') return <>The office{who && <>, about {who}</>}</>;
  return (
    <>
      {who || address || 'Somebody'}
      {who && to === 'elsewhere' && address && <span className="fine">{address}</span>}
    </>
  );
}

export function Person({ id, persons }: { id: string; persons: Persons }) {
  const record = persons.get(id);
  const name = record && nameOf(record.registrant);
  return <a href={officePaths.registration(id)}>{name || 'Somebody whose data were removed'}</a>;
}
