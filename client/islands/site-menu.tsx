import type { MouseEvent } from 'react';
import { selectSite } from '#client/store/site-slice.ts';
import { useAppSelector } from '#client/store/store.ts';
import { ThemeSwitch } from '#client/ui/theme-switch.tsx';
import { pageFrame, sectionLinks } from '#shared/content/page-frame.ts';
import { TUITION_ID } from '#shared/page.ts';

/**
 * The links to the sections, and the choice of theme. Following a link closes the menu where it is a popover.
 */
export function SiteMenu() {
  const { registrationOpen } = useAppSelector(selectSite);
  const links = sectionLinks.filter(({ id }) => registrationOpen || id !== TUITION_ID);
  const close = ({ currentTarget }: MouseEvent) =>
    currentTarget.closest<HTMLElement>('[popover]')?.togglePopover?.(false);
  return (
    <>
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
    </>
  );
}
