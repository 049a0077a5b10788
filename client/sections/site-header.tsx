import { useRef } from 'react';
import { useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { ThemeSwitch } from '#client/ui/theme-switch.tsx';
import { edition } from '#shared/content/edition.ts';
import { pageFrame, sectionLinks } from '#shared/content/page-frame.ts';
import { TUITION_ID } from '#shared/page.ts';

const MENU_ID = 'site-menu';

/** The head of the page: whose page it is, the ways into it, and the shortest way to a place. */
export function SiteHeader() {
  return (
    <header className="site-header">
      <p className="site-name">{edition.siteName}</p>
      <button type="button" className="button button--quiet site-menu-button" popoverTarget={MENU_ID}>
        {pageFrame.menuLabel}
      </button>
      <SiteMenu />
      <ReserveLink
        label={pageFrame.reserveShort}
        closedLabel={pageFrame.askShort}
        doneLabel={pageFrame.reservedShort}
        className="button button--quiet site-reserve"
      />
    </header>
  );
}

/** A row where there is room, elsewhere a popover, which opens and closes without any script. */
function SiteMenu() {
  const { registrationOpen } = useAppSelector(selectSite);
  const links = sectionLinks.filter(({ id }) => registrationOpen || id !== TUITION_ID);
  const menu = useRef<HTMLDivElement>(null);
  const close = () => {
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover();
  };
  return (
    <div ref={menu} id={MENU_ID} className="site-menu" popover="auto">
      <nav aria-label={pageFrame.sectionLinksLabel}>
        <ul className="site-links">
          {links.map(({ id, label }) => (
            <li key={id}>
              <a href={`#${id}`} onClick={close}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <ThemeSwitch />
    </div>
  );
}
