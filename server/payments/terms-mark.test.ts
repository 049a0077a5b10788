import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAgreement, readAgreement, TERMS_MARK } from './terms-mark.ts';

const agreement = {
  version: '2031-1.b',
  digest: '0123456789abcdef'.repeat(4),
  agreedAt: new Date('2025-12-01T10:00:00.123Z'),
};

test('a consent is read from a payment exactly as it was written', () => {
  const written = formatAgreement(agreement);
  assert.equal(written, `2031-1.b ${agreement.digest} 2025-12-01T10:00:00.123Z`);
  assert.ok(written.length <= 500, 'Stripe keeps 500 characters');
  assert.deepEqual(readAgreement({ [TERMS_MARK]: written }), agreement);
});

for (const [what, written] of [
  ['nothing', undefined],
  ['nothing but a word', 'yes'],
  ['no digest', '2 2025-12-01T10:00:00.000Z'],
  ['a short digest', '2 0123 2025-12-01T10:00:00.000Z'],
  ['no time', `2 ${agreement.digest}`],
  ['an invalid date', `2 ${agreement.digest} 2025-13-41T10:00:00.000Z`],
  ['more than this site writes', `${formatAgreement(agreement)} and more`],
] as const) {
  test(`a payment with ${what} holds no consent`, () => {
    assert.equal(readAgreement(written === undefined ? {} : { [TERMS_MARK]: written }), undefined);
  });
}
