import type { IRouter } from 'express';
import { renderTermsDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { keptForAnHour, keptForSeconds } from '#server/http/cache-policy.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import type { Assets } from './assets.ts';
import { pageUrl } from './due-page.ts';

/** `GET /robots.txt` and `GET /sitemap.xml`: search engines may index the site, which has one page. */
export function addSearchRoutes(app: IRouter, config: AppConfig): void {
  const page = pageUrl(config);
  const robots = `User-agent: *\nAllow: /\n\nSitemap: ${new URL('/sitemap.xml', page).href}\n`;
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>${page}</loc></url>
</urlset>
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
  { office }: Pick<AppConfig, 'office'>,
  { style, laterStyle }: Assets,
): void {
  for (const { facts, agreed } of editions) {
    for (const terms of agreed) {
      const styles = [style, laterStyle];
      const html = renderTermsDocument({ facts, terms, styles, office: contactOf(office) });
      app.get(termsPathOf(facts, terms), (_req, res) => {
        res.type('html').set(keptForSeconds).send(html);
      });
    }
  }
}
