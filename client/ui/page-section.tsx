import type { ReactNode } from 'react';

interface PageSectionProps {
  /** The section's in-page address; its heading is `<SectionTitle sectionId>` with the same id. */
  id: string;
  tone?: 'paper' | 'sand' | 'mist' | 'deep';
  children: ReactNode;
}

/** A landmark of the page, labelled by its heading, with its own background. */
export function PageSection({ id, tone = 'paper', children }: PageSectionProps) {
  return (
    <section id={id} className={`section section--${tone}`} aria-labelledby={titleId(id)}>
      <div className={`section-inner ${id}`}>{children}</div>
    </section>
  );
}

/** The heading that labels its section. */
export function SectionTitle({ sectionId, children }: { sectionId: string; children: ReactNode }) {
  return (
    <h2 id={titleId(sectionId)} className="section-title">
      {children}
    </h2>
  );
}

function titleId(sectionId: string): string {
  return `${sectionId}-title`;
}
