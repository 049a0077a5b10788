import { formatLength, joinEqualDays, type OwnDay } from '#shared/content/schedule.ts';
import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';

/** The days of the schedule with their entries; neighbours that have the same entries are one. */
export function ScheduleDays({ days }: { days: readonly OwnDay[] }) {
  return (
    <ol className="schedule-days">
      {joinEqualDays(days).map(({ dates, caveat, entries }) => (
        <li key={dates[0]} className="schedule-day">
          <div className="schedule-date">
            <h3>
              {dates.map((date, index) => (
                <time key={date} dateTime={date}>
                  {formatWeekday(date)}{' '}
                  <span>{formatMonthAndDay(date) + (index < dates.length - 1 ? ', ' : '')}</span>
                </time>
              ))}
            </h3>
            {caveat && <p className="schedule-caveat">{caveat}</p>}
          </div>
          <dl className="schedule-entries">
            {entries.map(({ time, note, session, caveat }) => (
              <div key={session?.id ?? time} className={session ? undefined : 'schedule-break'}>
                <dt>{time}</dt>
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
