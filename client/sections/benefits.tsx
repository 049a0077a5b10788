import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Art, Picture } from '#client/ui/picture.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';

const { benefits } = page;

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
