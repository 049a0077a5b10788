import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { moneyLines, standingOf } from '#server/office/summary-words.ts';
import { wordsOfState } from '#server/office/words.ts';
import { findRegistration, readActs, stateOf } from '#server/registration/registration.ts';
import { core, page, terminal, withCommand } from '#server/testing/command-drivers.ts';
import { type CommandRow, otherRows, paid, registrationRows } from '#server/testing/command-rows.ts';
import { recordAct, textOf } from '#server/testing/test-database.ts';
import { type Office, startOffice } from '#server/testing/test-office.ts';
import { formatCents } from '#shared/money.ts';
import { withSubjects } from './subjects.ts';

/** Requests to the worker are no change. */
const PASSING = /^bull:due-work/;

/** All that the register, Stripe and Redis hold. */
async function everything({ database, held }: Office): Promise<string[]> {
  const [atStripe = '', inRedis = ''] = await held();
  return [await textOf(database), atStripe, ...inRedis.split('\n').filter((line) => !PASSING.test(line))];
}

/** How a registration and its money stand, by the names of the rows that a preview compares. */
async function viewOf({ payments, now }: Office, id: string): Promise<Map<string, string>> {
  const record = await findRegistration(payments, id);
  if (!record) return new Map();
  const view = new Map([
    ['State', wordsOfState(stateOf(record, now()))],
    ['What comes next', standingOf(record, now()).join(' ')],
  ]);
  for (const { what, how, cents } of moneyLines(record, now()))
    view.set(`${what}, ${how}`, formatCents(cents));
  return view;
}

const actsOf = async ({ database }: Office, key: string) =>
  database.read((transaction) => readActs(transaction, key));

/** Somebody gives a wrong proof on her page. */
const proofMeanwhile = ({ database, now }: Office, id: string) =>
  recordAct(database, id, 'proof-failed', { at: now(), by: 'Sol' });

const rows: readonly CommandRow[] = [
  ...registrationRows.map((row) => ({ meanwhile: proofMeanwhile, ...row })),
  ...otherRows,
];

describe('every command of the office', () => {
  test('has a row here, but for what only a terminal takes', () => {
    const ids = withSubjects(({ commands }) => commands.map(({ id }) => id)).flat();
    assert.deepEqual(
      rows.map(({ command }) => command).toSorted(),
      ids.filter((id) => id !== 'looked-at').toSorted(),
    );
  });

  for (const { command, arrange = paid, meanwhile, typed, acts = [], does, role } of rows)
    test(`${command}: previewed alike everywhere, done by one press`, async (t) => {
      // The waiting list notes the moment of each run of a write.
      const office = await startOffice(t, {
        writesOnce: !registrationRows.some((row) => row.command === command),
      });
      const { signIn, see, audited } = office;
      const key = await arrange(office, t);
      const giving = [key, command, typed ?? {}] as const;
      const path = withCommand<string>(giving, (subject) => subject.pathOf(key, command));
      const before = await everything(office);
      const unchanged = async () => assert.deepEqual(await everything(office), before);
      if (role) {
        for (const step of ['', 'confirm'])
          assert.equal((await office.previewAt(path, { step })).status, 403);
        signIn({ name: 'Anna', role });
      }
      assert.equal((await see(path)).status, 200);
      const { says, compared } = await core(office, ...giving);
      assert.ok(says.length > 0);
      assert.deepEqual((await terminal(office, ...giving)).says, says);
      const shown = await page(office, ...giving);
      assert.deepEqual(shown.says, says);
      await unchanged();

      let fresh = shown;
      if (meanwhile) {
        await meanwhile(office, key);
        const since = await everything(office);
        assert.equal(await shown.press(), false, 'a stale preview');
        assert.deepEqual(await everything(office), since);
        fresh = await page(office, ...giving);
      }
      const view = await viewOf(office, key);
      const known = new Set((await actsOf(office, key)).map(({ id }) => id));
      assert.equal(await fresh.press(), true);
      const added = (await actsOf(office, key)).filter(({ id }) => !known.has(id));
      assert.deepEqual(
        added.map(({ kind }) => kind),
        acts,
      );
      assert.ok(added.every(({ byWhom }) => byWhom === 'Anna'));
      if (does) assert.ok(await does(office, key));
      else {
        for (const [name, , then] of compared ?? []) view.set(name, then);
        for (const [name, words] of await viewOf(office, key))
          assert.equal(words, view.get(name) ?? '', name);
      }
      const done = await everything(office);
      assert.equal(await fresh.press(), false, 'a second press');
      assert.deepEqual(await everything(office), done);
      assert.ok(audited.includes(`Anna ${command}: done`));
    });
});
