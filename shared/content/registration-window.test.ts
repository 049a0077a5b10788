import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition } from './compiled/january-2026/edition.ts';
import { isRegistrationOpen, isRegistrationOver, opensLater } from './registration-window.ts';

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
