import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { type Advice, overdueAdvice, runBook } from './run-book.ts';

const readme = await readFile(new URL('../../ops/README.md', import.meta.url), 'utf8');

/** Each section's words on one line, by its heading: without links, of a table `cell: cell` for each row. */
const sections = new Map(
  readme.split(/^#+ /m).map((section) => {
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
    test(`stands in the run-book: ${trouble}`, () => assertQuoted(advice));

  for (const [reason, advice] of Object.entries(overdueAdvice))
    test(`stands in the run-book's row of overdue balances: ${reason}`, () => {
      assertQuoted(advice);
      // It would be due after the retreat, which is over by then.
      const named = reason === 'too-late' ? 'over' : reason;
      const { section, means, act } = advice;
      const row = `: ${means}: ${act[0]}`;
      const text = sections.get(section) ?? '';
      const before = text.slice(0, text.indexOf(row));
      assert.match(before, new RegExp(`\`${named}\`(, \`[a-z-]+\`)*$`));
    });
});
