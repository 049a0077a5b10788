import assert from 'node:assert/strict';
import { test } from 'node:test';
import request from 'supertest';
import { sampleUserLines } from '#scripts/product/environment.ts';
import { recordTransactions } from '#server/stripe/account-transactions.ts';
import { openTestOffice, signIn } from '#server/testing/test-office.ts';
import { startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { officePaths } from './paths.ts';

test('who of the office looked at whom is in the log: one line each, without a name or the words of a search', async (t) => {
  const site = await startRegistered(t, { env: { OPS_USERS: sampleUserLines() } });
  await site.pay();
  await site.find();
  await site.payments.ask(recordTransactions, site.now());
  const office = openTestOffice(site);
  const { get, press } = await signIn(office, 'office');
  const support = await signIn(office, 'support');
  const looks = () =>
    site.log.lines('"look":').map(({ look, user, role, msg, time: _, level: __, service: ___, ...facts }) => {
      assert.equal(msg, 'Look of a user');
      return [look, user, role, facts];
    });
  const { id } = site;
  const her = { registration: id };
  const shown = [
    [officePaths.list, 'list', { rows: 1 }],
    [`${officePaths.list}?search=Wilma&show=registered`, 'list', { rows: 1, search: true }],
    [`${officePaths.list}?search=nobody`, 'list', { rows: 0, search: true }],
    [officePaths.csv, 'spreadsheet', { rows: 1 }],
    [officePaths.participants, 'participants', { rows: 1 }],
    [officePaths.participantsCsv, 'participants-csv', { rows: 1 }],
    [officePaths.registration(id), 'registration', her],
    [officePaths.export(id), 'registration', { ...her, page: 'export.json' }],
    [officePaths.act(id, 'edit'), 'registration', { ...her, page: 'edit' }],
    [officePaths.letters, 'letters', {}],
    [officePaths.bookkeeping, 'bookkeeping', { rows: 1 }],
    [officePaths.waiting, 'waiting-list', { rows: 0 }],
  ] as const;
  for (const [path] of shown) await get(path).expect(200);
  await get(`${officePaths.list}?search=Wilma`).expect(303);
  await press(officePaths.act(id, 'edit'), { lastName: '' }).expect(422);
  await press(officePaths.register(edition.facts.id), { email: 'wilma@example.org' }).expect(422);
  assert.deepEqual(looks(), [
    ...shown.map(([, look, facts]) => [look, 'office', 'office', facts]),
    ['list', 'office', 'office', { rows: 1, search: true }],
    ['registration', 'office', 'office', { ...her, page: 'edit' }],
    ['register', 'office', 'office', { page: 'register' }],
  ]);
  const lines = looks().length;

  // Nobody is shown by these.
  await get(officePaths.registration('reg_none')).expect(404);
  await get(officePaths.export('reg_none')).expect(404);
  await get(officePaths.act(id, 'wilma@example.org')).expect(404);
  await get(officePaths.act(id, 'forget')).expect(403);
  await support.get(officePaths.status).expect(200);
  const stranger = openTestOffice(site);
  for (const path of [officePaths.list, officePaths.registration(id)])
    await request(stranger).get(path).expect(303);
  assert.equal(looks().length, lines);
  assert.doesNotMatch(site.log.text(), /Wilma|wilma@|nobody/);
});
