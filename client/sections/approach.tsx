import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Picture } from '#client/ui/picture.tsx';
import { Items, Paragraphs } from '#client/ui/texts.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';

const { approach } = page;

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
