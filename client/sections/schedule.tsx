import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { formatMonthAndDay, formatWeekday } from '#shared/content/edition.ts';
import { practicalFacts, practicalFactsTitle } from '#shared/content/practical-facts.ts';
import {
  type ScheduleDay,
  type ScheduledEntry,
  scheduleDays,
  scheduleIntro,
  withUtcOffset,
} from '#shared/content/schedule.ts';

/** R1.6: the four days, and the practical facts beside them. */
export function Schedule() {
  return (
    <PageSection id="schedule">
      <div className="schedule-intro">
        <SectionTitle sectionId="schedule">{scheduleIntro.title}</SectionTitle>
        <p className="lede">{scheduleIntro.intro}</p>
      </div>
      <ol className="schedule-days">
        {scheduleDays.map((day) => (
          <li key={day.date} className="schedule-day">
            <Day day={day} />
          </li>
        ))}
      </ol>
      <PracticalFacts />
    </PageSection>
  );
}

function Day({ day }: { day: ScheduleDay }) {
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
      <ol className="schedule-entries">
        {day.entries.map((entry) => (
          <Entry key={entry.time} entry={entry} />
        ))}
      </ol>
    </>
  );
}

function Entry({ entry }: { entry: ScheduledEntry }) {
  return (
    <li className={entry.start ? undefined : 'schedule-break'}>
      <span className="schedule-time">
        {entry.start ? <time dateTime={withUtcOffset(entry.start)}>{entry.time}</time> : entry.time}
      </span>
      <span>{entry.note}</span>
    </li>
  );
}

function PracticalFacts() {
  return (
    <div className="practical-facts">
      <h3>{practicalFactsTitle}</h3>
      <dl>
        {practicalFacts.map((fact) => (
          <div key={fact.title}>
            <dt>{fact.title}</dt>
            <dd>{fact.text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
