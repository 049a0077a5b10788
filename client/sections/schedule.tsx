import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { SegmentedControl } from '#client/ui/segmented-control.tsx';
import { useEarlyPresses } from '#client/ui/use-early-presses.ts';
import { type ScheduleZone, useScheduleZone } from '#client/ui/use-schedule-zone.ts';
import { CALENDAR_PATH } from '#shared/calendar.ts';
import { edition, formatMonthAndDay, formatWeekday } from '#shared/content/edition.ts';
import { practicalFacts, practicalFactsTitle } from '#shared/content/practical-facts.ts';
import { scheduleDays, scheduleIntro, withUtcOffset } from '#shared/content/schedule.ts';
import { type OwnDay, type OwnEntry, scheduleByOwnDays } from '#shared/own-schedule.ts';

/** R1.6: the four days, and the practical facts beside them. */
export default function Schedule() {
  useEarlyPresses('schedule');
  const zone = useScheduleZone();
  return (
    <PageSection id="schedule">
      <div className="schedule-intro">
        <SectionTitle sectionId="schedule">{scheduleIntro.title}</SectionTitle>
        <p className="lede">{scheduleIntro.intro}</p>
      </div>
      <div className="schedule-table">
        <ZoneBar zone={zone} />
        <ol className="schedule-days">
          {daysFor(zone).map((day) => (
            <li key={day.date} className="schedule-day">
              <Day day={day} />
            </li>
          ))}
        </ol>
        <a className="schedule-calendar" href={CALENDAR_PATH}>
          {scheduleIntro.addToCalendar}
        </a>
      </div>
      <PracticalFacts />
    </PageSection>
  );
}

const daysFor = ({ shown, hourCycle }: ScheduleZone): readonly OwnDay[] =>
  shown === null ? scheduleDays : scheduleByOwnDays(shown, hourCycle);

/** Which clocks the hours are of, and the choice of others. */
function ZoneBar({ zone }: { zone: ScheduleZone }) {
  return (
    <div className="schedule-zone">
      <SegmentedControl
        legend={scheduleIntro.zoneChoice}
        name="schedule-zone"
        segments={[
          { value: 'retreat', label: edition.timeZoneName },
          { value: 'own', label: scheduleIntro.ownZone },
        ]}
        value={zone.choice}
        onChange={zone.choose}
      />
      <p role="status">{zone.note}</p>
    </div>
  );
}

function Day({ day }: { day: OwnDay }) {
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
              {entry.caveat && <span className="schedule-caveat"> {entry.caveat}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function EntryTime({ entry: { time, session } }: { entry: OwnEntry }) {
  return session ? <time dateTime={withUtcOffset(session.start)}>{time}</time> : time;
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
