import { type LetterReading, type Said, type Told, totalOf } from '#server/office/commands/command.ts';
import { printable, sumLineWords, UNPRINTABLE } from '#server/office/words.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';

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
export const facts = (values: Readonly<Record<string, string>>): Rows =>
  Object.entries(values).filter(([, words]) => words !== '');

/** The result of an act, as text for a terminal. */
export function toldText({ outcome, says }: Pick<Told, 'outcome' | 'says'>): string {
  const end = outcome === 'tried' ? ['Only tried: nothing was changed.'] : [];
  return [...says.map(saidText), ...end].join('\n');
}

function saidText(said: Said): string {
  if (typeof said === 'string') return printable(said);
  if ('letter' in said) return letterText(said.letter);
  if ('compared' in said)
    return said.compared
      .flatMap(([name, now, then]) => [name, `  now: ${now}`, `  then: ${then}`])
      .map((line) => line.replace(/\S.*/, printable))
      .join('\n');
  return 'facts' in said ? table(said.facts) : sumText(said.sum);
}

/** A letter, indented to set it off from the rest of the text. */
function letterText({ subject, text }: LetterReading): string {
  const lines = [`Subject: ${subject}`, '', ...text.trimEnd().split('\n')];
  return `\n${lines.map((line) => `  | ${printable(line)}`.trimEnd()).join('\n')}\n`;
}

function sumText(lines: readonly SumLine[]): string {
  const all: SumLine[] = [...lines, { words: 'in all', cents: totalOf([{ sum: lines }]) }];
  return table(all.map((line) => ['', formatCents(line.cents), sumLineWords(line)]));
}
