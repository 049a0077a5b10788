import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordWith } from '#server/testing/test-registrations.ts';
import { decisionOf } from './decisions.ts';
import { isHandedOver } from './hand-over.ts';
import { ACTS, handedOverOf } from './on-record.ts';

const paidAs = { name: 'Anna Maria O’Hara', email: 'anna@example.org' };

/** First name, last name and address that she would have, and whether they are another person's. */
const CASES: readonly (readonly [firstName: string, lastName: string, email: string, is: boolean])[] = [
  ['Berta', 'Fuchs', 'berta@example.org', true],
  ['Berta', 'Fuchs', 'anna@example.org', false],
  ['Berta', 'Fuchs', 'Anna@Example.org', false],
  // She marries, and changes her mail provider.
  ['Anna Maria', 'Fuchs', 'fuchs@example.org', false],
  ['ÁNNA', 'Fuchs', 'fuchs@example.org', false],
  ['Anna-Maria', 'Fuchs', 'fuchs@example.org', false],
  ['Berta', "O'hara", 'berta@example.org', false],
  ['Berta', 'Maria O’Hara', 'berta@example.org', false],
  // First and last name were typed into each other's field.
  ['O’Hara', 'Anna Maria', 'other@example.org', false],
  // Parts of a name are none.
  ['Ann', 'Hara', 'other@example.org', true],
  ['Maria', 'Fuchs', 'other@example.org', true],
  ['-', 'Fuchs', 'other@example.org', true],
];

test('what has neither her first name nor her last name nor her address of the payment is another person’s', () => {
  for (const [firstName, lastName, email, is] of CASES) {
    const to = { firstName, lastName, email };
    assert.equal(isHandedOver(recordWith({ paidAs }), to), is, Object.values(to).join(' '));
    assert.equal(isHandedOver(recordWith(), to), false, 'she has not paid');
  }
});

test('what is not corrected stays as it is now, in whatever steps it became that', () => {
  const registrant = { ...recordWith().registrant, firstName: 'Berta', lastName: 'Fuchs' };
  const renamed = recordWith({ paidAs, registrant: { ...registrant, email: 'anna@example.org' } });
  assert.equal(isHandedOver(renamed, { email: 'berta@example.org' }), true);
  const moved = { ...registrant, firstName: 'Anna Maria', email: 'new@example.org' };
  const record = recordWith({ paidAs, registrant: moved });
  assert.equal(isHandedOver(record, { phoneNumber: '+1 (555) 555-0143' }), false);
  assert.equal(isHandedOver(record, { firstName: 'Berta' }), true);
});

test('who is to get a place, and who had it, are read although a field of theirs is younger than the act', () => {
  const at = new Date('2025-12-01T12:00:00Z');
  const known = { firstName: 'Berta', lastName: 'Fuchs', email: 'berta@example.org' };
  const act = { id: 'a', subject: 'pi_1', number: 1, at: at.toISOString(), byWhom: 'Anna', undoes: null };
  const decided = decisionOf('handOver', { ...act, kind: 'handOver', facts: JSON.stringify(known) });
  assert.deepEqual(decided, { at, by: 'Anna', ...known, phoneNumber: '' });
  const facts = JSON.stringify({ ...known, linksEpoch: 1 });
  const handedOver = handedOverOf([{ ...act, kind: ACTS.handedOver, facts }]);
  assert.deepEqual(handedOver, { at, ...known, phoneNumber: '', linksEpoch: 1 });
});
