import { dropNeedlessMarks } from './names.ts';

export interface Fact {
  label: string;
  value: string;
  href?: string | undefined;
  /** The line that sums up the others, such as a total. */
  strong?: boolean;
}

export interface ScheduleRow {
  time: string;
  /** The same moment on the reader's own clock; absent for what has no set hour. */
  own?: { clock: string; day?: string };
  note: string;
  length?: string;
}

export interface ScheduleTable {
  columns: { time: string; own?: string; note: string };
  days: readonly { title: string; caveat?: string; rows: readonly ScheduleRow[] }[];
}

export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'subheading'; text: string }
  /** It `leadsOut` where any address that it holds becomes a link, and not only the site’s own. */
  | { kind: 'paragraph'; text: string; leadsOut?: true }
  | { kind: 'button'; label: string; href: string }
  | { kind: 'facts'; facts: readonly Fact[] }
  | { kind: 'points'; points: readonly { title: string; text: string }[] }
  | { kind: 'schedule'; table: ScheduleTable };

/** What a person typed is between isolation marks (`isolate`); line feeds break lines. */
export interface Letter {
  subject: string;
  /** What an inbox shows beside the subject. */
  preheader: string;
  title: string;
  blocks: readonly Block[];
  signature: string;
  reason: string;
  /** What ends or deletes something: a quiet link after the reason, never a button. */
  leave?: { label: string; href: string } | undefined;
}

export const heading = (text: string): Block => ({ kind: 'heading', text });
export const subheading = (text: string): Block => ({ kind: 'subheading', text });
export const button = (label: string, href: string): Block => ({ kind: 'button', label, href });

/** A row of facts; one without a value is left out. */
export type FactRow = Omit<Fact, 'value'> & { value: string | false | undefined };

export const factTable = (rows: readonly FactRow[]): Block => ({
  kind: 'facts',
  facts: rows.flatMap(({ value, ...row }) => (value ? { ...row, value } : [])),
});

/** A text is a paragraph; what does not apply (undefined, false or empty) is left out. */
export type Passage = Block | string | false | undefined;

export function blocksOf(passages: readonly Passage[]): Block[] {
  return passages.flatMap((one): Block[] => {
    if (typeof one === 'object') return [one];
    return one ? [{ kind: 'paragraph', text: one }] : [];
  });
}

export function letterText({ title, blocks, signature, reason, leave }: Letter): string {
  const parts = [underline(title, '='), ...blocks.map(blockText), `-- \n${signature}`, reason];
  if (leave) parts.push(`${leave.label}:\n${leave.href}`);
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

function factText({ label, value, href }: Fact): string {
  const address = href?.startsWith('http') ? ` ${href}` : '';
  return `${label}: ${value}${address}`;
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
  return `- ${time} (for you ${ownTime}): ${what}`;
}
