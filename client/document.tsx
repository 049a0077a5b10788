import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { describeRetreat } from '#shared/content/structured-data.ts';
import { headScript } from '#shared/head/head-script.ts';
import {
  PAGE_LANGUAGE,
  SCRIPTS_ELEMENT_ID,
  type Scripts,
  type SiteState,
  STATE_ELEMENT_ID,
} from '#shared/page.ts';
import { PrivacyPanel } from './consent/privacy-panel.tsx';
import { StartFailed } from './islands/start-failed.tsx';
import { Page } from './page.tsx';
import { PageMetadata } from './page-metadata.tsx';

/** Addresses of the files that the build made. */
export interface PageAssets {
  /** The script that runs at load. */
  script: string;
  scripts: Scripts;
  /** The style sheet of the first view as text, so that the first paint needs no further request. */
  inlineStyle: string;
  /** The style sheet of everything below the first view. */
  laterStyle: string;
  /** The fonts of the first screen. */
  fonts: readonly string[];
}

interface DocumentProps {
  assets: PageAssets;
  /** The page's own address. */
  pageUrl: string;
  site: SiteState;
  /** The initial state of the browser's store. */
  state: object;
}

/** The whole document. Only the server renders it; the browser hydrates its islands. */
export function Document({ assets, pageUrl, site, state }: DocumentProps) {
  return (
    <html lang={PAGE_LANGUAGE}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <PageMetadata pageUrl={pageUrl} />
        <script
          // biome-ignore lint/security/noDangerouslySetInnerHtml: this site's own constant script
          dangerouslySetInnerHTML={{ __html: headScript }}
        />
        {assets.fonts.map((href) => (
          <link key={href} rel="preload" as="font" type="font/woff2" href={href} crossOrigin="" />
        ))}
        <style
          // biome-ignore lint/security/noDangerouslySetInnerHtml: this site's own style sheet
          dangerouslySetInnerHTML={{ __html: assets.inlineStyle }}
        />
        <script type="module" src={assets.script} />
        <JsonScript type="application/ld+json" value={describeRetreat(edition, page, { ...site, pageUrl })} />
      </head>
      <body>
        <Page />
        <StartFailed />
        <PrivacyPanel site={site} />
        <link rel="stylesheet" href={assets.laterStyle} />
        <JsonScript id={SCRIPTS_ELEMENT_ID} type="application/json" value={assets.scripts} />
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

/** JSON in a script element; every `<` is escaped, so that no value can end the element. */
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
