import {
  type ComponentPropsWithoutRef,
  type ComponentType,
  type ElementType,
  type MouseEvent,
  useState,
  useSyncExternalStore,
} from 'react';
import { keepProgress } from '#client/registration/progress/progress.ts';
import { Registration } from '#client/registration/registration.tsx';
import { type AppStore, selectSite, useAppSelector } from '#client/store/store.ts';
import { Photograph } from '#client/ui/picture.tsx';
import { ScheduleDays, type ScheduleZone, useScheduleZone } from '#client/ui/schedule.tsx';
import { SegmentedControl } from '#client/ui/segmented-control.tsx';
import { chooseTheme, readTheme, subscribeToTheme } from '#client/ui/theme.ts';
import { timetable, videos } from '#shared/content/compiled/on-sale.ts';
import type { VideoTestimonial } from '#shared/content/entities.ts';
import { pageFrame, sectionLinks, themeChoice } from '#shared/content/page-frame.ts';
import { CALENDAR_PATH, describeWayIn, scheduleByOwnDays, scheduleWords } from '#shared/content/schedule.ts';
import { findVideoEmbed, type VideoEmbed, videoWords } from '#shared/content/video-hosts.ts';
import { REGISTER_SECTION_ID, type Theme, TUITION_ID, themes } from '#shared/page.ts';

export interface IslandEntry {
  id: string;
  Content: ComponentType;
  /** Hydrated when the application starts; the other islands wait until a visitor comes near. */
  early?: true;
  /** Runs once the island is hydrated, before the presses made in it earlier are replayed. */
  onHydrated?: (store: AppStore) => Promise<void>;
}

/** Every part of the page that is hydrated. All else is HTML only: its code never reaches a browser. */
export const islands = [
  { id: 'menu', Content: SiteMenu, early: true },
  { id: 'schedule', Content: ScheduleTable },
  { id: 'videos', Content: Videos },
  { id: REGISTER_SECTION_ID, Content: Registration, onHydrated: keepProgress },
] as const satisfies readonly IslandEntry[];

type IslandId = (typeof islands)[number]['id'];

type IslandProps<Tag extends ElementType> = Omit<ComponentPropsWithoutRef<Tag>, 'as'> & {
  /** Its entry in `islands`, whose component is the one child. */
  island: IslandId;
  as?: Tag;
};

/**
 * An element whose content the browser hydrates, as a React root of its own. Components that the server
 * renders in it must not call `useId`: the server counts ids per page, the browser per island.
 */
export function Island<Tag extends ElementType = 'div'>({ island, as, ...attributes }: IslandProps<Tag>) {
  const Container: ElementType = as ?? 'div';
  return <Container {...attributes} data-island={island} />;
}

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

const pictures: Record<Theme, string> = {
  /** Half day, half night. */
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

/** The days, in the visitor's time zone beside the retreat's, or in that alone. */
export function ScheduleTable() {
  const zone = useScheduleZone();
  const { shown } = zone;
  return (
    <>
      <ZoneBar zone={zone} />
      <ScheduleDays
        days={shown ? scheduleByOwnDays(timetable, shown.timeZone, shown.hourCycle) : timetable.days}
        beside={shown && timetable.timeZone}
      />
      <p className="schedule-way-in">{describeWayIn(timetable, shown)}</p>
      <a className="schedule-calendar" href={CALENDAR_PATH}>
        {scheduleWords.addToCalendar}
      </a>
    </>
  );
}

/** The choice of time zone, and a note on the one that is shown. */
function ZoneBar({ zone }: { zone: ScheduleZone }) {
  return (
    <div className="schedule-zone">
      <SegmentedControl
        legend={scheduleWords.zoneChoice}
        name="schedule-zone"
        segments={[
          { value: 'retreat', label: timetable.timeZone.name },
          { value: 'own', label: scheduleWords.ownZone },
        ]}
        value={zone.choice}
        onChange={zone.choose}
      />
      <p role="status">{zone.note}</p>
    </div>
  );
}

/** The items of the list of videos. */
export function Videos() {
  return videos.map((video) => (
    <li key={video.src}>
      <VideoPlayer video={video} />
    </li>
  ));
}

const SIZE = { width: 640, height: 360 };

/** Plays a file inline; a video host's player is fetched only once the visitor asks for it. */
function VideoPlayer({ video }: { video: VideoTestimonial }) {
  const embed = findVideoEmbed(video.src);
  return (
    <figure className="video">
      {embed ? <EmbeddedVideo video={video} embed={embed} /> : <InlineVideo video={video} />}
    </figure>
  );
}

function InlineVideo({ video }: { video: VideoTestimonial }) {
  return (
    <>
      <video
        className="video-frame"
        controls
        playsInline
        preload="none"
        poster={video.poster.src}
        aria-label={video.label}
        {...SIZE}
      >
        <source src={video.src} type="video/mp4" />
        {video.captions?.map(({ src, language, label }) => (
          <track key={language} kind="captions" srcLang={language} label={label} src={src} />
        ))}
      </video>
      <figcaption>
        <span className="video-label">{video.label}</span>
      </figcaption>
    </>
  );
}

/** A page cannot detect whether the player loaded, so a link to the host's own page is shown beside it. */
function EmbeddedVideo({ video, embed }: { video: VideoTestimonial; embed: VideoEmbed }) {
  const [asked, setAsked] = useState(false);
  const play = (event: MouseEvent) => {
    event.preventDefault();
    setAsked(true);
  };
  return (
    <>
      {asked ? (
        <iframe
          ref={focusOnArrival}
          className="video-frame"
          src={embed.address}
          title={video.label}
          allow="autoplay; encrypted-media; fullscreen; picture-in-picture"
          {...SIZE}
        />
      ) : (
        <a className="video-frame video-facade" href={embed.page.address} onClick={play}>
          <Photograph of={video.poster} />
          <span className="video-play" aria-hidden="true" />
          <span className="visually-hidden">{`${videoWords.play} ${video.label}`}</span>
        </a>
      )}
      <figcaption>
        <span className="video-label">{video.label}</span>
        <span className="video-source">
          {asked ? <WatchAt page={embed.page} /> : `${videoWords.playsFrom} ${embed.host}`}
        </span>
      </figcaption>
    </>
  );
}

function WatchAt({ page: { name, address } }: Pick<VideoEmbed, 'page'>) {
  return (
    <>
      {videoWords.notPlaying}{' '}
      <a href={address} target="_blank" rel="noreferrer">
        {videoWords.watchAt} {name}, {videoWords.inNewTab}
      </a>
    </>
  );
}

/** The pressed link is gone; keep keyboard focus where it was. */
function focusOnArrival(frame: HTMLIFrameElement | null) {
  frame?.focus();
}
