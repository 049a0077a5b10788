import type { OwnDay, OwnEntry } from '#shared/content/own-schedule.ts';
import { formatLength } from '#shared/content/schedule.ts';
import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';

/** A day of the schedule: its date, and its entries with their times. */
export function ScheduleDay({ day }: { day: OwnDay }) {
  return (
    <>
      <div className="schedule-date">
        <h3>
          <time dateTime={day.date}>
            {formatWeekday(day.date)} <span>{formatMonthAndDay(day.date)}</span>
          </time>
        </h3>
        {day.caveat && <p className="schedule-caveat">{day.caveat}</p>}
      </div>
      <dl className="schedule-entries">
        {day.entries.map((entry) => (
          <div key={entry.session?.id ?? entry.time} className={entry.session ? undefined : 'schedule-break'}>
            <dt>
              <EntryTime entry={entry} />
            </dt>
            <dd>
              {entry.note}
              {entry.session && (
                <span className="schedule-length"> {formatLength(entry.session.minutes)}</span>
              )}
              {entry.caveat && <span className="schedule-caveat"> {entry.caveat}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function EntryTime({ entry: { time, session } }: { entry: OwnEntry }) {
  return session ? <time dateTime={session.startsAt}>{time}</time> : time;
}
