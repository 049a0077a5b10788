import { ScheduleDays } from '#client/ui/schedule-days.tsx';
import { SegmentedControl } from '#client/ui/segmented-control.tsx';
import { type ScheduleZone, useScheduleZone } from '#client/ui/use-schedule-zone.ts';
import { timetable } from '#shared/content/compiled/on-sale/timetable.ts';
import { CALENDAR_PATH, describeWayIn, scheduleByOwnDays, scheduleWords } from '#shared/content/schedule.ts';

/** The days, in the retreat's time zone or in the visitor's own. */
export function ScheduleTable() {
  const zone = useScheduleZone();
  const { shown } = zone;
  return (
    <>
      <ZoneBar zone={zone} />
      <ScheduleDays
        days={shown ? scheduleByOwnDays(timetable, shown.timeZone, shown.hourCycle) : timetable.days}
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
