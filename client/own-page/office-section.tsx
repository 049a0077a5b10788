import { describeCancelling } from '#shared/content/own-page-cancel.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { formatDateRange } from '#shared/dates.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { OfficeContact } from '#shared/page.ts';
import { Section } from './parts.tsx';

const words = ownPageWords.office;

/** Links for what only the office can do. The subject of a mail started here names her registration. */
export function OfficeSection({ view, office }: { view: OwnPageView; office: OfficeContact }) {
  const { standing, termsPath, now, edition } = view;
  const isOver = now >= new Date(edition.facts.endsAt);
  const isCancelled = ['cancelling', 'cancelled', 'second-payment'].includes(standing.kind);
  const owes = 'cents' in standing && !isCancelled && !['by-check', 'over', 'held'].includes(standing.kind);
  const cancelsHere = view.offer !== undefined && view.mayAct;
  const mailto = (subject: string) => mailLink(office.officeEmail, `${subject}: ${nameRegistration(view)}`);
  return (
    <Section className="place-office" id="office" title={words.title}>
      <ul className="office-list">
        {owes && (
          <li>
            <a href={mailto(words.subjects.plan)}>{view.plan ? words.changePlan : words.plan}</a>
            <p>{(view.plan ? words.changePlanNote : words.planNote)(view.edition.facts)}</p>
          </li>
        )}
        {!isCancelled && !isOver && (
          <li>
            <a href={cancelsHere ? formPaths.cancel : mailto(words.subjects.cancel)}>{words.cancel}</a>
            <p>{describeWay(view)}</p>
          </li>
        )}
        <li>
          <a href={mailto(words.subjects.question)}>{words.question}</a>
        </li>
        {termsPath && (
          <li>
            <a href={termsPath}>{words.policies}</a>
          </li>
        )}
      </ul>
      <p>{words.reach}</p>
      <OfficeWays office={office} />
    </Section>
  );
}

/** How she can cancel at the moment, and what cancelling means if something is still to be charged. */
function describeWay(view: OwnPageView): string {
  if (view.standing.kind === 'held') return words.cancelHeld;
  if (!view.offer) return words.cancelDisputed;
  const way = view.mayAct ? words.cancelHere : words.cancelElsewhere;
  return [way, describeCancelling(view)].filter(Boolean).join(' ');
}

/** Her name, the retreat, and the payment reference by which the office finds her registration. */
function nameRegistration({ registrant, edition: { facts }, payments }: OwnPageView): string {
  const { firstName, lastName } = registrant;
  const dates = formatDateRange(facts.startDate, facts.endDate);
  const [deposit] = payments;
  const reference = deposit?.reference ? ` (${deposit.reference})` : '';
  return `${firstName} ${lastName}, ${facts.title}, ${dates}${reference}`.replaceAll('\u00a0', ' ');
}

/** The office's e-mail address and phone number, as links. */
export function OfficeWays({ office: { officeEmail, officePhone } }: { office: OfficeContact }) {
  return (
    <p className="office-ways">
      <a href={mailLink(officeEmail)}>{officeEmail}</a>
      <a href={phoneLink(officePhone)}>{officePhone}</a>
    </p>
  );
}

/** Stands first on each of her pages while a user of the office sees it. */
export function OfficeNote({ view }: { view: OwnPageView }) {
  return view.asOffice ? <p className="place-note">{ownPageWords.asOffice}</p> : null;
}
