import type { ReactNode } from 'react';

interface PracticalFactsProps {
  title: string;
  /** The id of the title, so that a section can be labelled by it. */
  titleId?: string;
  facts: readonly { title: string; text: string }[];
  /** More entries, after the facts. */
  children?: ReactNode;
}

/** A titled list of practical facts, each with its own title. */
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
