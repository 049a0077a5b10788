import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { clockOf, ScheduleDays } from '#client/ui/schedule.tsx';
import { SegmentedControl } from '#client/ui/segmented-control.tsx';
import { timetable } from '#shared/content/compiled/on-sale.ts';
import {
  CALENDAR_PATH,
  daysDiffer,
  describeWayIn,
  scheduleByOwnDays,
  scheduleWords,
} from '#shared/content/schedule.ts';
import { formatTimeZone, ownTimeZone, zonesAgree } from '#shared/zoned-time.ts';

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

type ZoneChoice = 'retreat' | 'own';

type ScheduleZone = ReturnType<typeof useScheduleZone>;

/** The visitor's time zone where it has other hours; the retreat's in the server's HTML, and where she asks for it. */
function useScheduleZone() {
  const [chosen, choose] = useState<ZoneChoice>();
  useEffect(() => {
    const section = document.getElementById('schedule');
    if (!section) return;
    // Not before she comes near: the first use of `Intl` takes a slow phone 100 ms. Budget: tbt.
    const near = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        near.disconnect();
        // At once: a moment later she may have come to what moves.
        if (opensInOwnZone(section)) flushSync(() => choose((already) => already ?? 'own'));
      },
      { rootMargin: '100% 0px' },
    );
    near.observe(section);
    return () => near.disconnect();
  }, []);
  const choice = chosen ?? 'retreat';
  const own = choice === 'own' ? ownTimeZone() : '';
  const shown = choice === 'own' ? clockOf(own) : undefined;
  return { choice, choose, shown, note: noteOf(choice, own) };
}

/**
 * Other hours take the same room. Other days do not, so they are shown only before she comes to them, and not while a link
 * leads her past them; nor does the schedule without its choice, which schedule.css hides (`data-same-hours`) from a visitor
 * whose hours are the retreat's.
 */
function opensInOwnZone(section: HTMLElement): boolean {
  const own = ownTimeZone();
  if (own === '') return false;
  const mayMove = section.getBoundingClientRect().top >= innerHeight && !document.querySelector(':target');
  const moments = timetable.sessions.map(({ startsAt }) => new Date(startsAt));
  const hasSameHours = zonesAgree(moments, timetable.timeZone.id, own);
  if (hasSameHours && mayMove) document.documentElement.dataset.sameHours = '';
  return !hasSameHours && (mayMove || !daysDiffer(timetable, own));
}

function noteOf(choice: ZoneChoice, own: string): string {
  if (choice === 'retreat') return scheduleWords.zoneNote(timetable);
  if (own === '') return scheduleWords.unknownZoneNote(timetable);
  return scheduleWords.ownZoneNote(formatTimeZone(own), daysDiffer(timetable, own));
}
