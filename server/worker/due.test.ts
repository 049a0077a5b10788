import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { allAnnounced } from '#server/letters/announcements.ts';
import { lettersDue } from '#server/letters/table.ts';
import {
  addressDigest,
  BALANCE,
  chargeStop,
  linksEndAt,
  nextInstallment,
  type RegistrationRecord,
  refundStop,
  stateOf,
} from '#server/registration/registration.ts';
import { canPay } from '#server/stripe/pay.ts';
import { askedByTests, askingEdition } from '#server/testing/test-editions.ts';
import { anyMoment, anyRecord, BEGUN, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { lastMomentOf, nextLookAt } from './due.ts';
import { needsOf } from './office-needs.ts';
import { listedOf } from './registration-index.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const { version } = edition.terms;

/** She agreed and has a card on file, which expires before or after the charge; perhaps she was told of the charge. */
const anyChargeable = fc
  .record({ record: anyRecord, expYear: fc.constantFrom(2025, 2031), toldDaysBefore: fc.option(fc.nat(20)) })
  .map(({ record, expYear, toldDaysBefore }): RegistrationRecord => {
    const card = { id: 'pm_1', brand: 'visa', last4: '4242', expMonth: 12, expYear, since: BEGUN };
    const agreement = { version, digest: 'a'.repeat(64), agreedAt: BEGUN };
    const dueAt = nextInstallment(record).dueAt;
    const to = addressDigest(record.registrant.email);
    const at = new Date(dueAt.getTime() - (toldDaysBefore ?? 0) * DAY_MS);
    const noticed = { at, number: BALANCE, dueAt, cents: 72_625, to };
    return { ...record, card, agreement, ...(toldDaysBefore !== null && { notices: [noticed] }) };
  });

/** Her edition asks questions, of which she has answered some. */
const anyAsked = fc
  .record({ record: anyRecord, answered: fc.subarray([...askedByTests.items]) })
  .map(({ record, answered }): RegistrationRecord => {
    const answers = answered.map(({ id, text }) => ({ question: id, asked: text, answer: 'Yes', at: BEGUN }));
    return { ...record, edition: askingEdition, answers };
  });

/** All that time may bring, each in a word. */
function duesAt(record: RegistrationRecord, now: Date): string[] {
  const announced = allAnnounced(edition, BEGUN);
  return [
    ...lettersDue(record, now, announced).map(({ kind }) => kind),
    ...lettersDue(record, now, {}).map(({ kind }) => `${kind} with nothing announced`),
    ...needsOf(record, now).map(({ need }) => `the office: ${need}`),
    ...(chargeStop(record, now) === undefined ? ['charge'] : []),
    ...(refundStop(record, now) === undefined ? ['refund'] : []),
    `overdue: ${chargeStop(record, now)}`,
    stateOf(record, now),
  ];
}

describe('while a payment of hers is processing', () => {
  test('promise 2: no letter asks for money or announces a charge, nothing is charged, and neither her page nor the office asks', () => {
    fc.assert(
      fc.property(fc.oneof(anyRecord, anyChargeable, anyAsked), anyMoment, (record, now) => {
        const processing = { ...record, isProcessing: true as const };
        const letters = lettersDue(processing, now, allAnnounced(edition, BEGUN));
        const ofCharge = ['balance-reminder', 'balance-failed'];
        assert.deepEqual(
          letters.filter((one) => one.asksToPay || one.notice || ofCharge.includes(one.kind)),
          [],
        );
        assert.notEqual(chargeStop(processing, now), undefined);
        assert.equal(canPay(processing, now), false);
        const asking = ['asked-to-pay', 'action-needed', 'check-overdue', 'overdue', 'deposit-late'];
        const needs = needsOf(processing, now).map(({ need }) => need);
        assert.deepEqual(
          needs.filter((need) => asking.includes(need)),
          [],
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

/** What is not done within a day is told within the hour. */
const STUCK = ['the office: overdue', 'the office: refund-overdue'];

describe('the next look at a registration', () => {
  test('is never later than anything that time brings between two moments of the edition: a letter, a charge, a refund, a state, and than anything that the list shows; what is stuck comes within the hour', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyRecord, anyChargeable, anyAsked),
        anyMoment,
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (record, now, share) => {
          const deeds = refundStop(record, now) === undefined ? (['refund'] as const) : [];
          const next = nextLookAt(record, now, deeds) ?? new Date(now.getTime() + 30 * DAY_MS);
          const aheadMs = next.getTime() - now.getTime();
          const between = new Date(now.getTime() + Math.min(share * aheadMs, aheadMs - 1));
          if (lastMomentOf(record.edition, between) > now) return;
          const before = duesAt(record, now);
          const come = duesAt(record, between).filter((one) => !before.includes(one));
          const isStuck = come.some((one) => STUCK.includes(one));
          assert.deepEqual(
            come.filter((one) => !STUCK.includes(one)),
            [],
            `${between.toISOString()}, after ${now.toISOString()} and before ${next.toISOString()}`,
          );
          if (isStuck) assert.ok(aheadMs <= HOUR_MS);
          else assert.deepEqual(listedOf(record, between), listedOf(record, now));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('comes within a quarter of an hour where something is due, and within the hour where something is under way', () => {
    const now = new Date(edition.facts.balance.chargeAt);
    const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
    assert.deepEqual(nextLookAt(recordWith(), now, ['charge']), inMinutes(15));
    assert.deepEqual(nextLookAt(recordWith(), now), inMinutes(60));
  });

  test('comes at least once a day until her page closes, and then no more', () => {
    const registration = recordWith();
    const end = linksEndAt(edition.facts);
    const lastDay = new Date(end.getTime() - 1);
    const next = nextLookAt(registration, lastDay);
    assert.ok(next && next > lastDay && next.getTime() <= lastDay.getTime() + DAY_MS);
    assert.equal(nextLookAt(registration, end), null);
  });
});
