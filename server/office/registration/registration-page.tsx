import type { ReactNode } from 'react';
import { mayGive } from '#server/office/commands/command.ts';
import { CommandFields } from '#server/office/commands/command-form.tsx';
import { addNote, calledBack } from '#server/office/commands/note-commands.ts';
import { groups } from '#server/office/commands/registration-command.ts';
import type { Situation } from '#server/office/commands/situation.ts';
import { registrations } from '#server/office/commands/subjects.ts';
import { DataTable, DetailsList, LinkLine, Moment, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords } from '#server/office/state-words.ts';
import { detailsOf, moneyLines, standingOf } from '#server/office/summary-words.ts';
import { timelineWithLetters } from '#server/office/timeline.ts';
import { sentence as asSentence, moment } from '#server/office/words.ts';
import { HOW_AGREED } from '#server/registration/act-kinds.ts';
import type { Agreement } from '#server/registration/acts.ts';
import { missingAnswers } from '#server/registration/answers.ts';
import { callsToMake, heldNotes } from '#server/registration/notes.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { SignedIn } from '#server/users/user.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents } from '#shared/money.ts';
import { LettersSection, type LettersShown } from './letters-section.tsx';

interface Shown extends LettersShown {
  signedIn: SignedIn;
}

/** One registration: its state, its money, its letters, what can be done about it, and what happened. */
export function RegistrationPage(shown: Shown) {
  const { about, letters, messages, signedIn } = shown;
  const { record, now } = about;
  return (
    <>
      <Contact {...record.registrant} />
      <div className="registration-lead">
        {needsOf(record, now).map(({ need }) => (
          <p key={need} className="need">
            <strong>{needWords[need]}</strong>
          </p>
        ))}
        {standingOf(record, now).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {letters.some(({ state }) => state === 'failed') && (
          <p className="need">
            <strong>
              {needWords['letter-failed']}: see <a href="#letters">Messages</a>
            </strong>
          </p>
        )}
      </div>
      <NotesSection about={about} signedIn={signedIn} />
      <Money {...about} />
      <CommandsSection about={about} signedIn={signedIn} />
      <LettersSection {...shown} token={signedIn.token} />
      <Details {...about} />
      <Agreed {...about} />
      <AnswersSection record={record} />
      <Section id="timeline" title="What happened">
        <ol className="timeline">
          {timelineWithLetters(record, letters, messages).map(({ at, what, isNote }) => (
            <li key={`${at.getTime()} ${what}`} className={isNote && 'timeline-note'}>
              <Moment at={at} record={record} /> <span>{asSentence(what)}</span>
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

function Contact({ email, phoneNumber }: RegistrationRecord['registrant']) {
  if (email === '' && phoneNumber === '') return null;
  return (
    <p className="row">
      {email && <a href={mailLink(email)}>{email}</a>}
      {phoneNumber && <a href={phoneLink(phoneNumber)}>{phoneNumber}</a>}
    </p>
  );
}

function Money({ record, now }: Situation) {
  return (
    <Section id="money" title="Money">
      <DataTable
        head={['What', 'How it stands', 'Amount']}
        rows={moneyLines(record, now).map(({ what, how, cents }) => [what, how, formatCents(cents)])}
        classes={[undefined, undefined, 'sum']}
      />
    </Section>
  );
}

function Details({ record }: Situation) {
  const ids: [string, ReactNode][] = [['Registration', <code key="id">{record.id}</code>]];
  const payment = record.depositPayment?.id;
  if (payment) ids.push(['Deposit at Stripe', <code key="payment">{payment}</code>]);
  return (
    <Section id="details" title="Details">
      <DetailsList rows={[...detailsOf(record), ...ids]} />
    </Section>
  );
}

/** What she agreed to, when and from where; also she who had the place before. */
function Agreed({ record }: Situation) {
  const { agreement, agreementBefore, edition, registrant } = record;
  const rowsOf = ({ version, digest, agreedAt, spoken }: Agreement): [string, ReactNode][] => {
    const terms = edition.agreed.find((one) => one.version === version && one.digest === digest);
    const path = terms && termsPathOf(edition.facts, terms);
    return [
      ['Terms', `version ${version}`],
      [
        'Their text',
        path ? (
          <a key="text" href={path}>
            {path}
          </a>
        ) : (
          'not in this release: look for it in an older one'
        ),
      ],
      ['SHA-256 of the text', <code key="digest">{digest}</code>],
      ['When', spoken ? moment(spoken.on, record) : `${agreedAt.toISOString()}, by the clock of the site`],
      [
        'From where',
        spoken
          ? `${HOW_AGREED[spoken.how]}; recorded by ${spoken.by} on ${moment(agreedAt, record)}`
          : `on the page, whose form takes no payment without the tick${registrant.timeZone ? `; her browser’s time zone was ${registrant.timeZone}` : ''}`,
      ],
    ];
  };
  return (
    <Section id="agreed" title="What she agreed to">
      {agreement ? (
        <DetailsList rows={rowsOf(agreement)} />
      ) : (
        <p>It is not on record that she agreed to the terms.</p>
      )}
      {agreementBefore && (
        <>
          <h3>Who had the place before</h3>
          <DetailsList rows={rowsOf(agreementBefore)} />
        </>
      )}
    </Section>
  );
}

/** What she answered, also to questions that her edition asks no more, and what is missing. */
function AnswersSection({ record }: { record: RegistrationRecord }) {
  const { answers, forgottenAt } = record;
  const missing = record.deposit === 'paid' && !forgottenAt ? missingAnswers(record) : [];
  if (answers.length === 0 && missing.length === 0) return null;
  return (
    <Section id="answers" title="Answers">
      <DetailsList
        rows={[
          ...answers.map(
            ({ asked, answer, at }) =>
              [
                asked,
                <span key="answer" className="as-written">
                  {answer}
                  <span className="fine">
                    <Moment at={at} record={record} />
                  </span>
                </span>,
              ] as const,
          ),
          ...missing.map(({ text }) => [text, 'Not answered'] as const),
        ]}
      />
    </Section>
  );
}

interface AboutProps {
  about: Situation;
  signedIn: SignedIn;
}

/** What the office noted about her, the newest first, and the form for another note. */
function NotesSection({ about, signedIn }: AboutProps) {
  const { record } = about;
  const notes = heldNotes(record).toReversed();
  const calls = callsToMake(record);
  const isNoted = addNote.refuses(about) === undefined;
  if (notes.length === 0 && !isNoted) return null;
  return (
    <Section id="notes" title="Notes">
      {notes.length > 0 && (
        <ul className="note-list">
          {notes.map((note) => (
            <li key={note.number}>
              <p className="as-written">{note.text}</p>
              <p className="fine">
                {`Note ${note.number}, ${note.by}, ${moment(note.at, record)}`}
                {calls.includes(note) && <strong className="need">Call her back</strong>}
              </p>
            </li>
          ))}
        </ul>
      )}
      {calls.length > 0 && (
        <LinkLine to={officePaths.act(record.id, calledBack.id)}>{calledBack.heading}</LinkLine>
      )}
      {isNoted && (
        <details className="not-now">
          <summary>{addNote.heading}</summary>
          <CommandFields
            command={addNote}
            about={about}
            signedIn={signedIn}
            action={officePaths.act(record.id, addNote.id)}
            typed={{}}
          />
        </details>
      )}
    </Section>
  );
}

/** What can be done about a registration now, and what cannot, with the reason. */
function CommandsSection({ about, signedIn: { user } }: AboutProps) {
  const { record } = about;
  const judged = registrations.commands
    .filter((command) => mayGive(user, command))
    .map((command) => ({ ...command, why: command.refuses(about) }));
  const others = judged.filter(({ why }) => why !== undefined);
  const linksOf = (group: string) =>
    judged
      .filter((command) => command.why === undefined && command.group === group)
      .map(({ id, heading, sentence }) => [officePaths.act(record.id, id), heading, sentence] as const);
  return (
    <Section id="acts" title="What you can do">
      <p className="fine">Each shows first what will happen. Nothing is done before you confirm it.</p>
      <div className="act-groups">
        {Object.entries(groups).map(([group, title]) => (
          <CommandList key={group} title={title} links={linksOf(group)} />
        ))}
        <CommandList title="Papers" links={[[officePaths.export(record.id), 'Her data', EXPORT]]} />
        <p className="fine">
          For her bank, if she disputes a charge: print this page. On paper it has what she bought, paid and
          agreed to, and her messages, and no notes.
        </p>
      </div>
      {others.length > 0 && (
        <details className="not-now">
          <summary>Not possible now ({others.length})</summary>
          <dl>
            {others.map(({ id, heading, why }) => (
              <div key={id}>
                <dt>{heading}</dt>
                <dd>{why}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Section>
  );
}

const EXPORT =
  'All that is kept about her, with your notes, as a file (JSON) for when she asks for it. Send it to nobody but her.';

interface CommandListProps {
  title: string;
  links: readonly (readonly [path: string, heading: string, sentence: string])[];
}

function CommandList({ title, links }: CommandListProps) {
  if (links.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className="act-list">
        {links.map(([path, heading, words]) => (
          <li key={path}>
            <a href={path}>{heading}</a>
            <p>{words}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
