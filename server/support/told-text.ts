import type { LetterReading } from '#server/acts/act-context.ts';
import type { Said, Told } from '#server/acts/carry-out.ts';
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

/** The lines of a sum, with their total. */
function sumText(lines: readonly SumLine[]): string {
  const total = lines.reduce((sum, { cents }) => sum + cents, 0);
  const all: SumLine[] = [...lines, { words: 'in all', cents: total }];
  return table(all.map((line) => ['', formatCents(line.cents), lineWords(line)]));
}

function lineWords({ words, keptCents, why }: SumLine): string {
  const what = keptCents === undefined ? words : `${words} of ${formatCents(keptCents)}`;
  return why === undefined ? what : `${what}: ${why}`;
}
