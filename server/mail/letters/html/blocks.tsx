import type { Block } from '#server/mail/letters/letter.ts';
import type { LinkedWords } from '#server/mail/letters/links.ts';
import { Button } from './button.tsx';
import { FactTable } from './fact-table.tsx';
import { Inline } from './inline.tsx';
import { ScheduleTables } from './schedule-tables.tsx';
import { styles } from './styles.ts';

interface BlockProps {
  block: Block;
  links: LinkedWords;
}

/** One part of a letter. */
export function LetterBlock({ block, links }: BlockProps) {
  switch (block.kind) {
    case 'heading':
      return (
        <h2 className="ink" style={styles.heading}>
          {block.text}
        </h2>
      );
    case 'subheading':
      return (
        <h3 className="ink" style={styles.subheading}>
          {block.text}
        </h3>
      );
    case 'paragraph':
      return (
        <p className="ink" style={styles.paragraph}>
          <Inline text={block.text} links={links} />
        </p>
      );
    case 'button':
      return <Button href={block.href}>{block.label}</Button>;
    case 'facts':
      return <FactTable facts={block.facts} links={links} />;
    case 'points':
      return block.points.map((point) => (
        <p key={point.title} className="ink" style={{ ...styles.paragraph, margin: '0 0 10px' }}>
          <strong>{point.title}.</strong> <Inline text={point.text} links={links} />
        </p>
      ));
    case 'schedule':
      return <ScheduleTables table={block.table} />;
  }
}
