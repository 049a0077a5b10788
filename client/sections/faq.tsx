import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import type { FaqItem } from '#shared/content/entities.ts';

const { faq } = page;

/** R1.10: eight questions that open one by one, before any script runs. */
export function Faq() {
  return (
    <PageSection id="faq">
      <div className="faq-intro">
        <SectionTitle sectionId="faq">{faq.title}</SectionTitle>
        <p>
          {faq.aside.text} <a href="#contact">{faq.aside.link}</a>.
        </p>
      </div>
      <ol className="faq-list">
        {faq.items.map((item, index) => (
          <li key={item.question}>
            <Question item={item} number={index + 1} />
          </li>
        ))}
      </ol>
    </PageSection>
  );
}

function Question({ item, number }: { item: FaqItem; number: number }) {
  return (
    <details className="faq-item">
      <summary>
        <span className="faq-number">{number}</span>
        <h3>{item.question}</h3>
        <span className="faq-marker" aria-hidden="true" />
      </summary>
      <div
        className="faq-answer"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: our own words, sanitised by an allow-list in the build (R1.10)
        dangerouslySetInnerHTML={{ __html: item.answer }}
      />
    </details>
  );
}
