import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIVES } from '#scripts/world/lives.ts';
import { registrationStates, stateOf } from '#server/record/registration-state.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { limitPlaces } from '#server/testing/test-editions.ts';
import { mailingFor, REFUSED_FOR_GOOD } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { officeNeeds } from '#shared/content/office-digest-words.ts';
import { isRefusedAddress, makeOfficeWorld } from './office-world.ts';

/** The obstacles that occur. At the sandbox every paid deposit has a card, and the obstacle `over` is reported as the need `overdue`. */
const OBSTACLES = ['no-consent', 'no-notice', 'too-late'];

/** The needs that do not occur: none of these people is on the waiting list. */
const OF_WAITING_LIST = ['place-free', 'waiting-bounced'];

test('two hundred people cover every state and every reason to need the office', async (t) => {
  const { registrationList, people, now, findDigest } = await startOfficeQueue(t);
  const registrations = await registrationList.list(edition);
  assert.equal(registrations.length, 200);
  limitPlaces(t, 1);
  const digest = { kind: 'office-digest', edition: edition.facts.id, day: '2026-01-20' } as const;
  const items = (await findDigest({ ...digest, items: [], changes: [] }))?.items ?? [];
  const found = people.map(({ id, life }) => {
    const record = registrations.find((one) => one.id === id);
    const needs = items.filter(({ paymentIntentId }) => paymentIntentId === id).map(({ need }) => need);
    return { life, ends: record && stateOf(record, now()), needs: [...new Set(needs)].toSorted() };
  });
  const unexpected = found.filter(({ life, ends, needs }) => {
    const expected = LIVES[life];
    return ends !== expected.state || `${needs}` !== `${[...expected.needs].toSorted()}`;
  });
  assert.deepEqual(unexpected, []);
  const states = new Set(found.map(({ ends }) => ends));
  assert.deepEqual(
    registrationStates.filter((state) => !states.has(state)),
    [],
  );
  const needs = new Set(items.map(({ need }) => need));
  assert.deepEqual(
    officeNeeds.filter((need) => !needs.has(need)),
    OF_WAITING_LIST,
  );
  const obstacles = new Set(items.flatMap(({ obstacle }) => obstacle ?? []));
  assert.deepEqual([...obstacles].toSorted(), OBSTACLES);
});

/**
 * The office's world after the worker has looked at all, and after a real mail server
 * has accepted or refused all mails of the last day. It runs in the test's own process; `openOffice` starts the product's processes.
 */
async function startOfficeQueue(t: TestScope) {
  const mailing = await mailingFor(t, await makeOfficeWorld(t));
  mailing.mailServer.refuse(REFUSED_FOR_GOOD, isRefusedAddress);
  await mailing.work();
  await mailing.sendAll();
  return mailing;
}
