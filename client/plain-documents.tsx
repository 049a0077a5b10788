import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { Facts, Terms } from '#shared/content/edition.ts';
import { failurePage, homeLink, notFoundPage, termsPage } from '#shared/content/plain-pages.ts';
import { policiesOf } from '#shared/content/policies.ts';
import { formatDateRange } from '#shared/dates.ts';
import { mailLink } from '#shared/mail-link.ts';
import type { OfficeContact } from '#shared/page.ts';
import { phoneLink } from '#shared/phone-number.ts';
import { PlainDocument } from './ui/plain-document.tsx';
import { type Replacement, withReplacements } from './ui/with-replacements.tsx';

interface ErrorDocumentProps {
  /** The HTTP status of the response: 404, or that of any other failure. */
  status: number;
  styles: readonly string[];
  office: { email: string; phone: string };
}

/** Shown for a page that does not exist or cannot be rendered. A whole page, without a script or store. */
export function ErrorDocument({ status, styles, office }: ErrorDocumentProps) {
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
    </PlainDocument>
  );
}

interface TermsDocumentProps {
  facts: Facts;
  terms: Terms;
  styles: readonly string[];
  office: OfficeContact;
}

/** The agreed text has a plain hyphen, at which a narrow screen would break the word. */
const WHOLE_WORDS: Replacement[] = [
  [
    'e-mail',
    <span key="e-mail" className="whole-word">
      e-mail
    </span>,
  ],
];

/**
 * A whole page with one version of an edition's terms, to read, keep and print; needs no script and no store.
 */
export function TermsDocument({ facts, terms, styles, office }: TermsDocumentProps) {
  const { title, siteName, startDate, endDate } = facts;
  return (
    <PlainDocument title={`${termsPage.title} – ${siteName}`} styles={styles} className="terms-page">
      <p className="eyebrow">{`${title}, ${formatDateRange(startDate, endDate)}`}</p>
      <h1>{termsPage.title}</h1>
      <p className="lede">{termsPage.version(terms.version)}</p>
      {policiesOf(terms, office, siteName).map((policy) => (
        <section key={policy.title}>
          <h2>{policy.title}</h2>
          {policy.paragraphs.map((paragraph) => (
            <p key={paragraph}>{withReplacements(paragraph, WHOLE_WORDS)}</p>
          ))}
        </section>
      ))}
      <footer>
        <p>{termsPage.frozen}</p>
        <p>
          {termsPage.digest} <code>{terms.digest}</code>
        </p>
      </footer>
      <a className="button button--quiet" href="/">
        {homeLink}
      </a>
    </PlainDocument>
  );
}
