import { edition, facts, frameColor, page } from '#shared/content/compiled/on-sale.ts';
import { lazyPartCopy } from '#shared/content/page-frame.ts';
import { describeRetreat } from '#shared/content/structured-data.ts';
import { headScript } from '#shared/head/head-script.ts';
import {
  PAGE_LANGUAGE,
  PAGE_LOCALE,
  type SiteState,
  STATE_ELEMENT_ID,
  STEPPER_ELEMENT_ID,
} from '#shared/page.ts';
import { PrivacyPanel } from './consent/privacy-panel.tsx';
import { Page } from './page.tsx';
import { FontPreloads } from './ui/plain-documents.tsx';

export interface PageAssets {
  script: string;
  scriptImports: readonly string[];
  stepper: readonly string[];
  /** The style sheet of the first view as text, so that the first paint needs no further request. */
  inlineStyle: string;
  laterStyle: string;
  fonts: readonly string[];
}

interface DocumentProps {
  assets: PageAssets;
  pageUrl: string;
  site: SiteState;
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
        <FontPreloads of={assets.fonts} />
        <style
          // biome-ignore lint/security/noDangerouslySetInnerHtml: this site's own style sheet
          dangerouslySetInnerHTML={{ __html: assets.inlineStyle }}
        />
        <JsonScript type="application/ld+json" value={describeRetreat(edition, page, { ...site, pageUrl })} />
      </head>
      <body>
        <Page />
        <StartFailed />
        <PrivacyPanel site={site} />
        <link rel="stylesheet" href={assets.laterStyle} />
        <JsonScript id={STEPPER_ELEMENT_ID} type="application/json" value={assets.stepper} />
        <JsonScript id={STATE_ELEMENT_ID} type="application/json" value={state} />
        {assets.scriptImports.map((href) => (
          <link key={href} rel="modulepreload" href={href} fetchPriority="low" />
        ))}
        <script type="module" src={assets.script} fetchPriority="low" />
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

const { search } = page;

function PageMetadata({ pageUrl }: { pageUrl: string }) {
  return (
    <>
      <title>{search.title}</title>
      <meta name="description" content={search.description} />
      <link rel="canonical" href={pageUrl} />
      <meta name="color-scheme" content="light dark" />
      <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no" />
      <meta name="theme-color" content={frameColor.light} media="(prefers-color-scheme: light)" />
      <meta name="theme-color" content={frameColor.dark} media="(prefers-color-scheme: dark)" />
      <LinkPreview pageUrl={pageUrl} />
      <link rel="icon" href="/favicon.ico" sizes="32x32" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      <link rel="manifest" href="/site.webmanifest" />
    </>
  );
}

function LinkPreview({ pageUrl }: { pageUrl: string }) {
  const { img, alt } = search.card;
  const picture = new URL(img.src, pageUrl).href;
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={facts.siteName} />
      <meta property="og:locale" content={PAGE_LOCALE} />
      <meta property="og:url" content={pageUrl} />
      <meta property="og:title" content={search.title} />
      <meta property="og:description" content={search.description} />
      <meta property="og:image" content={picture} />
      <meta property="og:image:type" content={`image/${img.src.split('.').at(-1)}`} />
      <meta property="og:image:width" content={String(img.width)} />
      <meta property="og:image:height" content={String(img.height)} />
      <meta property="og:image:alt" content={alt} />
      <meta name="twitter:card" content="summary_large_image" />
      <meta name="twitter:title" content={search.title} />
      <meta name="twitter:description" content={search.description} />
      <meta name="twitter:image" content={picture} />
      <meta name="twitter:image:alt" content={alt} />
    </>
  );
}

/** Shown by the style sheet once a press cannot be answered, because the page's script has failed to load. */
function StartFailed() {
  return (
    <div className="start-failed" role="alert">
      <p>{lazyPartCopy.notStarted}</p>
      <p>
        <a className="button" href="/">
          {lazyPartCopy.reload}
        </a>
      </p>
    </div>
  );
}
