import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRegistrationOpen } from './registration-window.ts';

const lastMoment = new Date('2026-01-21T23:59:59-08:00');
const firstMoment = new Date('2026-01-22T00:00:00-08:00');

test('registration that is open or closed stays so, whatever the date', () => {
  for (const now of [lastMoment, firstMoment]) {
    assert.equal(isRegistrationOpen('open', now), true);
    assert.equal(isRegistrationOpen('closed', now), false);
  }
});

test('automatic registration closes when the first day begins in Pacific Time', () => {
  assert.equal(isRegistrationOpen('auto', lastMoment), true);
  assert.equal(isRegistrationOpen('auto', firstMoment), false);
});
