import type { IRouter } from 'express';
import { renderTermsDocument, renderTextDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { keptForAnHour, keptForSeconds } from '#server/http/cache-policy.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale/edition.ts';
import type { SitePageName } from '#shared/content/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { privacyPage } from '#shared/content/privacy-page.ts';
import {
  accessibilityPage,
  healthDataPage,
  legalPage,
  type SitePageOptions,
  sitePages,
  sitePagesOf,
  type TextPage,
} from '#shared/content/site-pages.ts';
import type { Assets } from './assets.ts';
import { pageUrl } from './due-page.ts';

const pageOf: Readonly<Record<SitePageName, (options: SitePageOptions) => TextPage>> = {
  privacy: privacyPage,
  accessibility: accessibilityPage,
  legal: legalPage,
  healthData: healthDataPage,
};

type OfPages = Pick<AppConfig, 'publicUrl' | 'office' | 'pixel'>;

/** The URL of each page about the site that there is. */
function sitePageUrls({ publicUrl, pixel }: OfPages): Map<SitePageName, string> {
  const names = sitePagesOf(onSale, pixel !== undefined);
  return new Map(names.map((name) => [name, new URL(sitePages[name].path, publicUrl).href]));
}

/** `GET /robots.txt` and `GET /sitemap.xml`: search engines may index the landing page, and the pages about the site. */
export function addSearchRoutes(app: IRouter, config: OfPages): void {
  const page = pageUrl(config);
  const robots = `User-agent: *\nAllow: /\n\nSitemap: ${new URL('/sitemap.xml', page).href}\n`;
  const urls = [page, ...sitePageUrls(config).values()].map((url) => `  <url><loc>${url}</loc></url>\n`);
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('')}</urlset>
`;
  app.get('/robots.txt', (_req, res) => {
    res.type('text/plain').set(keptForAnHour).send(robots);
  });
  app.get('/sitemap.xml', (_req, res) => {
    res.type('application/xml').set(keptForAnHour).send(sitemap);
  });
}

/**
 * `GET /terms/:version`: each version of each edition's terms, as registrants agreed to it. Rendered once at
 * start; other versions are not routes, so they get the site's 404 page.
 */
export function addTermsRoutes(
  app: IRouter,
  { office, pixel }: Pick<AppConfig, 'office' | 'pixel'>,
  { plainStyle }: Assets,
): void {
  const shown = { styles: [plainStyle], office: contactOf(office), isMeasured: pixel !== undefined };
  for (const { facts, agreed } of editions)
    for (const terms of agreed) {
      const html = renderTermsDocument({ facts, terms, ...shown });
      addFixed(app, termsPathOf(facts, terms), html);
    }
}

/** `GET /privacy` and so on: the pages about the site, rendered once at start. */
export function addSitePages(app: IRouter, config: OfPages, { plainStyle }: Assets): void {
  const isMeasured = config.pixel !== undefined;
  const options = { edition: onSale, office: contactOf(config.office), isMeasured };
  for (const [name, canonical] of sitePageUrls(config)) {
    const page = pageOf[name](options);
    const { siteName } = onSale.facts;
    const html = renderTextDocument({ page, siteName, styles: [plainStyle], canonical, isMeasured });
    addFixed(app, sitePages[name].path, html);
  }
}

function addFixed(app: IRouter, path: string, html: string): void {
  app.get(path, (_req, res) => {
    res.type('html').set(keptForSeconds).send(html);
  });
}
