import type { ReactNode } from 'react';

interface PracticalFactsProps {
  title: string;
  /** By which a section takes the title for its own. */
  titleId?: string;
  facts: readonly { title: string; text: string }[];
  /** More entries, after the facts. */
  children?: ReactNode;
}

/** What is good to know, under a title: each fact with its own. */
export function PracticalFacts({ title, titleId, facts, children }: PracticalFactsProps) {
  return (
    <div className="practical-facts">
      <h3 id={titleId}>{title}</h3>
      <dl>
        {facts.map((fact) => (
          <div key={fact.title}>
            <dt>{fact.title}</dt>
            <dd>{fact.text}</dd>
          </div>
        ))}
        {children}
      </dl>
    </div>
  );
}
