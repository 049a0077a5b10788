import type { ReactNode } from 'react';
import { themeScript } from '#shared/head/theme-script.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';

interface PlainDocumentProps {
  title: string;
  styles: readonly string[];
  /** What it runs; absent for a page that needs none. */
  script?: string | undefined;
  /** Of its main part. */
  className: string;
  children: ReactNode;
}

/** A whole page in the site's style that is complete without a script, has no store, and that search engines leave out. */
export function PlainDocument({ title, styles, script, className, children }: PlainDocumentProps) {
  return (
    <html lang={PAGE_LANGUAGE}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <script
          // biome-ignore lint/security/noDangerouslySetInnerHtml: this site's own constant script
          dangerouslySetInnerHTML={{ __html: themeScript }}
        />
        {styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {script && <script type="module" src={script} />}
      </head>
      <body>
        <main className={className}>{children}</main>
      </body>
    </html>
  );
}
