import assert from 'node:assert/strict';
import { test } from 'node:test';
import request from 'supertest';
import { sampleUserLines } from '#scripts/product/environment.ts';
import { askQuestions, testQuestions } from '#server/testing/test-editions.ts';
import { openTestOffice, signIn } from '#server/testing/test-office.ts';
import { startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { officePaths } from './paths.ts';

test('who of the office looked at whom is in the log: one line each, without a name or the words of a search', async (t) => {
  const site = await startRegistered(t, { env: { OPS_USERS: sampleUserLines() } });
  await site.pay();
  await site.find();
  const office = openTestOffice(t, site);
  const { get, press } = await signIn(office, 'office');
  const support = await signIn(office, 'support');
  const looks = () =>
    site.log.lines('"look":').map(({ look, user, role, msg, time: _, level: __, service: ___, ...facts }) => {
      assert.equal(msg, 'Look of a user');
      return [look, user, role, facts];
    });
  const { id } = site;
  const her = { paymentIntent: id };
  const shown = [
    [officePaths.list, 'list', { rows: 1 }],
    [`${officePaths.list}?search=Wilma`, 'list', { rows: 1, search: true }],
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
  await press(officePaths.act(id, 'edit'), { lastName: '' }).expect(422);
  await press(officePaths.register(edition.facts.id), { email: 'wilma@example.org' }).expect(422);
  await support.get(officePaths.queues).expect(200);
  assert.deepEqual(looks(), [
    ...shown.map(([, look, facts]) => [look, 'office', 'office', facts]),
    ['registration', 'office', 'office', { ...her, page: 'edit' }],
    ['register', 'office', 'office', { page: 'register' }],
    ['queue', 'support', 'support', {}],
  ]);
  const lines = looks().length;

  // Nobody is shown by these.
  await get(officePaths.registration('pi_none')).expect(404);
  await get(officePaths.export('pi_none')).expect(404);
  await get(officePaths.act(id, 'wilma@example.org')).expect(404);
  await get(officePaths.act(id, 'forget')).expect(403);
  await get(officePaths.queues).expect(403);
  await support.get(officePaths.status).expect(200);
  const stranger = openTestOffice(t, site);
  for (const path of [officePaths.list, officePaths.registration(id)])
    await request(stranger).get(path).expect(303);
  assert.equal(looks().length, lines);
  assert.doesNotMatch(site.log.text(), /Wilma|wilma@|nobody/);
});

test('answers about health are in no page and no spreadsheet unless a user asks for them, which the log notes', async (t) => {
  askQuestions(t);
  const site = await startRegistered(t, { env: { OPS_USERS: sampleUserLines() } });
  await site.pay();
  const { get } = await signIn(openTestOffice(t, site), 'office');
  const given = [
    { question: testQuestions.name, answer: 'Wil' },
    { question: testQuestions.health, answer: 'Asthma' },
  ];
  await site.payments.answerQuestions(await site.find(), given, site.now());
  const page = officePaths.registration(site.id);
  for (const path of [page, officePaths.csv]) {
    const told = (await get(path).expect(200)).text;
    assert.ok(told.includes('What shall we call you?') && told.includes('Wil'), path);
    assert.doesNotMatch(told, /Asthma/);
    assert.match((await get(`${path}?health=shown`).expect(200)).text, /Asthma/);
  }
  assert.match((await get(page)).text, /<details><summary>About her health<\/summary>.*health=shown#answers/);
  assert.match((await get(officePaths.list)).text, /registrations\.csv\?edition=[^"]*&amp;health=shown/);
  assert.deepEqual(
    site.log.lines('"health":true').map(({ look }) => look),
    ['registration', 'spreadsheet'],
  );
  assert.doesNotMatch(site.log.text(), /Asthma/);
});
