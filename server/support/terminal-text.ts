import { type LetterReading, type Said, type Told, totalOf } from '#server/office/commands/command.ts';
import { printable, sumLineWords, UNPRINTABLE } from '#server/office/words.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';

const GAP = '  ';

/** A value as JSON in which all unprintable characters are escaped. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

/** Escapes a character by its UTF-16 code units, as JSON requires. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** A text table, each column as wide as its widest cell; whatever the cells contain, each row is one line. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
  }
  return cells
    .map((row) =>
      row
        .map((cell, column) => padded(cell, widths[column]))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

function padded(cell: string, width = 0): string {
  return cell + ' '.repeat(width - widthOf(cell));
}

function widthOf(cell: string): number {
  return [...cell].length;
}

/** The result of an act, as text for a terminal. */
export function toldText({ outcome, about, says }: Told): string {
  const end = outcome === 'tried' ? ['Only tried: nothing was changed.'] : [];
  return [...(about === undefined ? [] : [printable(about)]), ...says.map(saidText), ...end].join('\n');
}

function saidText(said: Said): string {
  if (typeof said === 'string') return printable(said);
  if ('letter' in said) return letterText(said.letter);
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
