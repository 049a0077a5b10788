import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wordsOfState } from '#server/office/words.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { engines, testDatabase } from '#server/testing/test-database.ts';
import { manyRegistrations, recordWith } from '#server/testing/test-registrations.ts';
import { refreshIndex } from '#server/worker/look.ts';
import { groupNames } from '#server/worker/registration-index.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import {
  everybodyOf,
  type ListQuery,
  readListed,
  readListQuery,
  readTallies,
  sumsOf,
} from './find-listed.ts';

const NOW = new Date('2025-12-15T12:00:00-08:00');
const ALL = everybodyOf(edition);
const NONE_FAILED = new Map<string, number>();

const person = (id: string, firstName: string, lastName: string, email: string, phoneNumber: string) =>
  recordWith({ id, registrant: { firstName, lastName, email, phoneNumber, timeZone: '' } });
const people = [
  person('reg_3Abc', 'Łucja', 'Çelik-Großmann', 'Lucja@Example.org', '+49 (0) 170 / 555-0142'),
  person('reg_2', 'Siobhán', 'O’Brien', 'siobhan@xn--bcher-kva.example', '0176 5550188'),
  person('reg_1', '100%_', 'Back\\slash', 'per_cent@example.com', ''),
];
const searched = [
  ...people,
  person('reg_4', 'Jörg', 'Müller', 'jm@müller.example', '+49 (0)30 7654321'),
  person('reg_5', 'Ærø', 'Åström', 'five@example.com', '0301234567'),
  person('reg_6', 'Joanna', 'Mueller-Manuel', 'six@example.com', '(310) 555-0199'),
  person('reg_7', 'José', 'Pärt', 'seven@example.com', '０９０－１２３４－５６７８'),
  person('reg_8', 'Ana', 'Grün', 'eight@example.com', '+39 06 1234 5670 ext. 12'),
];

const found: [typed: string, who: string | string[], why: string][] = [
  ['+49307654321', 'reg_4', 'her number as a telephone shows it'],
  ['0049307654321', 'reg_4', 'the same with the prefix of Europe'],
  ['+49 (0)30 7654321', 'reg_4', 'her number as it was typed'],
  ['030 7654321', 'reg_4', 'her number as it is dialled at home'],
  ['+4930', 'reg_4', 'the beginning of her number'],
  ['+49301234567', 'reg_5', 'a number that was given without the country’s code'],
  ['+493012345', '', 'a part of a number may be anybody’s in her country'],
  ['+1 310 555 0199', 'reg_6', 'a number of another country'],
  ['٠٩٠١٢٣٤٥٦٧٨', 'reg_7', 'digits of one script for those of another'],
  ['０９０・１２３４・５６７８', 'reg_7', 'digits between middle dots'],
  ['+39 06 12345670', 'reg_8', 'a number whose zero is dialled from abroad, too'],
  ['0612345670', 'reg_8', 'the same at home'],
  ['mueller', ['reg_4', 'reg_6'], 'an umlaut that is spelt out'],
  ['Müller', ['reg_4', 'reg_6'], 'an umlaut, for who spells it out'],
  ['muller', 'reg_4', 'no umlaut'],
  ['mül\u200bler jörg', 'reg_4', 'an invisible character'],
  ['@mueller.example', 'reg_4', 'her domain'],
  ['aastroem', 'reg_5', 'two such letters'],
  ['astrom', 'reg_5', 'the same without their marks'],
  ['manuel', 'reg_6', 'letters that are no umlaut'],
  ['manul', '', 'they are not one'],
  ['joe', 'reg_4', 'not everybody who begins with jo'],
  ['łucja', 'reg_3Abc', 'her first name'],
  ['LUCJA celik', 'reg_3Abc', 'both names, without accents, in capitals'],
  ['celik grossmann', 'reg_3Abc', 'a double name without its hyphen'],
  ['çelik‐großmann', 'reg_3Abc', 'a double name with another hyphen'],
  ['lucja@example', 'reg_3Abc', 'her address'],
  ['REG_3abc', 'reg_3Abc', 'the registration’s id'],
  ['PI_3abc', 'reg_3Abc', 'the payment, which a receipt names'],
  ['3abc', 'reg_3Abc', 'a part of an id'],
  ['5550142', 'reg_3Abc', 'her number without separators'],
  ['170/5550142', 'reg_3Abc', 'her number without the country code'],
  ['o’brien', 'reg_2', 'an apostrophe'],
  ["O'Brien", 'reg_2', 'another apostrophe'],
  ['siobhan@bücher.example', 'reg_2', 'her domain in its own script'],
  ['bucher', 'reg_2', 'a part of that domain'],
  ['0176 555', 'reg_2', 'a number with a leading zero'],
  ['176555', 'reg_2', 'a number without its leading zero'],
  ['100%', 'reg_1', 'a sign that SQL knows'],
  ['r_c', 'reg_1', 'a third one'],
  ['lucja miller', '', 'one of the words is not hers'],
  ['l%a', '', 'a sign stands for itself'],
];

