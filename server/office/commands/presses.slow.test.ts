import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readActs } from '#server/registration/acts.ts';
import { core, terminal } from '#server/testing/command-drivers.ts';
import { otherRows, paid, registrationRows } from '#server/testing/command-rows.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { type Office, startOffice } from '#server/testing/test-office.ts';

const kindsOf = async ({ database }: Office, key: string): Promise<string[]> =>
  (await database.read((transaction) => readActs(transaction, key))).map(({ kind }) => kind);

const isAboutRegistrations = (id: string): boolean => registrationRows.some(({ command }) => command === id);

describe('without a page', () => {
  for (const { command, arrange = paid, typed = {}, acts = [], does } of [
    ...registrationRows,
    ...otherRows,
  ]) {
    const start = (t: Parameters<typeof startOffice>[0]) =>
      startOffice(t, { writesOnce: !isAboutRegistrations(command) });

    test(`${command}: the core does what was shown once, and nothing where that has changed`, async (t) => {
      const office = await start(t);
      const key = await arrange(office, t);
      const before = await kindsOf(office, key);
      const stale = await core(office, key, command, typed);
      if (isAboutRegistrations(command)) {
        before.push('office-link');
        await recordAct(office.database, key, 'office-link', { at: office.now() });
        assert.equal(await stale.press(), false);
      }
      const shown = await core(office, key, command, typed);
      assert.equal(await shown.press(), true);
      assert.deepEqual(await kindsOf(office, key), [...before, ...acts]);
      assert.equal(await shown.press(), false);
      assert.deepEqual(await kindsOf(office, key), [...before, ...acts]);
    });

    test(`${command}: the terminal does what its dry run said`, async (t) => {
      const office = await start(t);
      const key = await arrange(office, t);
      const before = await kindsOf(office, key);
      assert.equal(await (await terminal(office, key, command, typed)).press(), true);
      assert.deepEqual(await kindsOf(office, key), [...before, ...acts]);
      if (does) assert.ok(await does(office, key));
    });
  }
});
