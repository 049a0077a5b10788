import type { Timetable } from '#shared/content/edition.ts';
import {
  formatClockTime,
  formatLength,
  joinEqualDays,
  type OwnClock,
  type OwnDay,
  scheduleWords,
} from '#shared/content/schedule.ts';
import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { type HourCycle, ownTimeZone } from '#shared/zoned-time.ts';

interface ScheduleDaysProps {
  days: readonly OwnDay[];
  beside?: Timetable['timeZone'] | undefined;
  today?: string | undefined;
}

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

export const findOwnClock = (): OwnClock | undefined => clockOf(ownTimeZone());

export function clockOf(timeZone: string): OwnClock | undefined {
  return timeZone === '' ? undefined : { timeZone, hourCycle: findHourCycle() };
}

function findHourCycle(): HourCycle {
  const { hour12 } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return hour12 ? '12' : '24';
}
