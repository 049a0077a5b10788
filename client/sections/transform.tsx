import { Art } from '#client/ui/art.tsx';
import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { transform, transformSteps } from '#shared/content/transform.ts';

/** R1.3: commit, do the work, embrace lasting freedom. */
export function Transform() {
  return (
    <PageSection id="transform" tone="sand">
      <SectionTitle sectionId="transform">{transform.title}</SectionTitle>
      <p className="lede">{transform.intro}</p>
      <ol className="transform-steps">
        {transformSteps.map((step) => (
          <li key={step.title}>
            <Art name={step.img} className="transform-art" />
            <h3>{step.title}</h3>
            <p>{step.text}</p>
          </li>
        ))}
      </ol>
    </PageSection>
  );
}
