import { type MouseEvent, useSyncExternalStore } from 'react';
import { selectSite, useAppSelector } from '#client/store/store.ts';
import { SegmentedControl } from '#client/ui/segmented-control.tsx';
import { chooseTheme, readTheme, subscribeToTheme } from '#client/ui/theme.ts';
import { pageFrame, sectionLinks, themeChoice } from '#shared/content/page-frame.ts';
import { type Theme, TUITION_ID, themes } from '#shared/page.ts';

/**
 * The links to the sections, and the choice of theme. Following a link closes the menu where it is a popover.
 */
export function SiteMenu() {
  const { registrationOpen } = useAppSelector(selectSite);
  const links = sectionLinks.filter(({ id }) => registrationOpen || id !== TUITION_ID);
  const close = ({ currentTarget }: MouseEvent) =>
    currentTarget.closest<HTMLElement>('[popover]')?.togglePopover(false);
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

const pictures: Record<Theme, string> = {
  system: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 5v14a7 7 0 0 1 0-14z',
  light:
    'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM11 1.5h2v3.5h-2zM11 19h2v3.5h-2zM1.5 11H5v2H1.5zM19 11h3.5v2H19zM3.9 5.3l1.4-1.4 2.5 2.5-1.4 1.4zM16.2 17.6l1.4-1.4 2.5 2.5-1.4 1.4zM3.9 18.7l2.5-2.5 1.4 1.4-2.5 2.5zM16.2 6.4l2.5-2.5 1.4 1.4-2.5 2.5z',
  dark: 'M20.5 14.2A9 9 0 0 1 9.8 3.5a9 9 0 1 0 10.7 10.7z',
};

/** R1.15: as the device, light or dark. The server does not know the choice and renders the first option. */
function ThemeSwitch() {
  const theme = useSyncExternalStore(subscribeToTheme, readTheme, () => 'system' as const);
  return (
    <div className="theme-switch">
      <SegmentedControl
        legend={themeChoice.legend}
        name="theme"
        segments={themes.map((value) => ({
          value,
          label: themeChoice[value],
          picture: <ThemePicture theme={value} />,
        }))}
        value={theme}
        onChange={chooseTheme}
      />
    </div>
  );
}

function ThemePicture({ theme }: { theme: Theme }) {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" fillRule="evenodd" aria-hidden="true">
      <path d={pictures[theme]} />
    </svg>
  );
}
