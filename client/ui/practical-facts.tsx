import type { ReactNode } from 'react';
import { Entries } from './texts.tsx';

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
        <Entries of={facts} />
        {children}
      </dl>
    </div>
  );
}
