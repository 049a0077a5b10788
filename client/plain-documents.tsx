import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { Facts, Terms } from '#shared/content/edition.ts';
import { failurePage, homeLink, notFoundPage, termsPage } from '#shared/content/plain-pages.ts';
import { policiesOf } from '#shared/content/policies.ts';
import { sectionOf } from '#shared/content/site-pages.ts';
import { formatDateRange } from '#shared/dates.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import type { OfficeContact } from '#shared/page.ts';
import { TextDocument } from './text-document.tsx';
import { PlainDocument } from './ui/plain-document.tsx';
import { SitePageLinks } from './ui/site-page-links.tsx';

interface ErrorDocumentProps {
  /** The HTTP status of the response: 404, or that of any other failure. */
  status: number;
  styles: readonly string[];
  office: { email: string; phone: string };
  isMeasured: boolean;
}

/** Shown for a page that does not exist or cannot be rendered. A whole page, without a script or store. */
export function ErrorDocument({ status, styles, office, isMeasured }: ErrorDocumentProps) {
  const missing = status === 404;
  const { title, text } = missing ? notFoundPage : failurePage;
  return (
    <PlainDocument title={`${title} – ${facts.siteName}`} styles={styles} className="error-page">
      <h1>{title}</h1>
      <p>{text}</p>
      {!missing && (
        <p>
          <a href={mailLink(office.email)}>{office.email}</a>
          <br />
          <a href={phoneLink(office.phone)}>{office.phone}</a>
        </p>
      )}
      <a className="button" href="/">
        {homeLink}
      </a>
      <SitePageLinks isMeasured={isMeasured} />
    </PlainDocument>
  );
}

interface TermsDocumentProps {
  facts: Facts;
  terms: Terms;
  styles: readonly string[];
  office: OfficeContact;
  isMeasured: boolean;
}

/** One version of an edition's terms. */
export function TermsDocument({ facts, terms, office, ...shown }: TermsDocumentProps) {
  const { title, siteName, startDate, endDate } = facts;
  const page = {
    title: termsPage.title,
    eyebrow: `${title}, ${formatDateRange(startDate, endDate)}`,
    lede: termsPage.version(terms.version),
    sections: policiesOf(terms, office, siteName).map(sectionOf),
    closing: [termsPage.frozen, `${termsPage.digest} ${terms.digest}`],
  };
  return <TextDocument page={page} siteName={siteName} {...shown} />;
}
