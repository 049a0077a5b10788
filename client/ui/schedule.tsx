import { useEffect, useState, useSyncExternalStore } from 'react';
import { timetable } from '#shared/content/compiled/on-sale.ts';
import type { Timetable } from '#shared/content/edition.ts';
import {
  daysDiffer,
  formatClockTime,
  formatLength,
  joinEqualDays,
  type OwnClock,
  type OwnDay,
  scheduleWords,
} from '#shared/content/schedule.ts';
import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { formatTimeZone, type HourCycle, ownTimeZone, zonesAgree } from '#shared/zoned-time.ts';

interface ScheduleDaysProps {
  days: readonly OwnDay[];
  /** A second zone, whose time is shown below that of each session. */
  beside?: Timetable['timeZone'] | undefined;
  /** The ISO date of a day to mark. */
  today?: string | undefined;
}

/** The days of the schedule with their entries; neighbours that have the same entries are one. */
export function ScheduleDays({ days, beside, today }: ScheduleDaysProps) {
  return (
    <ol className="schedule-days">
      {joinEqualDays(days).map(({ dates, caveat, entries }) => (
        <li key={dates[0]} className="schedule-day">
          <div className="schedule-date">
            <h3>
              {dates.map((date, index) => (
                <time key={date} dateTime={date} aria-current={date === today ? 'date' : undefined}>
                  {formatWeekday(date)}{' '}
                  {date === today && <strong className="schedule-today">{scheduleWords.today}</strong>}
                  <span>{formatMonthAndDay(date) + (index < dates.length - 1 ? ', ' : '')}</span>
                </time>
              ))}
            </h3>
            {caveat && <p className="schedule-caveat">{caveat}</p>}
          </div>
          <dl className="schedule-entries">
            {entries.map(({ time, note, session, caveat }) => (
              <div key={session?.id ?? time} className={session ? undefined : 'schedule-break'}>
                <dt>
                  <span>{time}</span>
                  {beside && session && (
                    <span className="schedule-beside">
                      {' '}
                      {formatClockTime(session.start.slice(11), beside)}
                    </span>
                  )}
                </dt>
                <dd>
                  {note}{' '}
                  {session && <span className="schedule-length">{formatLength(session.minutes)} </span>}
                  {caveat && <span className="schedule-caveat">{caveat}</span>}
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ol>
  );
}

type ZoneChoice = 'retreat' | 'own';

export type ScheduleZone = ReturnType<typeof useScheduleZone>;

/** The visitor's time zone where it has other hours; the retreat's in the server's HTML, and where she asks for it. */
export function useScheduleZone() {
  const [choice, choose] = useState<ZoneChoice>('retreat');
  const own = useSyncExternalStore(neverChanges, ownTimeZone, () => '');
  useEffect(() => {
    if (opensInOwnZone()) choose('own');
  }, []);
  /** By whose clock the hours are shown; undefined for the retreat's own. */
  const shown = choice === 'own' ? clockOf(own) : undefined;
  return { choice, choose, shown, note: noteOf(choice, own) };
}

/** Other hours take the same room. Other days do not, so they are shown only before she comes to them. */
function opensInOwnZone(): boolean {
  const own = ownTimeZone();
  const moments = timetable.sessions.map(({ startsAt }) => new Date(startsAt));
  if (own === '' || zonesAgree(moments, timetable.timeZone.id, own)) return false;
  const { top } = document.getElementById('schedule')?.getBoundingClientRect() ?? new DOMRect();
  return !daysDiffer(timetable, own) || top >= innerHeight;
}

const neverChanges = () => () => {};

/** A sentence for the visitor that names the zone. */
function noteOf(choice: ZoneChoice, own: string): string {
  if (choice === 'retreat') return scheduleWords.zoneNote(timetable);
  if (own === '') return scheduleWords.unknownZoneNote(timetable);
  return scheduleWords.ownZoneNote(formatTimeZone(own), daysDiffer(timetable, own));
}

/** The visitor's time zone and hour cycle, if her browser reports its time zone. */
export const findOwnClock = (): OwnClock | undefined => clockOf(ownTimeZone());

function clockOf(timeZone: string): OwnClock | undefined {
  return timeZone === '' ? undefined : { timeZone, hourCycle: findHourCycle() };
}

/** Whether the visitor's locale uses a 12- or a 24-hour clock. */
function findHourCycle(): HourCycle {
  const { hour12 } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return hour12 ? '12' : '24';
}
