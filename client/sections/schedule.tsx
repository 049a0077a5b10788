import { Island } from '#client/islands/island.tsx';
import { ScheduleTable } from '#client/islands/schedule-table.tsx';
import { selectSite } from '#client/store/site-slice.ts';
import { useAppSelector } from '#client/store/store.ts';
import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { PracticalFacts } from '#client/ui/practical-facts.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { TUITION_ID } from '#shared/page.ts';

const { schedule, practicalFacts } = page;

/** R1.6: the four days, and the practical facts beside them. */
export function Schedule() {
  const { registrationOpen } = useAppSelector(selectSite);
  return (
    <PageSection id="schedule">
      <div className="schedule-intro">
        <SectionTitle sectionId="schedule">{schedule.title}</SectionTitle>
        <p className="lede">{schedule.intro}</p>
      </div>
      <Island island="schedule" className="schedule-table">
        <ScheduleTable />
      </Island>
      <PracticalFacts title={practicalFacts.title} facts={practicalFacts.facts}>
        {registrationOpen && (
          <div id={TUITION_ID}>
            <dt>{practicalFacts.tuition.title}</dt>
            <dd>{practicalFacts.tuition.text}</dd>
          </div>
        )}
      </PracticalFacts>
    </PageSection>
  );
}