test('a search is read as it was meant', () => {
  const search = (typed: string) => readListQuery({ search: typed }, [edition]).search;
  assert.equal(search('\u202a lucja@example.org\u202c'), 'lucja@example.org');
  assert.equal(search('ｌｕｃｊａ\u0000Çelik'), 'lucja Çelik');
});

for (const engine of engines)
  describe(`the list, on ${engine}`, () => {
    test('is searched by parts of names, addresses, numbers and payments, as people type them', async (t) => {
      const { database } = await testDatabase(t, engine);
      await putOnRecord(database, searched);
      await refreshIndex(database, edition, NOW);
      const finds = async (search: string) => {
        const query = { ...ALL, search };
        const rows = await database.read((transaction) => readListed(transaction, query, NONE_FAILED));
        return rows.map(({ registration }) => registration);
      };
      for (const [typed, who, why] of found) {
        const those = who === '' ? [] : [who].flat();
        assert.deepEqual((await finds(typed)).toSorted(), those, `${typed}: ${why}`);
      }
      assert.equal((await finds(' ')).length, searched.length);
    });

    test('has the registrations of a group in the requested order, and their number and sums', async (t) => {
      const { database } = await testDatabase(t, engine);
      const records = manyRegistrations(90, NOW);
      await putOnRecord(database, records);
      await refreshIndex(database, edition, NOW);
      const newest = records.toSorted((one, other) => Number(other.begunAt) - Number(one.begunAt));
      const [first, second] = newest;
      assert.ok(first && second);
      const failed = new Map([[first.id, 2]]);
      await database.read(async (transaction) => {
        const find = (query: Partial<ListQuery>) => readListed(transaction, { ...ALL, ...query }, failed);
        assert.deepEqual(
          (await find({})).map(({ registration }) => registration),
          newest.map(({ id }) => id),
        );
        const names = await find({ sort: 'name' });
        const lasts = names.map(({ lastName }) => lastName);
        assert.deepEqual([lasts.at(0), lasts.at(-1)], ['Almeida', 'O’Neill']);
        assert.ok(lasts.indexOf('Ångström') < lasts.indexOf('Brown'));
        const tallies = await readTallies(transaction, ALL, failed);
        for (const group of groupNames) {
          const sums = { count: 0, inCents: 0, backCents: 0, toPayCents: 0 };
          for (const row of await find({ group })) {
            sums.count += 1;
            for (const column of ['inCents', 'backCents', 'toPayCents'] as const) sums[column] += row[column];
          }
          assert.deepEqual(sumsOf(tallies, group), sums, group);
        }
        assert.equal(sumsOf(tallies, 'letter-failed').count, 1);
        const [row] = await find({});
        assert.deepEqual(row?.needs.slice(-2), ['letter-failed', 'letter-failed']);
      });
    });

    test('shows a state of a later release without its words, and leaves out what cannot be read', async (t) => {
      const { database } = await testDatabase(t, engine);
      await putOnRecord(database, people);
      await refreshIndex(database, edition, NOW);
      const found = { reg_1: { state: 'frozen' }, reg_2: { state: null, groups: '' } };
      await database.write(async (transaction) => {
        for (const [registration, columns] of Object.entries(found))
          await transaction
            .updateTable('registrationIndex')
            .set(columns)
            .where('registration', '=', registration)
            .execute();
      });
      const rows = await database.read((transaction) => readListed(transaction, ALL, NONE_FAILED));
      assert.deepEqual(
        rows.map(({ registration, state }) => `${registration} ${wordsOfState(state)}`),
        ['reg_1 Not known to this release', 'reg_3Abc Deposit paid'],
      );
    });
  });
