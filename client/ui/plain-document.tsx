import type { ReactNode } from 'react';
import { themeScript } from '#shared/head/head-script.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';

interface PlainDocumentProps {
  title: string;
  styles: readonly string[];
  /** The address of the page's script; absent for a page without one. */
  script?: string | undefined;
  /** The address under which search engines list the page; they must not list one without it. */
  canonical?: string | undefined;
  /** The class of the `main` element. */
  className: string;
  children: ReactNode;
}

/** A whole page in the site's style, without a store, that works without a script. */
export function PlainDocument({ title, styles, script, canonical, className, children }: PlainDocumentProps) {
  return (
    <html lang={PAGE_LANGUAGE}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {canonical ? <link rel="canonical" href={canonical} /> : <meta name="robots" content="noindex" />}
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
