import type { ReactNode } from 'react';
import { cardWords, moment } from '#server/acts/plain-words.ts';
import { timelineOf } from '#server/acts/timeline.ts';
import { mailOf } from '#server/mail/job.ts';
import { officePaths } from '#server/office/paths.ts';
import { needWords } from '#server/office/state-words.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { needsOf } from '#server/register/office-digest.ts';
import type { SignedIn } from '#server/users/user.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { letterWordsOf } from './letter-acts.ts';
import { moneyLines } from './money-lines.ts';
import type { Notice } from './notices.ts';
import { type ActGroup, actGroups, type OfficeAct, type Situation } from './office-act.ts';
import { mayDo, officeActs } from './office-acts.ts';
import type { Shown } from './read-shown.ts';
import { type ShownLetter, sentAt, shownLetters } from './shown-letters.ts';
import { standingOf } from './standing.ts';
import { ToldView } from './told-view.tsx';

interface RegistrationPageProps {
  shown: Shown;
  signedIn: SignedIn;
  notice: Notice | undefined;
}

/** One registration: how it stands, its money, its letters, what can be done about it, and what happened. */
export function RegistrationPage({ shown, signedIn, notice }: RegistrationPageProps) {
  const { record, now, listedAt, lettersAway } = shown;
  return (
    <>
      {notice && <NoticeView notice={notice} />}
      {listedAt && (
        <div className="registration-notice registration-notice--warning">
          <p>
            <strong>Stripe does not answer.</strong> This is her registration as the list read it last, on{' '}
            <Moment at={listedAt} record={record} />. Nothing can be done about it before Stripe answers
            again: each act looks there first.
          </p>
        </div>
      )}
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
              {needWords['letter-failed']}: see <a href="#letters">Letters</a>
            </strong>
          </p>
        )}
      </div>
      <Money {...shown} />
      {!listedAt && <Acts situation={shown} signedIn={signedIn} />}
      <Letters situation={shown} token={signedIn.token} isAway={lettersAway} mayAct={!listedAt} />
      <Details {...shown} />
      <Timeline {...shown} />
    </>
  );
}

/** Who she is, as a heading. */
export function nameOf({ registrant, forgottenAt, id }: RegistrationRecord): string {
  const name = `${registrant.firstName} ${registrant.lastName}`.trim();
  return name || (forgottenAt ? 'Somebody whose data were removed' : id);
}

function Contact({ email, phoneNumber }: RegistrationRecord['registrant']) {
  if (email === '' && phoneNumber === '') return null;
  return (
    <p className="registration-contact">
      {email && <a href={`mailto:${email}`}>{email}</a>}
      {phoneNumber && <a href={`tel:${phoneNumber.replace(/[^\d+]/g, '')}`}>{phoneNumber}</a>}
    </p>
  );
}

function NoticeView({ notice }: { notice: Notice }) {
  return (
    <section className="registration-notice" aria-labelledby="done">
      <h2 id="done">Done: {notice.heading}</h2>
      <ToldView says={notice.says} />
      <p className="registration-fine">By {notice.by}.</p>
    </section>
  );
}

