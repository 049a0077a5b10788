import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { failurePage, homeLink, notFoundPage } from '#shared/content/error-pages.ts';
import { themeScript } from '#shared/head/theme-script.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';

interface ErrorDocumentProps {
  /** The answer's status: 404, or any other failure's. */
  status: number;
  styles: readonly string[];
  office: { email: string; phone: string };
}

/** A whole page that stands in for one that is not there or cannot be made; it needs no script and no store. */
export function ErrorDocument({ status, styles, office }: ErrorDocumentProps) {
  const missing = status === 404;
  const { title, text } = missing ? notFoundPage : failurePage;
  return (
    <html lang={PAGE_LANGUAGE}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} – ${facts.siteName}`}</title>
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
        <main className="error-page">
          <h1>{title}</h1>
          <p>{text}</p>
          {!missing && (
            <p>
              <a href={`mailto:${office.email}`}>{office.email}</a>
              <br />
              <a href={`tel:${office.phone.replace(/[^\d+]/g, '')}`}>{office.phone}</a>
            </p>
          )}
          <a className="button" href="/">
            {homeLink}
          </a>
        </main>
      </body>
    </html>
  );
}
