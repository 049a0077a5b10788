import { metadata } from '#shared/content/metadata.ts';
import { describeRetreat } from '#shared/content/structured-data.ts';
import { ROOT_ELEMENT_ID, STATE_ELEMENT_ID } from '#shared/page.ts';
import { themeScript } from '#shared/theme.ts';
import { PageMetadata } from './page-metadata.tsx';

/** Where the browser finds what the build made. */
export interface PageAssets {
  script: string;
  style: string;
  preload: readonly string[];
  /** The fonts of the first screen. */
  fonts: readonly string[];
}

interface DocumentProps {
  assets: PageAssets;
  /** The page's own address. */
  pageUrl: string;
  registrationOpen: boolean;
  state: object;
  /** Stands where the application goes. */
  children: string;
}

/** The HTML around the application. Only the server renders it; the browser takes over its root element. */
export function Document({ assets, pageUrl, registrationOpen, state, children }: DocumentProps) {
  return (
    <html lang={metadata.language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <PageMetadata pageUrl={pageUrl} />
        <script
          // biome-ignore lint/security/noDangerouslySetInnerHtml: this site's own constant script
          dangerouslySetInnerHTML={{ __html: themeScript }}
        />
        {assets.fonts.map((href) => (
          <link key={href} rel="preload" as="font" type="font/woff2" href={href} crossOrigin="" />
        ))}
        <link rel="stylesheet" href={assets.style} />
        {assets.preload.map((href) => (
          <link key={href} rel="modulepreload" href={href} />
        ))}
        <script type="module" src={assets.script} />
        <JsonScript type="application/ld+json" value={describeRetreat({ pageUrl, registrationOpen })} />
      </head>
      <body>
        <div id={ROOT_ELEMENT_ID}>{children}</div>
        <JsonScript id={STATE_ELEMENT_ID} type="application/json" value={state} />
      </body>
    </html>
  );
}

interface JsonScriptProps {
  id?: string;
  type: 'application/json' | 'application/ld+json';
  value: object;
}

/** Data that no value can break out of: every `<` is escaped. */
function JsonScript({ value, ...attributes }: JsonScriptProps) {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return (
    <script
      {...attributes}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON with every `<` escaped
      dangerouslySetInnerHTML={{ __html: json }}
    />
  );
}
