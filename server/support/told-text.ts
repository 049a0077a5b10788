import type { LetterReading } from '#server/acts/act-context.ts';
import { type Said, type Told, totalOf } from '#server/acts/carry-out.ts';
import { sumLineWords } from '#server/acts/plain-words.ts';
import { printable } from '#server/acts/printable.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { table } from './printable.ts';

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
