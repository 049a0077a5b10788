import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition } from './compiled/january-2026/edition.ts';
import { afterDeposit, nextSteps } from './prices.ts';

test('R2.7 R8 package and completion view say when the balance is due after a deposit paid now', () => {
  for (const [timing, after, when, text] of [
    [
      'on-due-day',
      'The balance of $726.25 is charged to the same card on December 21, 2025.',
      'Sunday, December 21, 2025',
      'The balance of $726.25 is charged to the same card. You need not do anything for it.',
    ],
    [
      'days-after-deposit',
      'The balance of $726.25 is charged to the same card seven days after the deposit.',
      'In seven days',
      'The balance of $726.25 is charged to the same card. You need not do anything for it.',
    ],
    [
      'asked-for',
      'The retreat office will ask you for the balance of $726.25.',
      'Soon',
      'The retreat office will ask you for the balance of $726.25.',
    ],
  ] as const) {
    const plain = (words?: string) => words?.replaceAll('\u00a0', ' ');
    assert.equal(plain(afterDeposit(edition.facts, timing)), `The deposit is non-refundable. ${after}`);
    const [first] = nextSteps(edition, undefined, timing);
    assert.deepEqual([plain(first?.when), plain(first?.text)], [when, text]);
    assert.equal(first?.date, timing === 'on-due-day' ? '2025-12-21' : undefined);
  }
});
