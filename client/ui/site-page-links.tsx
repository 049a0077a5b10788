import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { sitePages, sitePagesOf } from '#shared/content/site-pages.ts';

/**
 * Links to the pages about the site.
 * @param isMeasured whether the site has the measurement pixel: there is then a page about health data
 */
export function SitePageLinks({ isMeasured }: { isMeasured: boolean }) {
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
