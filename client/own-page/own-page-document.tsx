import { Art } from '#client/ui/picture.tsx';
import { PlainDocument, SitePageLinks } from '#client/ui/plain-documents.tsx';
import { cancelledWords, describeCancelling } from '#shared/content/own-page-cancel.ts';
import {
  detailsWords,
  isJustNow,
  newsWords,
  handOverNotes as notes,
  partPaidNews,
  unreachableWords,
  wordsOfNews,
} from '#shared/content/own-page-form-words.ts';
import { dayOf, momentOf } from '#shared/content/own-page-plan.ts';
import type { OwnPageLetter, OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { mailLink } from '#shared/mail-and-phone.ts';
import { formPaths, ownPagePaths } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';
import { BalanceSection } from './balance.tsx';
import { DetailsSection } from './details.tsx';
import { lastDayOf } from './leaving.tsx';
import { CloseForm, LeaveForm, News, OfficeWays, type PageProps, Section, Sheet } from './parts.tsx';
import { PaymentsSection } from './payments.tsx';
import { QuestionsOpen, QuestionsSection } from './questions.tsx';
import { NowSection, RecordingsSection, ScheduleSection } from './schedule-section.tsx';

interface OwnPageDocumentProps extends PageProps {
  view: OwnPageView;
  isMeasured: boolean;
}

/**
 * The page of one registration. It shows neither a postal code nor the last digits of her phone number: they
 * are her proof of identity for some acts, and the link may have reached a stranger.
 */
export function OwnPageDocument({ view, office, isMeasured, look }: OwnPageDocumentProps) {
  const { siteName } = view.edition.facts;
  return (
    <PlainDocument title={`${ownPageWords.title} – ${siteName}`} look={look} className="place">
      <div className="place-sections">
        <OwnPageHead view={view} />
        <RecordingsSection view={view} isHers={hasPlace(view)} />
        {hasPlace(view) && <NowSection view={view} office={office} />}
        <BalanceSection view={view} office={office} />
        <PaymentsSection view={view} />
        {hasPlace(view) && <ScheduleSection view={view} />}
        <QuestionsSection view={view} />
        <LettersSection view={view} />
        <DetailsSection view={view} />
        <OfficeSection view={view} office={office} />
      </div>
      <div className="place-closing">
        {/* Not everywhere while no letter could bring her a new link. */}
        {view.mayAct && !view.unreachable && <CloseForm token={view.token} />}
        <LeaveForm token={view.token} />
        <SitePageLinks isMeasured={isMeasured} />
      </div>
    </PlainDocument>
  );
}

function OwnPageHead({ view }: { view: OwnPageView }) {
  const [heading, lede] = headingOf(view);
  const { told } = view;
  const news = newsOf(view);
  return (
    <header className="place-head">
      <Art name="threshold" className="place-door" />
      <p className="eyebrow">
        <a href="/">{view.edition.facts.title}</a>
      </p>
      <h1>{heading}</h1>
      <p className="lede">{lede}</p>
      {told && news && <News told={told} text={news} />}
      {view.unreachable && <Unreachable view={view} />}
      <QuestionsOpen view={view} />
      <HandOverNote view={view} />
      {!view.mayAct && <p className="place-note">{ownPageWords.actsElsewhere}</p>}
    </header>
  );
}

function HandOverNote({ view: { handOver, mayAct, edition } }: { view: OwnPageView }) {
  if (!handOver) return null;
  const { name, isAgreed, until } = handOver;
  return (
    <div className="place-note">
      <p>{isAgreed ? notes.agreed(name, lastDayOf(until, edition)) : notes.asked(name)}</p>
      {mayAct && (
        <p>
          <a href={formPaths.handOver}>{isAgreed ? notes.openAgreed : notes.open}</a>
        </p>
      )}
    </div>
  );
}

/** Shown when letters to her bounce: no letter could say so. */
function Unreachable({ view: { registrant, state, mayAct } }: { view: OwnPageView }) {
  const { email } = registrant;
  const owes = state.kind === 'to-pay' || state.kind === 'action-needed';
  return (
    <Section className="place-note place-unreachable" id="unreachable" title={unreachableWords.title}>
      <p>{unreachableWords.text(email)}</p>
      {owes && <p>{unreachableWords.charge}</p>}
      {mayAct && (
        <p>
          <a href={formPaths.address}>{detailsWords.changeAddress}</a>
        </p>
      )}
      <p>{unreachableWords.isRight(email)}</p>
    </Section>
  );
}

function hasPlace({ state }: OwnPageView): boolean {
  return !['held', 'cancelling', 'cancelled'].includes(state.kind);
}

function headingOf(view: OwnPageView): [heading: string, lede: string] {
  const { now, edition, registrant, state } = view;
  const { facts } = edition;
  const { firstName, lastName } = registrant;
  const words = ownPageWords;
  const about = [`${firstName} ${lastName}`, formatDateRange(facts.startDate, facts.endDate)] as const;
  if (state.kind === 'held') return [words.headingCancelled(firstName), words.held(...about)];
  if (!hasPlace(view)) return [words.headingCancelled(firstName), words.cancelled(...about)];
  return now >= new Date(facts.endsAt)
    ? [words.headingOver(firstName), words.wasReserved(...about)]
    : [words.heading(firstName), words.reserved(...about)];
}

/** The result of her last press, in words. A payment is told only if it is on record, so that it is there to be seen. */
function newsOf(view: OwnPageView): string | undefined {
  const { told, state, payments, now } = view;
  if (told === 'cancelled' && state.kind === 'cancelling' && state.undoUntil)
    return `${newsWords.cancelled} ${cancelledWords.undoUntil(momentOf(state.undoUntil, view))}`;
  if (told !== 'paid') return told && wordsOfNews(told);
  const last = payments.at(-1);
  if (state.kind === 'settled') return newsWords.paid;
  if (!last || !isJustNow(last.at, now)) return undefined;
  return last.part ? partPaidNews(titleOfPart(last.part)) : newsWords.paid;
}

const letterWords = ownPageWords.letters;

/** The state of each letter to her. */
function LettersSection({ view }: { view: OwnPageView }) {
  const { letters, registrant } = view;
  if (letters.length === 0) return null;
  return (
    <Section className="place-letters" id="letters" title={letterWords.title}>
      <p>{letterWords.to(registrant.email)}</p>
      <ul className="letter-list">
        {letters.map((letter, index) => (
          <li key={letter.id ?? `${letter.kind} ${index}`}>
            <p>
              {letter.id ? (
                <a href={`${ownPagePaths.letter}?id=${letter.id}`}>{letter.subject}</a>
              ) : (
                letter.subject
              )}{' '}
              <span className={`letter-state letter-state--${letter.state}`}>
                {letter.at ? letterWords.sentOn(dayOf(letter.at, view)) : letterWords.states[letter.state]}
              </span>
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const officeWords = ownPageWords.office;

/** Links for what only the office can do. The subject of a mail started here names her registration. */
function OfficeSection({ view, office }: { view: OwnPageView; office: OfficeContact }) {
  const { state, termsPath, now, edition } = view;
  const isOver = now >= new Date(edition.facts.endsAt);
  const isCancelled = ['cancelling', 'cancelled'].includes(state.kind);
  const owes = 'cents' in state && !isCancelled && !['by-check', 'over', 'held'].includes(state.kind);
  const cancelsHere = view.offer !== undefined && view.mayAct;
  const mailto = (subject: string) => mailLink(office.officeEmail, `${subject}: ${nameRegistration(view)}`);
  return (
    <Section className="place-office" id="office" title={officeWords.title}>
      <ul className="office-list">
        {owes && (
          <li>
            <a href={mailto(officeWords.subjects.plan)}>
              {view.plan ? officeWords.changePlan : officeWords.plan}
            </a>
            <p>{(view.plan ? officeWords.changePlanNote : officeWords.planNote)(view.edition.facts)}</p>
          </li>
        )}
        {view.canHandOverUntil && view.mayAct && (
          <li>
            <a href={formPaths.handOver}>{officeWords.handOver}</a>
            <p>{officeWords.handOverNote(lastDayOf(view.canHandOverUntil, edition))}</p>
          </li>
        )}
        {!isCancelled && !isOver && (
          <li>
            <a href={cancelsHere ? formPaths.cancel : mailto(officeWords.subjects.cancel)}>
              {officeWords.cancel}
            </a>
            <p>{describeWay(view)}</p>
          </li>
        )}
        <li>
          <a href={mailto(officeWords.subjects.question)}>{officeWords.question}</a>
        </li>
        {termsPath && (
          <li>
            <a href={termsPath}>{officeWords.policies}</a>
          </li>
        )}
      </ul>
      <p>{officeWords.reach}</p>
      <OfficeWays office={office} />
    </Section>
  );
}

function describeWay(view: OwnPageView): string {
  if (view.state.kind === 'held') return officeWords.cancelHeld;
  if (!view.offer) return officeWords.cancelDisputed;
  const way = view.mayAct ? officeWords.cancelHere : officeWords.cancelElsewhere;
  return [way, describeCancelling(view)].filter(Boolean).join(' ');
}

function nameRegistration({ id, registrant, edition: { facts } }: OwnPageView): string {
  const { firstName, lastName } = registrant;
  const dates = formatDateRange(facts.startDate, facts.endDate);
  return `${firstName} ${lastName}, ${facts.title}, ${dates} (${id})`.replaceAll('\u00a0', ' ');
}

const words = ownPageWords.letters;

interface Props extends PageProps {
  view: OwnPageView;
  letter: Pick<OwnPageLetter, 'subject' | 'at'>;
  said: string;
}

export function LetterDocument({ view, letter: { subject, at }, said, look }: Props) {
  return (
    <Sheet view={view} look={look} title={subject}>
      <p>
        {at && words.sentOn(dayOf(at, view))}. {words.kept}
      </p>
      <div className="letter-said">
        {said
          .trim()
          .split(/\n{2,}/)
          .map(paragraph)}
      </div>
    </Sheet>
  );
}

/** Of the plain text of a letter, in which a heading is underlined and the signature follows a line of its own. */
function paragraph(text: string) {
  const [first = '', second = ''] = text.split('\n');
  if (/^(=+|-+)$/.test(second)) return <h2 key={text}>{first}</h2>;
  return <p key={text}>{text.replace(/^-- \n/, '')}</p>;
}
