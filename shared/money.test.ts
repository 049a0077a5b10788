import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkCents, formatCents, formatDollars, paidByCheck } from './money.ts';

test('R2.7 amounts for people: cents only where there are some', () => {
  assert.equal(formatCents(72_100), '$721');
  assert.equal(formatCents(72_625), '$726.25');
  assert.equal(formatDollars(1495), '$1,495');
  const [whole, withCents] = [0, 2].map(
    (digits) =>
      new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: digits }),
  );
  for (const cents of [
    0, 5, 99, 100, 99_900, 99_999, 100_000, 123_456, 99_999_999, 100_000_000, 1_234_567_890,
  ])
    assert.equal(formatCents(cents), (cents % 100 ? withCents : whole)?.format(cents / 100));
});

test('R6.2 a check of what a sum is by check pays all of it, and no check pays more than it is worth', () => {
  const cents = fc.integer({ min: 0, max: 500_000 });
  const perMille = fc.integer({ min: 0, max: 2_500 }).map((rate) => rate / 10);
  fc.assert(
    fc.property(cents, perMille, (sum, rate) => {
      const asked = checkCents(sum, rate);
      assert.ok(paidByCheck(asked, rate) >= sum);
      assert.equal(checkCents(paidByCheck(asked, rate), rate), asked);
      assert.equal(checkCents(paidByCheck(sum, rate), rate), sum);
    }),
  );
  assert.deepEqual(
    [checkCents(70_000, 30), paidByCheck(67_900, 30), paidByCheck(70_000, 0)],
    [67_900, 70_000, 70_000],
  );
});
