import { useState, useSyncExternalStore } from 'react';
import { edition } from '#shared/content/edition.ts';
import { scheduledSessions, withUtcOffset } from '#shared/content/schedule.ts';
import { formatTimeZone, type HourCycle, isKnownTimeZone, zonesAgree } from '#shared/zoned-time.ts';

type ZoneChoice = 'retreat' | 'own';

/** In which time zone a visitor reads the schedule. */
export interface ScheduleZone {
  choice: ZoneChoice;
  choose: (choice: ZoneChoice) => void;
  /** Her own zone as people read it; null where its clocks agree with the retreat's, and before hydration. */
  ownName: string | null;
  /** The zone to tell the hours in, as `Intl` names it; null for the retreat's, as the content words it. */
  shown: string | null;
  shownName: string | null;
  hourCycle: HourCycle;
}

/** The retreat's time zone, until a visitor from another asks for hers. */
export function useScheduleZone(): ScheduleZone {
  const [choice, choose] = useState<ZoneChoice>('retreat');
  const own = useSyncExternalStore(neverChanges, findOwnZone, () => null);
  const ownName = own && formatTimeZone(own);
  const isOwn = choice === 'own';
  return {
    choice,
    choose,
    ownName,
    shown: isOwn ? own : null,
    shownName: isOwn ? ownName : null,
    hourCycle: own === null ? '12' : findHourCycle(),
  };
}

const neverChanges = () => () => {};

/** The visitor's time zone, if its clocks show other hours than the retreat's at any of its sessions. */
function findOwnZone(): string | null {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  if (!isKnownTimeZone(timeZone)) return null;
  const moments = scheduledSessions.map(({ start }) => new Date(withUtcOffset(start)));
  return zonesAgree(moments, edition.timeZone, timeZone) ? null : timeZone;
}

/** Whether the visitor's clocks count to 12 or to 24. */
function findHourCycle(): HourCycle {
  const { hour12 } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return hour12 ? '12' : '24';
}
