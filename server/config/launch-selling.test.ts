import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sells } from '#shared/content/sells.ts';
import { sellingItems } from './launch-duties.ts';

const idsOf = (sells?: Sells) => sellingItems(sells ? { sells } : {}).map(({ id }) => id);

test('what is sold everywhere brings the duties of everywhere, each with who decides it', () => {
  const items = sellingItems({});
  assert.equal(items.length, 13);
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
  for (const { says } of items) assert.match(says, /^[A-Z].*\.$/);
  assert.match(
    items.find(({ id }) => id === 'pay-button')?.says ?? '',
    /^For Austria, Belgium, Bulgaria, Cyprus, and 27 other countries the last button/,
  );
});

test('where it is not sold there is nothing to decide, and what a rule sets is decided', () => {
  assert.deepEqual(idsOf({ only: ['JP'] }), []);
  assert.deepEqual(idsOf({ only: ['US', 'CA'], except: ['US-WA', 'CA-QC'] }), ['ca-gst', 'us-states']);
  const only = ['DE', 'FR'];
  const law = { countries: ['EU'], payButton: true, withdrawal: 'There is none.' };
  const vat = { countries: ['DE'], tax: { name: 'VAT', rate: 19 } };
  assert.deepEqual(idsOf({ only, rules: [law, vat] }), ['eu-consumer-law', 'eu-vat']);
  assert.deepEqual(idsOf({ only: ['DE'], rules: [law, vat] }), ['eu-consumer-law']);
  assert.match(
    sellingItems({ sells: { only, rules: [{ ...law, payButton: false }] } })[1]?.says ?? '',
    /^For Germany and France the last button/,
  );
});
