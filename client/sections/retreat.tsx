import { Island } from '#client/islands/island.tsx';
import { ScheduleTable } from '#client/islands/schedule-table.tsx';
import { selectSite, useAppSelector } from '#client/store/store.ts';
import { Art, Picture } from '#client/ui/picture.tsx';
import { Items, PageSection, Paragraphs, PracticalFacts, SectionTitle } from '#client/ui/texts.tsx';
import { page } from '#shared/content/compiled/on-sale.ts';
import type { SessionItem } from '#shared/content/entities.ts';
import { TUITION_ID } from '#shared/page.ts';

const { transform, benefits, sessions, schedule, practicalFacts, approach } = page;

/** R1.3: commit, do the work, embrace lasting freedom. */
export function Transform() {
  return (
    <PageSection id="transform" tone="sand">
      <SectionTitle sectionId="transform">{transform.title}</SectionTitle>
      <p className="lede">{transform.intro}</p>
      <ol className="transform-steps">
        {transform.steps.map((step) => (
          <li key={step.title}>
            <Picture of={step} className="transform-art" />
            <h3>{step.title}</h3>
            <p>{step.text}</p>
          </li>
        ))}
      </ol>
    </PageSection>
  );
}

/** R1.4: the five benefits. */
export function Benefits() {
  return (
    <PageSection id="benefits">
      <div className="benefits-intro">
        <SectionTitle sectionId="benefits">{benefits.title}</SectionTitle>
        <p className="lede">{benefits.intro}</p>
        <Picture of={benefits} className="benefits-art" />
      </div>
      <ul className="benefit-list">
        {benefits.items.map((benefit) => (
          <li key={benefit.title}>
            <Art name={benefit.icon} className="benefit-icon" />
            <h3>{benefit.title}</h3>
            <p>{benefit.text}</p>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

/** R1.5: what the sessions consist of, and what follows them. */
export function Sessions() {
  return (
    <PageSection id="sessions" tone="deep">
      <SectionTitle sectionId="sessions">{sessions.title}</SectionTitle>
      <p className="lede">{sessions.intro}</p>
      <ul className="session-list">
        {sessions.items.map((item, index) => (
          <li key={item.title}>
            <MoonPhase index={index} />
            <Session item={item} />
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function Session({ item }: { item: SessionItem }) {
  return (
    <>
      <h3>{item.title}</h3>
      <p>{item.text}</p>
      {item.parts && (
        <ul className="session-parts">
          <Items of={item.parts} />
        </ul>
      )}
    </>
  );
}

const LIT_PARTS = [
  'M16 3A13 13 0 0 1 16 29 17 17 0 0 0 16 3Z',
  'M16 3A13 13 0 0 1 16 29Z',
  'M16 3A13 13 0 0 1 16 29 8 13 0 0 1 16 3Z',
  'M16 3A13 13 0 0 1 16 29 13 13 0 0 1 16 3Z',
] as const;

function MoonPhase({ index }: { index: number }) {
  return (
    <svg className="moon-phase" viewBox="0 0 32 32" aria-hidden="true">
      <circle className="moon-phase-disc" cx="16" cy="16" r="13" />
      <path className="moon-phase-lit" d={LIT_PARTS[index % LIT_PARTS.length]} />
    </svg>
  );
}

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

/** R1.9: what the method is about, and what it promises. */
export function Approach() {
  return (
    <PageSection id="approach" tone="mist">
      <div className="approach-text">
        <p className="eyebrow">{approach.eyebrow}</p>
        <SectionTitle sectionId="approach">{approach.title}</SectionTitle>
        <Paragraphs of={approach.paragraphs} />
      </div>
      <Picture of={approach} className="approach-art" />
      <div className="approach-promise">
        <h3>{approach.outcomesTitle}</h3>
        <ul className="approach-outcomes">
          <Items of={approach.outcomes} />
        </ul>
      </div>
    </PageSection>
  );
}
