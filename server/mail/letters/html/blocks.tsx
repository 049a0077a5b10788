import type { ReactNode } from 'react';
import type { Block, Fact } from '#server/mail/letters/letter.ts';
import type { LinkedWords } from '#server/mail/letters/links.ts';
import { Inline, TextLink } from './inline.tsx';
import { ScheduleTables } from './schedule-tables.tsx';
import { SANS, useLook } from './styles.ts';

interface BlockProps {
  block: Block;
  links: LinkedWords;
}

/** One part of a letter. */
export function LetterBlock({ block, links }: BlockProps) {
  const { styles } = useLook();
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

/** A link as a button: the cell gives the colour, so that it holds where links take none. */
function Button({ href, children }: { href: string; children: ReactNode }) {
  const { palette } = useLook();
  const label = {
    display: 'inline-block',
    padding: '14px 28px',
    font: `bold 16px/1.25 ${SANS}`,
    color: palette.onAccent.light,
    textDecoration: 'none',
  };
  return (
    <table role="presentation" cellPadding={0} cellSpacing={0} border={0} style={{ margin: '8px 0 28px' }}>
      <tbody>
        <tr>
          <td
            className="button on-accent"
            align="center"
            style={{ backgroundColor: palette.accent.light, borderRadius: 8 }}
          >
            <a className="button-label" href={href} style={label}>
              {children}
            </a>
          </td>
        </tr>
      </tbody>
    </table>
  );
}

/** They break only where they do not fit on a line, not at a hyphen before. */
const wholeStyle = { display: 'inline-block', maxWidth: '100%', textDecoration: 'underline' };

/** Labels and values, such as a receipt's lines. */
function FactTable({ facts, links }: { facts: readonly Fact[]; links: LinkedWords }) {
  const { palette, styles } = useLook();
  const labelStyle = {
    ...styles.cell,
    width: '1%',
    paddingRight: 16,
    whiteSpace: 'nowrap',
    color: palette.inkSoft.light,
  } as const;
  // Ids and addresses break anywhere rather than push the letter wider than a phone.
  const valueStyle = { ...styles.cell, wordBreak: 'break-word', overflowWrap: 'anywhere' } as const;
  return (
    <table
      className="rule"
      width="100%"
      cellPadding={0}
      cellSpacing={0}
      border={0}
      style={{ margin: '0 0 24px', borderCollapse: 'collapse', borderTop: `1px solid ${palette.rule.light}` }}
    >
      <tbody>
        {facts.map((fact) => (
          <tr key={fact.label}>
            <th scope="row" className="rule ink-soft" style={labelStyle}>
              {fact.label}
            </th>
            <td className="rule ink" style={fact.strong ? { ...valueStyle, fontWeight: 'bold' } : valueStyle}>
              <FactValue fact={fact} links={links} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FactValue({ fact: { value, href }, links }: { fact: Fact; links: LinkedWords }) {
  const text = <Inline text={value} links={links} />;
  if (!href) return text;
  return (
    <TextLink href={href}>
      <span style={wholeStyle}>{text}</span>
    </TextLink>
  );
}
