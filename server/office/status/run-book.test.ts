import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { type Advice, overdueAdvice, runBook } from './run-book.ts';

const documents = await Promise.all(
  ['run-book.md', 'registrants.md'].map((name) =>
    readFile(new URL(`../../ops/${name}`, import.meta.url), 'utf8'),
  ),
);

/** The text of each section on one line, by its heading: links become plain text, table rows `cell: cell`. */
const sections = new Map(
  documents
    .join('\n')
    .split(/^#+ /m)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const text = lines
        .map((line) => line.match(/^\| (.+) \|$/)?.[1]?.replaceAll(' | ', ': ') ?? line)
        .join(' ');
      const words = text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/\s+/g, ' ');
      return [heading, words.replaceAll("'", '’')] as const;
    }),
);

function assertQuoted({ section, means, act }: Advice): void {
  const text = sections.get(section);
  assert.ok(text, `The run-book has no section "${section}"`);
  for (const words of [means, ...act]) assert.ok(text.includes(words), `"${section}" does not say: ${words}`);
}

describe('what the status page says to do', () => {
  for (const [trouble, advice] of Object.entries(runBook))
    test(`is in the run-book: ${trouble}`, () => assertQuoted(advice));

  for (const [reason, advice] of Object.entries(overdueAdvice))
    test(`is in the run-book's row of overdue balances: ${reason}`, () => {
      assertQuoted(advice);
      // A balance that is `too-late` would be due after the retreat: the run-book has it in the row of `over`.
      const named = reason === 'too-late' ? 'over' : reason;
      const { section, means, act } = advice;
      const row = `: ${means}: ${act[0]}`;
      const text = sections.get(section) ?? '';
      const before = text.slice(0, text.indexOf(row));
      assert.match(before, new RegExp(`\`${named}\`(, \`[a-z-]+\`)*$`));
    });
});
