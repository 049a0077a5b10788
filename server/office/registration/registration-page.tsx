import type { ReactNode } from 'react';
import { mayDo } from '#server/acts/act.ts';
import { addNote, calledBack, signed } from '#server/acts/notes.ts';
import { officeActs } from '#server/acts/office-acts.ts';
import { actGroups, type Situation } from '#server/acts/registration-act.ts';
import { sentence as asSentence, moment } from '#server/acts/words.ts';
import { ActFields } from '#server/office/acts/act-form.tsx';
import { type Notice, NoticeView } from '#server/office/acts/notices.tsx';
import { DataTable, DetailsList, LinkLine, Moment, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { needWords } from '#server/office/state-words.ts';
import { detailsOf, moneyLines, standingOf } from '#server/office/summary-words.ts';
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
import { LettersSection, TimelineSection } from './letters-section.tsx';

/** A registration, with what the queue says of its letters. */
export interface Shown extends Situation {
  /** The letters could not be read from Redis. */
  lettersAway: boolean;
}

interface RegistrationPageProps {
  shown: Shown;
  signedIn: SignedIn;
  notice: Notice | undefined;
}

/** One registration: its state, its money, its letters, what can be done about it, and what happened. */
export function RegistrationPage({ shown, signedIn, notice }: RegistrationPageProps) {
  const { record, now, lettersAway } = shown;
  return (
    <>
      {notice && <NoticeView notice={notice} />}
      <Contact {...record.registrant} />
      <div className="registration-lead">
        {needsOf(record, now).map(({ need }) => (
          <p key={need} className="office-need">
            <strong>{needWords[need]}</strong>
          </p>
        ))}
        {standingOf(record, now).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {shown.letters.some(({ state }) => state === 'failed') && (
          <p className="office-need">
            <strong>
              {needWords['letter-failed']}: see <a href="#letters">Messages</a>
            </strong>
          </p>
        )}
      </div>
      <NotesSection situation={shown} signedIn={signedIn} />
      <Money {...shown} />
      <ActsSection situation={shown} signedIn={signedIn} />
      <LettersSection situation={shown} token={signedIn.token} isAway={lettersAway} />
      <Details {...shown} />
      <Agreed {...shown} />
      <AnswersSection record={record} />
      <TimelineSection {...shown} />
    </>
  );
}

export function nameOf({ registrant, namesBefore, forgottenAt, id }: RegistrationRecord): string {
  const before = namesBefore ? `, before: ${namesBefore}` : '';
  const name = `${registrant.firstName} ${registrant.lastName}`.trim() + before;
  return name || (forgottenAt ? 'Somebody whose data were removed' : id);
}

function Contact({ email, phoneNumber }: RegistrationRecord['registrant']) {
  if (email === '' && phoneNumber === '') return null;
  return (
    <p className="registration-contact">
      {email && <a href={mailLink(email)}>{email}</a>}
      {phoneNumber && <a href={phoneLink(phoneNumber)}>{phoneNumber}</a>}
    </p>
  );
}

function Money({ record, now }: Situation) {
  return (
    <Section className="registration-section" id="money" title="Money">
      <DataTable
        head={['What', 'How it stands', 'Amount']}
        rows={moneyLines(record, now).map(({ what, how, cents }) => [what, how, formatCents(cents)])}
        classes={[undefined, undefined, 'registration-sum']}
      />
    </Section>
  );
}

function Details({ record }: Situation) {
  const ids: [string, ReactNode][] = [['Registration', <code key="id">{record.id}</code>]];
  const payment = record.depositPayment?.id;
  if (payment) ids.push(['Deposit at Stripe', <code key="payment">{payment}</code>]);
  return (
    <Section className="registration-section" id="details" title="Details">
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
    <Section className="registration-section" id="agreed" title="What she agreed to">
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
    <Section className="registration-section" id="answers" title="Answers">
      <DetailsList
        rows={[
          ...answers.map(
            ({ asked, answer, at }) =>
              [
                asked,
                <span key="answer" className="registration-answer">
                  {answer}
                  <span className="office-fine">
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

interface NotesProps {
  situation: Situation;
  signedIn: SignedIn;
}

/** What the office noted about her, the newest first, and the form for another note. */
function NotesSection({ situation, signedIn }: NotesProps) {
  const { record } = situation;
  const notes = heldNotes(record).toReversed();
  const calls = callsToMake(record);
  const isNoted = addNote.whyNot(situation) === undefined;
  if (notes.length === 0 && !isNoted) return null;
  return (
    <Section className="registration-section" id="notes" title="Notes">
      {notes.length > 0 && (
        <ul className="note-list">
          {notes.map((note) => (
            <li key={note.number}>
              <p className="note-text">{note.text}</p>
              <p className="registration-fine">
                {signed(note, record)}
                {calls.includes(note) && <strong className="office-need">Call her back</strong>}
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
          <ActFields
            act={addNote}
            situation={situation}
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
function ActsSection({ situation, signedIn: { user } }: { situation: Situation; signedIn: SignedIn }) {
  const { record } = situation;
  const acts = officeActs.filter((act) => mayDo(user, act));
  const judged = acts.map((act) => ({ act, whyNot: act.whyNot(situation) }));
  const possible = judged.filter(({ whyNot }) => whyNot === undefined).map(({ act }) => act);
  const others = judged.filter(({ whyNot }) => whyNot !== undefined);
  return (
    <Section className="registration-section" id="acts" title="What you can do">
      <p className="registration-fine">
        Each shows first what will happen. Nothing is done before you confirm it.
      </p>
      <div className="act-groups">
        {Object.entries(actGroups).map(([group, title]) => (
          <ActList
            key={group}
            title={title}
            acts={possible
              .filter((act) => act.group === group)
              .map(({ id, heading, sentence }) => [officePaths.act(record.id, id), heading, sentence])}
          />
        ))}
        <ActList
          title="Papers"
          acts={[
            [
              officePaths.export(record.id),
              'Her data',
              'All that is kept about her, with your notes, as a file (JSON) for when she asks for it. Send it to nobody but her.',
            ],
          ]}
        />
        <p className="registration-fine">
          For her bank, if she disputes a charge: print this page. On paper it has what she bought, paid and
          agreed to, and her messages, and no notes.
        </p>
      </div>
      {others.length > 0 && (
        <details className="not-now">
          <summary>Not possible now ({others.length})</summary>
          <dl>
            {others.map(({ act, whyNot = '' }) => (
              <div key={act.id}>
                <dt>{act.heading}</dt>
                <dd>{asSentence(whyNot)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Section>
  );
}

interface ActListProps {
  title: string;
  acts: readonly (readonly [path: string, heading: string, sentence: string])[];
}

function ActList({ title, acts }: ActListProps) {
  if (acts.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className="act-list">
        {acts.map(([path, heading, words]) => (
          <li key={path}>
            <a href={path}>{heading}</a>
            <p>{words}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
