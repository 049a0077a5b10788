import type { Block, Fact, ScheduleRow, ScheduleTable } from '#server/letters/render/letter.ts';
import { html, type Markup } from './html.ts';
import { inline, link } from './inline.ts';
import { DATA, LAYOUT, type Look } from './styles.ts';

/** One part of a letter. */
export function letterBlock(block: Block, look: Look): Markup | Markup[] {
  const { styles } = look;
  switch (block.kind) {
    case 'heading':
      return html`<h2 class="ink" style="${styles.heading}">${block.text}</h2>`;
    case 'subheading':
      return html`<h3 class="ink" style="${styles.subheading}">${block.text}</h3>`;
    case 'paragraph':
      return paragraph(block, look);
    case 'button':
      return button(block.label, block.href, look);
    case 'facts':
      return factTable(block.facts, look);
    case 'points':
      return block.points.map(
        ({ title, text }) =>
          html`<p class="ink" style="${styles.point}"><strong>${title}.</strong> ${inline(text, look)}</p>`,
      );
    case 'schedule':
      return scheduleTables(block.table, look);
  }
}

/** Where people may have typed an address, it breaks: else a long one would make the letter wider than a phone. */
const BREAKS = 'word-break:break-word;overflow-wrap:anywhere';

function paragraph({ text, leadsOut }: Block & { kind: 'paragraph' }, look: Look): Markup {
  const style = html`${look.styles.paragraph}${leadsOut ? `;${BREAKS}` : ''}`;
  return html`<p class="ink" style="${style}">${inline(text, look, leadsOut)}</p>`;
}

/** A link as a button: the table cell has the background colour, because some clients ignore it on links. */
function button(label: string, href: string, { styles }: Look): Markup {
  return html`
    <table ${LAYOUT} style="margin:8px 0 28px">
      <tbody>
        <tr>
          <td class="button on-accent" align="center" style="${styles.button}">
            <a class="button-label" href="${href}" style="${styles.buttonLabel}">${label}</a>
          </td>
        </tr>
      </tbody>
    </table>`;
}

/** Labels and values, such as a receipt's lines. */
function factTable(facts: readonly Fact[], look: Look): Markup {
  const { styles } = look;
  const rows = facts.map(
    (fact) => html`
      <tr>
        <th scope="row" class="rule ink-soft" style="${styles.factLabel}">${fact.label}</th>
        <td class="rule ink" style="${fact.strong ? styles.strongFact : styles.fact}">
          ${factValue(fact, look)}
        </td>
      </tr>`,
  );
  return html`
    <table class="rule" ${DATA} style="${styles.factTable}">
      <tbody>${rows}</tbody>
    </table>`;
}

/** Values break only where they do not fit on a line, not earlier at a hyphen. */
const WHOLE = 'display:inline-block;max-width:100%;text-decoration:underline';

function factValue({ value, href }: Fact, look: Look): Markup | Markup[] {
  const text = inline(value, look);
  return href ? link(href, html`<span style="${WHOLE}">${text}</span>`, look) : text;
}

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
