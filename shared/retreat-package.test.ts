import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCents, formatDollars } from './money.ts';
import {
  BALANCE_BEFORE_FEE,
  BALANCE_CENTS,
  DEPOSIT_CENTS,
  findPackage,
  PURCHASE_VALUE,
  retreatPackage,
  SAVING,
} from './retreat-package.ts';

test('R8 the package and what is derived from it', () => {
  const { id, total, oldPrice, deposit, features } = retreatPackage;
  assert.deepEqual(
    { id, total, oldPrice, deposit },
    { id: 'january_2026_retreat', total: 1395, oldPrice: 1495, deposit: 721 },
  );
  assert.equal(features.length, 5);
  assert.equal(SAVING, 100);
  assert.equal(DEPOSIT_CENTS, 72_100);
  assert.equal(BALANCE_BEFORE_FEE, 700);
  assert.equal(BALANCE_CENTS, 72_625);
  assert.equal(PURCHASE_VALUE, 1495);
});

test('R8 a package is found by its own id only', () => {
  assert.equal(findPackage('january_2026_retreat'), retreatPackage);
  for (const id of ['', 'constructor', '__proto__', 'toString']) assert.equal(findPackage(id), undefined);
});

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
