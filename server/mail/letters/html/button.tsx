import type { ReactNode } from 'react';
import { palette } from './palette.ts';
import { SANS } from './styles.ts';

const label = {
  display: 'inline-block',
  padding: '14px 28px',
  font: `bold 16px/1.25 ${SANS}`,
  color: palette.onAccent.light,
  textDecoration: 'none',
} as const;

/** A link as a button: the cell gives the colour, so that it holds where links take none. */
export function Button({ href, children }: { href: string; children: ReactNode }) {
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
