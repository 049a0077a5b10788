import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editionAt } from '#server/testing/test-editions.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Facts } from '#shared/content/edition.ts';
import { priceItems } from './launch-duties.ts';

const CANADIAN = 'card-fee-above-canadian-cap';
const REGULAR = 'regular-price-never-asked';
const everywhere = ['card-fee-on-debit-cards', 'card-fee-not-refunded', 'card-fee-announced', REGULAR];
const idsOf = (facts: Facts, only?: readonly string[]) =>
  priceItems({ ...facts, ...(only && { sells: { only } }) }).map(({ id }) => id);

test('R8 the rules about a card fee depend on its rate, and on where the edition is sold', () => {
  const { facts } = edition;
  assert.deepEqual(idsOf(facts), [
    'card-fee-above-3-percent',
    CANADIAN,
    'card-fee-in-quebec',
    'card-fee-in-the-eu',
    'card-fee-in-the-uk',
    'card-fee-in-us-states',
    ...everywhere,
  ]);
  const rate = (cardFeePerMille: number) => ({ ...facts, prices: { ...facts.prices, cardFeePerMille } });
  assert.deepEqual(idsOf(rate(30), ['US']), [CANADIAN, 'card-fee-in-us-states', ...everywhere]);
  assert.deepEqual(idsOf(rate(24), ['CA']), ['card-fee-in-quebec', ...everywhere]);
  assert.deepEqual(idsOf(rate(30.1), ['NO']), [
    'card-fee-above-3-percent',
    CANADIAN,
    'card-fee-in-the-eu',
    ...everywhere,
  ]);
  const sells = { only: ['CA'], except: ['CA-QC'] };
  assert.deepEqual(
    priceItems({ ...rate(24), sells }).map(({ id }) => id),
    everywhere,
  );
  for (const { says, source } of priceItems(facts)) {
    assert.match(says, /^[A-Z].*\.$/);
    assert.equal(new URL(source ?? '').protocol, 'https:');
  }
});

test('R8 without a card fee there is none to decide on, nor a regular price where none is shown', () => {
  for (const sold of [editionAt(), editionAt({ checkDiscountPerMille: 30 })]) {
    assert.deepEqual(idsOf(sold.facts), [REGULAR]);
    const { retreatPackage } = sold.facts;
    const plain = { ...retreatPackage, oldPrice: retreatPackage.total };
    assert.deepEqual(idsOf({ ...sold.facts, retreatPackage: plain }), []);
  }
});
