import type { ScheduleRow, ScheduleTable } from '#server/letters/render/letter.ts';
import { html, type Markup } from './html.ts';
import { DATA, type Look } from './styles.ts';

type Day = ScheduleTable['days'][number];

/** The four days in one table of two columns, or of three for a reader in another time zone. */
export function scheduleTables({ columns, days }: ScheduleTable, look: Look): Markup {
  const { time, own, note } = columns;
  const titles = own === undefined ? [time, note] : [time, own, note];
  return html`
    <table ${DATA} style="margin:0 0 24px;border-collapse:collapse">
      <thead>
        <tr>
          ${titles.map(
            (title) =>
              html`<th scope="col" class="rule ink-soft" style="${look.styles.columnTitle}">${title}</th>`,
          )}
        </tr>
      </thead>
      ${days.map((day) => dayRows(day, own !== undefined, look))}
    </table>`;
}

function dayRows({ title, caveat, rows }: Day, hasOwn: boolean, look: Look): Markup {
  const { styles } = look;
  return html`
    <tbody>
      <tr>
        <th scope="rowgroup" colspan="${hasOwn ? 3 : 2}" class="rule ink" style="${styles.day}">
          ${title}${caveat ? html`<span class="ink-soft" style="${styles.caveat}"> · ${caveat}</span>` : ''}
        </th>
      </tr>
      ${rows.map((row) => sessionRow(row, hasOwn, look))}
    </tbody>`;
}

function sessionRow({ time, own, note, length }: ScheduleRow, hasOwn: boolean, look: Look): Markup {
  const { styles } = look;
  const ownCell = html`
    <td class="rule ink" style="${styles.hour}">${own?.clock ?? ''}${own?.day ? aside(own.day, look) : ''}</td>`;
  return html`
    <tr>
      <td class="rule ink" style="${styles.hour}">${time}</td>
      ${hasOwn ? ownCell : ''}
      <td class="rule ink" width="${hasOwn ? '52%' : '76%'}" style="${styles.cell}">
        ${note}${length ? aside(length, look) : ''}
      </td>
    </tr>`;
}

/** A word below the main text of a cell. */
function aside(word: string, { styles }: Look): Markup {
  return html`<br><span class="ink-soft" style="${styles.aside}">${word}</span>`;
}
