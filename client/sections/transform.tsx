import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Picture } from '#client/ui/picture.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';

const { transform } = page;

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
