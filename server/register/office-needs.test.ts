import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressDigest } from '#server/mail/digests.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { BEGUN, balance, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { needsOf } from './office-needs.ts';

test('a charge that was begun, and fails without a result for a day, needs the office', () => {
  const { version } = edition.terms;
  const card = { id: 'pm_1', brand: 'visa', last4: '4242', expMonth: 12, expYear: 2031, since: BEGUN };
  const record = recordWith({
    ...{ card, balance: balance({ status: 'open', tries: 1 }) },
    agreement: { version, digest: 'a'.repeat(64), agreedAt: BEGUN },
  });
  const to = addressDigest(record.registrant.email);
  const told = { ...record, noticed: { at: daysAfter(DUE, -11), dueAt: DUE, cents: 72_625, to } };
  const needs = (days: number) => needsOf(told, daysAfter(DUE, days)).map(({ need }) => need);
  assert.deepEqual([needs(0.9), needs(1.1)], [[], ['overdue']]);
});
