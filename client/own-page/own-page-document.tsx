import { PlainDocument } from '#client/ui/plain-document.tsx';
import { SitePageLinks } from '#client/ui/site-page-links.tsx';
import {
  detailsWords,
  newsWords,
  handOverNotes as notes,
  partPaidNews,
  unreachableWords as words,
} from '#shared/content/own-page-form-words.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { type CardPageProps, stripeAttributes } from './act.tsx';
import { BalanceSection } from './balance-section.tsx';
import { DetailsSection } from './details.tsx';
import { lastDayOf } from './hand-over-documents.tsx';
import { LettersSection } from './letters-section.tsx';
import { OfficeNote, OfficeSection } from './office-section.tsx';
import { CloseForm, LeaveForm, Section } from './parts.tsx';
import { PaymentsSection } from './payments-section.tsx';
import { PublicationSection } from './publication-section.tsx';
import { QuestionsOpen, QuestionsSection } from './questions.tsx';
import { OpenRoomSection, RecordingsSection, ScheduleSection } from './schedule-section.tsx';

interface OwnPageDocumentProps extends CardPageProps {
  view: OwnPageView;
  /** Whether the site has the measurement pixel; this page itself has none. */
  isMeasured: boolean;
}

/**
 * The page of one registration. It shows neither a postal code nor the last digits of her phone number: they
 * are her proof of identity for some acts, and the link may have reached a stranger.
 */
export function OwnPageDocument({ view, office, isMeasured, ...page }: OwnPageDocumentProps) {
  const { siteName } = view.edition.facts;
  return (
    <PlainDocument
      title={`${ownPageWords.title} – ${siteName}`}
      styles={page.styles}
      script={view.mayAct ? page.script : undefined}
      className="place"
    >
      <div className="place-sections" {...stripeAttributes(page.stripe)}>
        <OwnPageHead view={view} />
        <RecordingsSection view={view} />
        {hasPlace(view) && <OpenRoomSection view={view} />}
        <BalanceSection view={view} office={office} />
        <PaymentsSection view={view} />
        {hasPlace(view) && <ScheduleSection view={view} />}
        <QuestionsSection view={view} />
        <LettersSection view={view} />
        <PublicationSection view={view} />
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
  const news = newsOf(view);
  return (
    <header className="place-head">
      <OfficeNote view={view} />
      <p className="eyebrow">
        <a href="/">{view.edition.facts.title}</a>
      </p>
      <h1>{heading}</h1>
      <p className="lede">{lede}</p>
      {news && (
        <p className="place-news" role="status" tabIndex={-1}>
          {news}
        </p>
      )}
      {view.unreachable && <Unreachable view={view} />}
      <QuestionsOpen view={view} />
      <HandOverNote view={view} />
      {!view.mayAct && !view.asOffice && <p className="place-note">{ownPageWords.actsElsewhere}</p>}
    </header>
  );
}

/** Shown while her place is to be handed over. */
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
function Unreachable({ view: { registrant, standing, mayAct } }: { view: OwnPageView }) {
  const { email } = registrant;
  const owes = standing.kind === 'to-pay' || standing.kind === 'action-needed';
  return (
    <Section className="place-note place-unreachable" id="unreachable" title={words.title}>
      <p>{words.text(email)}</p>
      {owes && <p>{words.charge}</p>}
      {mayAct && (
        <p>
          <a href={formPaths.address}>{detailsWords.changeAddress}</a>
        </p>
      )}
      <p>{words.isRight(email)}</p>
    </Section>
  );
}

function hasPlace({ standing }: OwnPageView): boolean {
  return !['held', 'cancelling', 'cancelled', 'second-payment'].includes(standing.kind);
}

function headingOf(view: OwnPageView): [heading: string, lede: string] {
  const { now, edition, registrant, standing } = view;
  const { facts } = edition;
  const { firstName, lastName } = registrant;
  const words = ownPageWords;
  const about = [`${firstName} ${lastName}`, formatDateRange(facts.startDate, facts.endDate)] as const;
  if (standing.kind === 'second-payment') return [words.headingCancelled(firstName), words.second(...about)];
  if (standing.kind === 'held') return [words.headingCancelled(firstName), words.held(...about)];
  if (!hasPlace(view)) return [words.headingCancelled(firstName), words.cancelled(...about)];
  return now >= new Date(facts.endsAt)
    ? [words.headingOver(firstName), words.wasReserved(...about)]
    : [words.heading(firstName), words.reserved(...about)];
}

const JUST_NOW_MS = 30 * 60 * 1000;

/**
 * The result of her last press, in words. That she pays is told before she has: shown only if nothing is left to pay or, of
 * a payment plan, about a part that has arrived since.
 */
function newsOf({ told, standing, payments, now }: OwnPageView): string | undefined {
  if (told !== 'paid' || standing.kind === 'settled') return told && newsWords[told];
  const { part, paidAt } = payments.at(-1) ?? {};
  const isJustPaid = paidAt !== undefined && now.getTime() - paidAt.getTime() < JUST_NOW_MS;
  return part && isJustPaid ? partPaidNews(titleOfPart(part)) : undefined;
}
