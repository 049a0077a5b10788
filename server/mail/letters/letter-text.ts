import { welcomeMail } from '#shared/content/mails.ts';
import type { Block, Fact, Letter, ScheduleRow, ScheduleTable } from './letter.ts';
import { dropNeedlessMarks } from './names.ts';

/** Sets a letter as plain text: paragraphs that the reader's client wraps, links written out. */
export function letterText({ title, blocks, signature, reason }: Letter): string {
  const parts = [underline(title, '='), ...blocks.map(blockText), `-- \n${signature}`, reason];
  return `${dropNeedlessMarks(parts.join('\n\n')).replaceAll('\u00a0', ' ')}\n`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `\n${underline(block.text, '-')}`;
    case 'subheading':
    case 'paragraph':
      return block.text;
    case 'button':
      return `${block.label}:\n${block.href}`;
    case 'facts':
      return block.facts.map(factText).join('\n');
    case 'points':
      return block.points.map(({ title, text }) => `- ${title}: ${text}`).join('\n');
    case 'schedule':
      return scheduleText(block.table);
  }
}

function underline(text: string, line: string): string {
  return `${text}\n${line.repeat(text.length)}`;
}

function factText({ label, value }: Fact): string {
  return `${label}: ${value}`;
}

function scheduleText({ days }: ScheduleTable): string {
  return days
    .map(({ title, caveat, rows }) =>
      [caveat ? `${title} (${caveat.toLowerCase()})` : title, ...rows.map(rowText)].join('\n'),
    )
    .join('\n\n');
}

function rowText({ time, own, note, length }: ScheduleRow): string {
  const what = length ? `${note} (${length})` : note;
  if (!own) return `- ${time}: ${what}`;
  const ownTime = own.day ? `${own.day}, ${own.clock}` : own.clock;
  return `- ${time} (${welcomeMail.schedule.ownTime(ownTime)}): ${what}`;
}
