import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { edition } from '#shared/content/edition.ts';
import { pageFrame } from '#shared/content/page-frame.ts';

/** The head of the page: whose page it is, and the shortest way to a place. */
export function SiteHeader() {
  return (
    <header className="site-header">
      <p className="site-name">{edition.siteName}</p>
      <ReserveLink label={pageFrame.reserveShort} className="button button--quiet" />
    </header>
  );
}
