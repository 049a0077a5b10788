import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { frameColor } from '#shared/content/compiled/on-sale/frame-color.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { PAGE_LOCALE } from '#shared/page.ts';

const { search } = page;

/** What browsers, search engines and link previews read of the page. */
export function PageMetadata({ pageUrl }: { pageUrl: string }) {
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

/** Open Graph tags, and the Twitter card tags that have other names. */
function LinkPreview({ pageUrl }: { pageUrl: string }) {
  const { card } = search;
  const picture = new URL(card.src, pageUrl).href;
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={facts.siteName} />
      <meta property="og:locale" content={PAGE_LOCALE} />
      <meta property="og:url" content={pageUrl} />
      <meta property="og:title" content={search.title} />
      <meta property="og:description" content={search.description} />
      <meta property="og:image" content={picture} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content={String(card.width)} />
      <meta property="og:image:height" content={String(card.height)} />
      <meta property="og:image:alt" content={card.alt} />
      <meta name="twitter:card" content="summary_large_image" />
      <meta name="twitter:title" content={search.title} />
      <meta name="twitter:description" content={search.description} />
      <meta name="twitter:image" content={picture} />
      <meta name="twitter:image:alt" content={card.alt} />
    </>
  );
}
