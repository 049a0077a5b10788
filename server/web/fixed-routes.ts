import type { IRouter } from 'express';
import { ErrorDocument, renderDocument, TermsDocument, TextDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale.ts';
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
import { mailLink } from '#shared/mail-and-phone.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';
import type { RenderErrorPage } from './app-error.ts';
import type { Assets } from './assets.ts';
import { keptForAnHour, keptForSeconds } from './cache-policy.ts';
import { pageUrl } from './due-page.ts';
import { type FinishedPage, finishPage, sendPage } from './representation.ts';

const pageOf: Readonly<Record<SitePageName, (options: SitePageOptions) => TextPage>> = {
  privacy: privacyPage,
  accessibility: accessibilityPage,
  legal: legalPage,
  healthData: healthDataPage,
};

const lookOf = ({ plainStyle: styleSheet, fonts }: Assets) => ({ styleSheet, fonts });

type OfPages = Pick<AppConfig, 'publicUrl' | 'office' | 'pixelId'>;

function sitePageUrls({ publicUrl, pixelId }: OfPages): Map<SitePageName, string> {
  const names = sitePagesOf(pixelId !== undefined);
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
 * `GET /terms/:version`: each version of each edition's terms, as registrants agreed to it; other versions are not
 * routes, so they get the site's 404 page. `GET /terms` leads to the current one.
 */
export function addTermsRoutes(
  app: IRouter,
  { office, pixelId }: Pick<AppConfig, 'office' | 'pixelId'>,
  assets: Assets,
): void {
  app.get('/terms', (_req, res) => {
    res.set(keptForSeconds).redirect(termsPathOf(onSale.facts, onSale.terms));
  });
  const shown = { look: lookOf(assets), office: contactOf(office), isMeasured: pixelId !== undefined };
  for (const { facts, agreed } of editions)
    for (const terms of agreed)
      addFixed(app, termsPathOf(facts, terms), () =>
        renderDocument(TermsDocument, { facts, terms, ...shown }),
      );
}

/** `GET /privacy` and so on: the pages about the site. */
export function addSitePages(app: IRouter, config: OfPages, assets: Assets): void {
  const isMeasured = config.pixelId !== undefined;
  const options = { edition: onSale, office: contactOf(config.office), isMeasured };
  const { siteName } = onSale.facts;
  for (const [name, canonical] of sitePageUrls(config))
    addFixed(app, sitePages[name].path, () => {
      const page = pageOf[name](options);
      return renderDocument(TextDocument, { page, siteName, look: lookOf(assets), canonical, isMeasured });
    });
}

/** Rendered and compressed at its first request. */
function addFixed(app: IRouter, path: string, render: () => string): void {
  let page: Promise<FinishedPage> | undefined;
  app.get(path, async (_req, res) => {
    page ??= finishPage(Buffer.from(render()), keptForSeconds);
    sendPage(res, await page);
  });
}

const NOT_FOUND = 404;
const FAILED = 500;

/**
 * The error pages for people, rendered once at start, so that rendering cannot fail later. Refused requests
 * show the page for a URL that does not exist.
 */
export function createErrorPages(
  { office, pixelId }: Pick<AppConfig, 'office' | 'pixelId'>,
  assets: Assets,
): RenderErrorPage {
  const shown = { look: lookOf(assets), office, isMeasured: pixelId !== undefined };
  const render = (status: number): Buffer => Buffer.from(renderDocument(ErrorDocument, { status, ...shown }));
  const [notFound, failed] = [render(NOT_FOUND), render(FAILED)];
  return (status) => (status < FAILED ? notFound : failed);
}

/** @see https://www.rfc-editor.org/rfc/rfc9116#section-3 */
export const SECURITY_TXT_PATH = '/.well-known/security.txt';

/** Far enough that no cache shows it expired, and less than the year that the RFC advises. */
const VALID_DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Whom to tell of a weakness of the site. It is valid for half a year from the beginning of the day. */
export function securityTxt(
  { publicUrl, office }: Pick<AppConfig, 'publicUrl' | 'office'>,
  now: Date,
): string {
  const expires = new Date((Math.floor(now.getTime() / DAY_MS) + VALID_DAYS) * DAY_MS);
  return [
    `Contact: ${mailLink(office.email)}`,
    `Expires: ${expires.toISOString()}`,
    `Preferred-Languages: ${PAGE_LANGUAGE}`,
    `Canonical: ${new URL(SECURITY_TXT_PATH, publicUrl).href}`,
    '',
  ].join('\n');
}

/** `GET /.well-known/security.txt`, by this machine's clock also where business dates are moved. */
export function addSecurityTxt(app: IRouter, config: Pick<AppConfig, 'publicUrl' | 'office'>): void {
  app.get(SECURITY_TXT_PATH, (_req, res) => {
    res.type('text/plain').set(keptForAnHour).send(securityTxt(config, new Date()));
  });
}
