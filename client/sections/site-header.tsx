import { Island } from '#client/islands/island.tsx';
import { SiteMenu } from '#client/islands/site-menu.tsx';
import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { pageFrame } from '#shared/content/page-frame.ts';

const MENU_ID = 'site-menu';

/** The page's header: the site's name, the menu, and the call to action. */
export function SiteHeader() {
  return (
    <header className="site-header">
      <p className="site-name">{facts.siteName}</p>
      <button type="button" className="button button--quiet site-menu-button" popoverTarget={MENU_ID}>
        {pageFrame.menuLabel}
      </button>
      {/* A row where there is room, otherwise a popover, which opens and closes without a script. */}
      <Island island="menu" id={MENU_ID} className="site-menu" popover="auto">
        <SiteMenu />
      </Island>
      <ReserveLink
        label={pageFrame.reserveShort}
        closedLabel={pageFrame.askShort}
        doneLabel={pageFrame.reservedShort}
        className="button button--quiet site-reserve"
      />
    </header>
  );
}
