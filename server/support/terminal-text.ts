import type { Said, Told } from '#server/office/commands/command.ts';
import { printable, UNPRINTABLE } from '#server/office/words.ts';

type Rows = readonly (readonly string[])[];

/** A value as JSON in which all unprintable characters are escaped, by their UTF-16 code units. */
export function printableJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : character.replace(/[\s\S]/g, escaped),
  );
}

/** A text table, each column as wide as its widest cell; whatever the cells contain, each row is one line. */
export function table(rows: Rows): string {
  const cells = rows.map((row) => row.map(printable));
  const widthOf = (cell: string): number => [...cell].length;
  const widths: number[] = [];
  for (const [column, cell] of cells.flatMap((row) => [...row.entries()]))
    widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  const padded = (cell: string, column: number) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  return cells.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}

/** Tables with an empty line between them, without those that have no rows. */
export const sections = (...tables: readonly Rows[]): string =>
  tables
    .filter(({ length }) => length > 0)
    .map(table)
    .join('\n\n');

/** Names with what there is to say of each; those without are left out. */
export const facts = (values: readonly (readonly [name: string, words: string])[]): Rows =>
  values.filter(([, words]) => words !== '');

/** The result of an act, as text for a terminal. */
export function toldText({ outcome, says }: Pick<Told, 'outcome' | 'says'>): string {
  const end = outcome === 'tried' ? ['Only tried: nothing was changed.'] : [];
  return [...says.map(saidText), ...end].join('\n');
}

function saidText(said: Said): string {
  if (typeof said === 'string') return printable(said);
  if ('rows' in said) return table(facts(said.rows));
  if ('compared' in said)
    return said.compared
      .flatMap(([name, now, then]) => [name, `  now: ${now}`, `  then: ${then}`])
      .map((line) => line.replace(/\S.*/, printable))
      .join('\n');
  const { subject, text } = said.letter;
  // Indented, to set it off from the rest.
  const lines = [`Subject: ${subject}`, '', ...text.trimEnd().split('\n')];
  return `\n${lines.map((line) => `  | ${printable(line)}`.trimEnd()).join('\n')}\n`;
}
