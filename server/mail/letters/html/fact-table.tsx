import type { CSSProperties } from 'react';
import type { Fact } from '#server/mail/letters/letter.ts';
import type { LinkedWords } from '#server/mail/letters/links.ts';
import { Inline, TextLink } from './inline.tsx';
import { palette } from './palette.ts';
import { styles } from './styles.ts';

const labelStyle: CSSProperties = {
  ...styles.cell,
  width: '1%',
  paddingRight: 16,
  whiteSpace: 'nowrap',
  color: palette.inkSoft.light,
};
/** Ids and addresses break anywhere rather than push the letter wider than a phone. */
const valueStyle: CSSProperties = { ...styles.cell, wordBreak: 'break-word', overflowWrap: 'anywhere' };
/** They break only where they do not fit on a line, not at a hyphen before. */
const wholeStyle: CSSProperties = { display: 'inline-block', maxWidth: '100%', textDecoration: 'underline' };

/** Labels and values, such as a receipt's lines. */
export function FactTable({ facts, links }: { facts: readonly Fact[]; links: LinkedWords }) {
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
