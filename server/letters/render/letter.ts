import { dropNeedlessMarks } from './names.ts';

export interface Fact {
  label: string;
  value: string;
  href?: string | undefined;
  /** The line that sums up the others, such as a total. */
  strong?: boolean;
}

export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'subheading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'button'; label: string; href: string }
  | { kind: 'facts'; facts: readonly Fact[] };

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
  }
}

function underline(text: string, line: string): string {
  return `${text}\n${line.repeat(text.length)}`;
}

function factText({ label, value, href }: Fact): string {
  const address = href?.startsWith('http') ? ` ${href}` : '';
  return `${label}: ${value.replaceAll('\n', ', ')}${address}`;
}
