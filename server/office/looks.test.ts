import assert from 'node:assert/strict';
import { test } from 'node:test';
import request from 'supertest';
import { sampleUserLines } from '#scripts/product/environment.ts';
import { recordTransactions } from '#server/stripe/catch-up.ts';
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
  const looks = () => site.log.lines('"look":').map(({ look, user, role }) => [look, user, role]);
  const { id } = site;
  const shown = [
    officePaths.list,
    officePaths.csv,
    officePaths.participants,
    officePaths.participantsCsv,
    officePaths.registration(id),
    officePaths.export(id),
    officePaths.act(id, 'edit'),
    officePaths.letters,
    officePaths.bookkeeping,
    officePaths.waiting,
  ];
  for (const path of shown) await get(path).expect(200);
  await get(`${officePaths.list}?search=Wilma&show=registered`).expect(200);
  const wrong = [officePaths.act(id, 'edit'), officePaths.register(edition.facts.id)];
  for (const path of wrong) await press(path, { email: 'wilma@' }).expect(422);
  const paths = [...shown, officePaths.list, ...wrong];
  assert.deepEqual(
    looks(),
    paths.map((path) => [path, 'office', 'office']),
  );
  const lines = looks().length;

  // Nobody is shown by these.
  await get(officePaths.registration('reg_none')).expect(404);
  await get(officePaths.export('reg_none')).expect(404);
  await get(officePaths.act(id, 'wilma@example.org')).expect(404);
  await get(officePaths.act(id, 'forget')).expect(403);
  const stranger = openTestOffice(site);
  for (const path of [officePaths.list, officePaths.registration(id)])
    await request(stranger).get(path).expect(303);
  assert.equal(looks().length, lines);
  assert.doesNotMatch(site.log.text(), /Wilma|wilma@|nobody/);
});
