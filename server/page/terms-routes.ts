import type { IRouter } from 'express';
import { renderTermsDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { keptForSeconds } from '#server/http/cache-policy.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import type { Assets } from './assets.ts';

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
