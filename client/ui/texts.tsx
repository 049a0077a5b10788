import type { ReactNode } from 'react';

interface PageSectionProps {
  id: string;
  tone?: 'paper' | 'sand' | 'mist' | 'deep';
  children: ReactNode;
}

export function PageSection({ id, tone = 'paper', children }: PageSectionProps) {
  return (
    <section id={id} className={`section section--${tone}`} aria-labelledby={titleId(id)}>
      <div className={`section-inner ${id}`}>{children}</div>
    </section>
  );
}

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

export function Paragraphs({ of }: { of: readonly string[] }) {
  return of.map((text) => <p key={text}>{text}</p>);
}

export function Items({ of }: { of: readonly string[] }) {
  return of.map((text) => <li key={text}>{text}</li>);
}

export function Entries({ of }: { of: readonly { title: string; text: ReactNode }[] }) {
  return of.map(({ title, text }) => (
    <div key={title}>
      <dt>{title}</dt>
      <dd>{text}</dd>
    </div>
  ));
}

export type Replacement = [text: string, by: ReactNode];

export function withReplacements(text: string, [first, ...others]: readonly Replacement[]): ReactNode {
  if (!first) return text;
  const [words, by] = first;
  const [start = '', ...rest] = text.split(words);
  return rest.reduce<ReactNode>(
    (before, part) => (
      <>
        {before}
        {by}
        {withReplacements(part, others)}
      </>
    ),
    withReplacements(start, others),
  );
}

interface PracticalFactsProps {
  title: string;
  titleId?: string;
  facts: readonly { title: string; text: string }[];
  children?: ReactNode;
}

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
