import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition } from './compiled/january-2026.ts';
import {
  balanceDueAt,
  isRegistrationOpen,
  isRegistrationOver,
  momentsOf,
  nextMoment,
  opensLater,
  timingOfBalance,
} from './moments.ts';

test('the moments of the January edition, in their order, each with its UTC offset', () => {
  assert.deepEqual(
    momentsOf(edition).map(({ at, name }) => `${at} ${name}`),
    [
      '2025-12-10T17:00-08:00 the balance is announced',
      '2025-12-18T17:00-08:00 the reminder of the balance goes out',
      '2025-12-21T17:00-08:00 the balance is charged',
      '2025-12-22T00:00-08:00 too late to cancel for a refund',
      '2026-01-14T06:00-08:00 the test session is announced',
      '2026-01-15T17:30-08:00 the test session begins',
      '2026-01-21T06:00-08:00 the way in goes out for 2026-01-21',
      '2026-01-22T00:00-08:00 registration closes',
      '2026-01-22T06:00-08:00 the way in goes out for 2026-01-22',
      '2026-01-22T17:30-08:00 the retreat begins',
      '2026-01-23T06:00-08:00 the way in goes out for 2026-01-23',
      '2026-01-24T06:00-08:00 the way in goes out for 2026-01-24',
      '2026-01-25T06:00-08:00 the way in goes out for 2026-01-25',
      '2026-01-26T00:00-08:00 the retreat is over',
      '2026-01-27T09:00-08:00 the recordings are announced',
    ],
  );
});

test('the next moment is the first one in the future, of any edition', () => {
  const other = {
    ...edition,
    facts: {
      ...edition.facts,
      registration: { opens: '2025-12-12T09:00-08:00', closes: '2026-02-01T00:00-08:00' },
    },
  };
  const after = (moment: string) => nextMoment([edition, other], new Date(moment))?.name;
  assert.equal(after('2025-12-01T00:00-08:00'), 'the balance is announced');
  assert.equal(after('2025-12-10T17:00-08:00'), 'registration opens');
  assert.equal(after('2026-01-26T00:00-08:00'), 'the recordings are announced');
  assert.equal(after('2026-01-27T09:00-08:00'), 'registration closes');
  assert.equal(after('2026-02-01T00:00-08:00'), undefined);
});

test('R8 the balance of a late deposit is due seven days after it, unless the retreat is over by then', () => {
  const { facts } = edition;
  for (const [paidAt, timing, dueAt] of [
    ['2025-12-14T17:00:00-08:00', 'on-due-day', '2025-12-21T17:00:00-08:00'],
    ['2025-12-14T17:00:00.001-08:00', 'days-after-deposit', '2025-12-21T17:00:00.001-08:00'],
    ['2026-01-18T23:59:59-08:00', 'days-after-deposit', '2026-01-25T23:59:59-08:00'],
    ['2026-01-19T00:00:00-08:00', 'asked-for', '2026-01-26T00:00:00-08:00'],
  ] as const) {
    assert.equal(timingOfBalance(facts, new Date(paidAt)), timing);
    assert.deepEqual(balanceDueAt(facts, new Date(paidAt)), new Date(dueAt));
  }
});

const { facts } = edition;

const lastMoment = new Date('2026-01-21T23:59:59-08:00');
const firstMoment = new Date('2026-01-22T00:00:00-08:00');

test('registration that is set to open or closed stays so, whatever the date', () => {
  for (const now of [lastMoment, firstMoment]) {
    assert.equal(isRegistrationOpen(facts, 'open', now), true);
    assert.equal(isRegistrationOpen(facts, 'closed', now), false);
  }
});

test('automatic registration closes when the first day begins in Pacific Time', () => {
  assert.equal(isRegistrationOpen(facts, 'auto', lastMoment), true);
  assert.equal(isRegistrationOpen(facts, 'auto', firstMoment), false);
});

test('automatic registration opens at the moment that the edition names', () => {
  const later = { registration: { ...facts.registration, opens: '2025-11-01T09:00-07:00' } };
  assert.equal(isRegistrationOpen(later, 'auto', new Date('2025-11-01T08:59:59-07:00')), false);
  assert.equal(isRegistrationOpen(later, 'auto', new Date('2025-11-01T09:00:00-07:00')), true);
  assert.equal(isRegistrationOpen(later, 'auto', firstMoment), false);
  assert.equal(opensLater(later, 'auto', new Date('2025-11-01T08:59:59-07:00')), later.registration.opens);
  assert.equal(opensLater(later, 'auto', new Date('2025-11-01T09:00:00-07:00')), undefined);
  assert.equal(opensLater(facts, 'auto', firstMoment), undefined);
});

test('after the end a registration in progress can be paid for another hour; one set to open or closed is never over', () => {
  const hourLater = new Date(firstMoment.getTime() + 60 * 60 * 1000);
  assert.equal(isRegistrationOver(facts, 'auto', new Date(hourLater.getTime() - 1)), false);
  assert.equal(isRegistrationOver(facts, 'auto', hourLater), true);
  assert.equal(isRegistrationOver(facts, 'closed', lastMoment), false);
  assert.equal(isRegistrationOver(facts, 'open', hourLater), false);
});