function Moment({ at, record }: { at: Date; record: RegistrationRecord }) {
  return <time dateTime={at.toISOString()}>{moment(at, record)}</time>;
}

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section className="registration-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Money({ record, now }: Situation) {
  return (
    <Section id="money" title="Money">
      <table className="registration-table">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">How it stands</th>
            <th scope="col" className="registration-sum">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {moneyLines(record, now).map(({ what, how, cents }) => (
            <tr key={`${what} ${how} ${cents}`}>
              <th scope="row">{what}</th>
              <td>{how}</td>
              <td className="registration-sum">{formatCents(cents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Acts({ situation, signedIn: { user } }: { situation: Situation; signedIn: SignedIn }) {
  const acts = officeActs.filter((act) => mayDo(user, act));
  const judged = acts.map((act) => ({ act, whyNot: act.whyNot(situation) }));
  const possible = judged.filter(({ whyNot }) => whyNot === undefined).map(({ act }) => act);
  const others = judged.filter(({ whyNot }) => whyNot !== undefined);
  return (
    <Section id="acts" title="What you can do">
      <p className="registration-fine">
        Each shows first what will happen. Nothing is done before you confirm it.
      </p>
      <div className="act-groups">
        {groupNames.map((group) => (
          <ActList
            key={group}
            group={group}
            acts={possible.filter((act) => act.group === group)}
            id={situation.record.id}
          />
        ))}
        <div>
          <h3>Papers</h3>
          <ul className="act-list">
            <li>
              <a href={officePaths.evidence(situation.record.id)}>Evidence for her bank</a>
              <p>All that is on record and that a bank may ask for in a dispute, as text to be copied.</p>
            </li>
          </ul>
        </div>
      </div>
      {others.length > 0 && (
        <details className="not-now">
          <summary>Not possible now ({others.length})</summary>
          <dl>
            {others.map(({ act, whyNot = '' }) => (
              <div key={act.id}>
                <dt>{act.heading}</dt>
                <dd>{sentence(whyNot)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Section>
  );
}

const groupNames: readonly ActGroup[] = ['money', 'cancelling', 'details', 'letters', 'link', 'support'];

function ActList({ group, acts, id }: { group: ActGroup; acts: readonly OfficeAct[]; id: string }) {
  if (acts.length === 0) return null;
  return (
    <div>
      <h3>{actGroups[group]}</h3>
      <ul className="act-list">
        {acts.map((act) => (
          <li key={act.id}>
            <a href={officePaths.act(id, act.id)}>{act.heading}</a>
            <p>{act.sentence}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** With a capital letter. */
export function sentence(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

interface LettersProps {
  situation: Situation;
  token: string;
  isAway: boolean;
  mayAct: boolean;
}

function Letters({ situation, token, isAway, mayAct }: LettersProps) {
  const letters = shownLetters(situation);
  return (
    <Section id="letters" title="Letters">
      {isAway && (
        <p>
          The queue of letters does not answer: what waits or failed cannot be told now. What is on record at
          Stripe is below.
        </p>
      )}
      {letters.length === 0 ? (
        <p>There are none.</p>
      ) : (
        <ul className="letter-list">
          {letters.map((letter, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the page is rendered once.
            <li key={index} className={letter.isFailed ? 'letter letter--failed' : 'letter'}>
              <LetterLine letter={letter} />
              {mayAct && (
                <div className="letter-acts">
                  {letter.acts.map((one) => (
                    <form key={one.act} method="post" action={officePaths.act(situation.record.id, one.act)}>
                      <input type="hidden" name="token" value={token} />
                      <input type="hidden" name={one.field} value={one.value} />
                      <button type="submit" className="button button--quiet">
                        {BUTTONS[one.act]}
                        <span className="visually-hidden"> “{letter.words}”</span>
                      </button>
                    </form>
                  ))}
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const BUTTONS: Readonly<Record<string, string>> = {
  resend: 'Send again',
  retry: 'Try again now',
  dismiss: 'Dismiss',
};

function LetterLine({ letter: { words, to, became, reason } }: { letter: ShownLetter }) {
  return (
    <div>
      <h3>{words}</h3>
      <p>
        {to && <>To {to}. </>}
        {became.join(' ')}
      </p>
      {reason && <p className="registration-fine">The answer was: {reason}</p>}
    </div>
  );
}

function Details({ record }: Situation) {
  const { registrant, edition, agreement, card, corrections, addressAsked, id } = record;
  const { facts } = edition;
  const before = (was: { was: string; at: Date; by: string } | undefined) =>
    was && `${was.was}, until ${moment(was.at, record)}; corrected by ${was.by}`;
  const facts_: [string, ReactNode][] = [
    ['E-mail asked for', addressAsked && `${addressAsked.to}, not confirmed yet`],
    ['E-mail before', before(corrections.email)],
    ['Phone before', before(corrections.phoneNumber)],
    ['Name before', before(corrections.name)],
    ['Time zone', registrant.timeZone],
    [
      'Card on file',
      card && `${cardWords(card)}, valid until ${String(card.expMonth).padStart(2, '0')}/${card.expYear}`,
    ],
    [
      'Agreed to',
      agreement
        ? `version ${agreement.version} of the policies, on ${moment(agreement.agreedAt, record)}`
        : 'nothing on record',
    ],
    ['Retreat', `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}`],
    ['Payment at Stripe', <code key="id">{id}</code>],
  ];
  return (
    <Section id="details" title="Details">
      <dl className="details-list">
        {facts_
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Section>
  );
}

function Timeline({ record, letters }: Situation) {
  const happened = [...timelineOf(record, []), ...letters.map(happeningOf)].toSorted(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
  return (
    <Section id="timeline" title="What happened">
      <ol className="timeline">
        {happened.map(({ at, what }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the page is rendered once.
          <li key={index}>
            <Moment at={at} record={record} /> <span>{sentence(what)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

const LETTER_STATES = {
  sent: 'was sent',
  failed: 'failed',
  delayed: 'waits for its next try',
  waiting: 'waits',
  sending: 'is being sent',
} as const;

function happeningOf(found: Situation['letters'][number]) {
  const mail = mailOf(found.job.data);
  const askedBy = mail && 'askedBy' in mail ? mail.askedBy : undefined;
  const at = found.state === 'sent' ? sentAt(found) : new Date(found.job.finishedOn ?? found.job.timestamp);
  const asked = askedBy === undefined ? '' : `, asked for by ${askedBy}`;
  return { at, what: `letter “${letterWordsOf(found.job.data)}” ${LETTER_STATES[found.state]}${asked}` };
}
