import type { Facts, Terms } from '#shared/content/edition.ts';
import { homeLink } from '#shared/content/error-pages.ts';
import { policiesOf } from '#shared/content/policies.ts';
import { termsPage } from '#shared/content/terms-page.ts';
import { formatDateRange } from '#shared/dates.ts';
import type { OfficeContact } from '#shared/page.ts';
import { PlainDocument } from './ui/plain-document.tsx';
import { type Replacement, withReplacements } from './ui/with-replacements.tsx';

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
