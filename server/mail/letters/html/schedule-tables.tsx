import type { ScheduleRow, ScheduleTable } from '#server/mail/letters/letter.ts';
import { SERIF, useLook } from './styles.ts';

const HOUR = { width: 84, paddingRight: 12, fontWeight: 'normal' } as const;
const DAY = { padding: '24px 0 8px', font: `normal 18px/1.3 ${SERIF}` } as const;

type Day = ScheduleTable['days'][number];

/** The four days in one table of two columns, or of three for a reader on another clock. */
export function ScheduleTables({ table: { columns, days } }: { table: ScheduleTable }) {
  const hasOwn = columns.own !== undefined;
  return (
    <table
      width="100%"
      cellPadding={0}
      cellSpacing={0}
      border={0}
      style={{ margin: '0 0 24px', borderCollapse: 'collapse' }}
    >
      <thead>
        <tr>
          <Column>{columns.time}</Column>
          {hasOwn && <Column>{columns.own}</Column>}
          <Column>{columns.note}</Column>
        </tr>
      </thead>
      {days.map((day) => (
        <DayRows key={day.title} day={day} hasOwn={hasOwn} />
      ))}
    </table>
  );
}

function Column({ children }: { children: string | undefined }) {
  const { palette, styles } = useLook();
  const columnStyle = {
    ...styles.cell,
    ...HOUR,
    fontSize: 13,
    verticalAlign: 'bottom',
    color: palette.inkSoft.light,
  };
  return (
    <th scope="col" className="rule ink-soft" style={columnStyle}>
      {children}
    </th>
  );
}

function DayRows({ day: { title, caveat, rows }, hasOwn }: { day: Day; hasOwn: boolean }) {
  const { palette, styles } = useLook();
  const caveatStyle = { fontSize: 14, fontStyle: 'italic', color: palette.inkSoft.light };
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={hasOwn ? 3 : 2} className="rule ink" style={{ ...styles.cell, ...DAY }}>
          {title}
          {caveat && (
            <span className="ink-soft" style={caveatStyle}>
              {' · '}
              {caveat}
            </span>
          )}
        </th>
      </tr>
      {rows.map((row) => (
        <SessionRow key={row.time} row={row} hasOwn={hasOwn} />
      ))}
    </tbody>
  );
}

function SessionRow({ row: { time, own, note, length }, hasOwn }: { row: ScheduleRow; hasOwn: boolean }) {
  const { styles } = useLook();
  const hourStyle = { ...styles.cell, ...HOUR };
  return (
    <tr>
      <td className="rule ink" style={hourStyle}>
        {time}
      </td>
      {hasOwn && (
        <td className="rule ink" style={hourStyle}>
          {own?.clock}
          {own?.day && <Aside>{own.day}</Aside>}
        </td>
      )}
      <td className="rule ink" width={hasOwn ? '52%' : '76%'} style={styles.cell}>
        {note}
        {length && <Aside>{length}</Aside>}
      </td>
    </tr>
  );
}

/** A word below another one. */
function Aside({ children }: { children: string }) {
  const { palette } = useLook();
  return (
    <>
      <br />
      <span className="ink-soft" style={{ fontSize: 13, color: palette.inkSoft.light }}>
        {children}
      </span>
    </>
  );
}
