import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { CommandContext } from '#server/office/commands/command.ts';
import { registrations } from '#server/office/commands/subjects.ts';
import { give } from '#server/testing/command-rows.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import { giveCommand } from './command.ts';

async function startNotes(t: TestContext, options: Parameters<typeof startOffice>[1] = {}) {
  const office = await startOffice(t, options);
  const id = await office.register();
  return {
    ...office,
    id,
    note: (text: string, callBack = '') => give(office, id, 'note', { text, callBack }),
    needs: async () => needsOf(await office.find(id), office.now()).map(({ need }) => need),
  };
}

describe('a note about a registrant', () => {
  test('takes one transaction of four statements at most, and asks Stripe nothing', async (t) => {
    const asked: string[] = [];
    const office = await startNotes(t, {
      writesOnce: true,
      intercept({ path }) {
        asked.push(path);
        return undefined;
      },
    });
    const { id, context, stripe, letterLog, payments, database } = office;
    const transactions: number[] = [];
    const counted = {
      ...database,
      write: <Result>(
        work: (transaction: Parameters<Parameters<typeof database.write>[0]>[0]) => Promise<Result>,
      ) =>
        database.write((transaction) => {
          transactions.push(0);
          return work(
            transaction.withPlugin({
              transformQuery({ node }) {
                transactions.push((transactions.pop() ?? 0) + 1);
                return node;
              },
              transformResult: async ({ result }) => result,
            }),
          );
        }),
    };
    const counting: CommandContext = {
      ...context,
      payments: {
        ...payments,
        ask: (operation, ...given) => operation({ stripe, database: counted, letterLog }, ...given),
      },
    };
    const about = await registrations.find(context, id);
    const note = registrations.commands.find((one) => one.id === 'note') ?? assert.fail();
    const prepared = note.prepare({ text: 'Comes by train' }, about);
    assert.ok('plan' in prepared);
    asked.length = 0;
    const plan = await prepared.plan({ about, by: 'Anna', context: counting });
    const { outcome } = await giveCommand(plan, registrations.version(about), { isTried: false, context });
    assert.equal(outcome, 'done');
    assert.deepEqual(asked, []);
    assert.equal(transactions.length, 1);
    assert.ok((transactions[0] ?? 0) <= 4, `${transactions}`);
  });
});
