import { Art } from '#client/ui/art.tsx';
import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { benefits, benefitsIntro } from '#shared/content/benefits.ts';

/** R1.4: the five benefits. */
export function Benefits() {
  return (
    <PageSection id="benefits">
      <div className="benefits-intro">
        <SectionTitle sectionId="benefits">{benefitsIntro.title}</SectionTitle>
        <p className="lede">{benefitsIntro.intro}</p>
        <Art name={benefitsIntro.img} className="benefits-art" />
      </div>
      <ul className="benefit-list">
        {benefits.map((benefit) => (
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
