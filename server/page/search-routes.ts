import type { IRouter } from 'express';
import type { AppConfig } from '#server/config/config.ts';
import { keptForAnHour } from '#server/http/cache-policy.ts';
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
