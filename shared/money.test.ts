import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCents, formatDollars } from './money.ts';

test('R2.7 amounts for people: cents only where there are some', () => {
  assert.equal(formatCents(72_100), '$721');
  assert.equal(formatCents(72_625), '$726.25');
  assert.equal(formatDollars(1495), '$1,495');
  const [whole, withCents] = [0, 2].map(
    (digits) =>
      new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: digits }),
  );
  for (const cents of [
    -72_625, -100, 0, 5, 99, 100, 99_900, 99_999, 100_000, 123_456, 99_999_999, 100_000_000, 1_234_567_890,
  ])
    assert.equal(formatCents(cents), (cents % 100 ? withCents : whole)?.format(cents / 100));
});
