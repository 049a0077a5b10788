import type { Facts, Terms } from '#shared/content/edition.ts';
import { homeLink } from '#shared/content/error-pages.ts';
import { policiesOf } from '#shared/content/policies.ts';
import { termsPage } from '#shared/content/terms-page.ts';
import { formatDateRange } from '#shared/dates.ts';
import { themeScript } from '#shared/head/theme-script.ts';
import { type OfficeContact, PAGE_LANGUAGE } from '#shared/page.ts';

interface TermsDocumentProps {
  facts: Facts;
  terms: Terms;
  styles: readonly string[];
  office: OfficeContact;
}

/** A whole page with a version of an edition's terms, to read, keep and print; it needs no script and no store. */
export function TermsDocument({ facts, terms, styles, office }: TermsDocumentProps) {
  const { title, siteName, startDate, endDate } = facts;
  return (
    <html lang={PAGE_LANGUAGE}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${termsPage.title} – ${siteName}`}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <script
          // biome-ignore lint/security/noDangerouslySetInnerHtml: this site's own constant script
          dangerouslySetInnerHTML={{ __html: themeScript }}
        />
        {styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
      </head>
      <body>
        <main className="terms-page">
          <p className="eyebrow">{`${title}, ${formatDateRange(startDate, endDate)}`}</p>
          <h1>{termsPage.title}</h1>
          <p className="lede">{termsPage.version(terms.version)}</p>
          {policiesOf(terms, office, siteName).map((policy) => (
            <section key={policy.title}>
              <h2>{policy.title}</h2>
              {policy.paragraphs.map((paragraph) => (
                <p key={paragraph}>{paragraph}</p>
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
        </main>
      </body>
    </html>
  );
}
