import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCents, formatDollars } from '#shared/money.ts';
import { nextSteps, sumsToPay } from './after-deposit.ts';
import { edition } from './compiled/january-2026.ts';
import { afterDeposit, reliefs } from './prices.ts';

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

test('R8 beside the non-refundable deposit stand the reliefs that the edition has', () => {
  const { facts } = edition;
  const plain = (...given: Parameters<typeof reliefs>) =>
    reliefs(...given).map((words) => words.replaceAll('\u00a0', ' '));
  const [plans, check, handOver, takeBack] = [
    'ask us for a payment plan or a partial scholarship',
    'pay by check, without the card fee',
    'hand your place over to somebody else until December 21',
    'take a cancellation back within a day',
  ];
  assert.deepEqual(plain(facts), [plans, check, handOver, takeBack]);
  assert.deepEqual(plain(facts, 'days-after-deposit'), [plans, check, takeBack]);
  const { handOverUntil: _, ...never } = facts;
  const prices = { ...facts.prices, cardFeePerMille: 0 };
  assert.deepEqual(plain({ ...never, prices }), [plans, takeBack]);
});

test('R8 she reads what is due today, later and in all, also for who pays late, without a fee, or all at once', () => {
  const { facts } = edition;
  const { prices, retreatPackage } = facts;
  const sums = (...[of, today, timing]: Parameters<typeof sumsToPay>) =>
    sumsToPay(of, today, timing).map(({ title, text }) => `${title.replaceAll('\u00a0', ' ')}: ${text}`);
  const inAll = `In all: ${formatCents(prices.byCardCents)}`;
  for (const [timing, later] of [
    ['on-due-day', 'December 21: $726.25'],
    ['days-after-deposit', 'In seven days: $726.25'],
    ['asked-for', 'Soon, when we ask you: $726.25'],
  ] as const)
    assert.deepEqual(sums(facts, prices.depositCents, timing), ['Today: $721', later, inAll]);

  const free = { ...facts, prices: { ...prices, cardFeePerMille: 0 } };
  const whole = `In all: ${formatDollars(retreatPackage.total)}`;
  assert.deepEqual(sums(free, prices.depositBeforeFeeCents), ['Today: $695', 'December 21: $700', whole]);
  const atOnce = { ...facts, prices: { ...prices, balanceBeforeFeeCents: 0 } };
  assert.deepEqual(sums(atOnce, prices.byCardCents), [`Today: ${formatCents(prices.byCardCents)}`]);
});
