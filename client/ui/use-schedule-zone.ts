import { useState, useSyncExternalStore } from 'react';
import { timetable } from '#shared/content/compiled/on-sale/timetable.ts';
import { daysDiffer, type OwnClock, scheduleWords } from '#shared/content/schedule.ts';
import { formatTimeZone, type HourCycle, isKnownTimeZone } from '#shared/zoned-time.ts';

type ZoneChoice = 'retreat' | 'own';

/** In which time zone a visitor reads the schedule. */
export type ScheduleZone = ReturnType<typeof useScheduleZone>;

/** The retreat's time zone, until a visitor asks for hers. */
export function useScheduleZone() {
  const [choice, choose] = useState<ZoneChoice>('retreat');
  const own = useSyncExternalStore(neverChanges, findOwnZone, () => null);
  /** By whose clock the hours are shown; undefined for the retreat's own. */
  const shown = choice === 'own' ? clockOf(own) : undefined;
  return { choice, choose, shown, note: noteOf(choice, own) };
}

const neverChanges = () => () => {};

/** A sentence for the visitor that names the zone. */
function noteOf(choice: ZoneChoice, own: string | null): string {
  if (choice === 'retreat') return scheduleWords.zoneNote(timetable);
  if (own === null) return scheduleWords.unknownZoneNote(timetable);
  return scheduleWords.ownZoneNote(formatTimeZone(own), daysDiffer(timetable, own));
}

/** The visitor's time zone and hour cycle, if her browser reports its time zone. */
export const findOwnClock = (): OwnClock | undefined => clockOf(findOwnZone());

function clockOf(timeZone: string | null): OwnClock | undefined {
  return timeZone === null ? undefined : { timeZone, hourCycle: findHourCycle() };
}

/** The visitor's time zone, if her browser reports one. */
function findOwnZone(): string | null {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return isKnownTimeZone(timeZone) ? timeZone : null;
}

/** Whether the visitor's locale uses a 12- or a 24-hour clock. */
function findHourCycle(): HourCycle {
  const { hour12 } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return hour12 ? '12' : '24';
}
