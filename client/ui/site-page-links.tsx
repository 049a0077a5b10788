import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { sitePages } from '#shared/content/site-page-table.ts';
import { sitePagesOf } from '#shared/content/site-pages.ts';

/** Links to the pages about the site. */
export function SitePageLinks({ isMeasured = false }: { isMeasured?: boolean }) {
  return (
    <p className="page-links">
      {sitePagesOf(edition, isMeasured).map((name) => (
        <a key={name} href={sitePages[name].path}>
          {sitePages[name].title}
        </a>
      ))}
    </p>
  );
}
