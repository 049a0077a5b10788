import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { paymentIn } from '#server/testing/test-charges.ts';
import { engines, insertFound, recordAct, testDatabase } from '#server/testing/test-database.ts';
import { startPost } from '#server/testing/test-mailing.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { countRegister, registrationsOf } from './registration-index.ts';

const { facts } = edition;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Five days before the balance is announced. */
const now = () => new Date(Date.parse(facts.balance.noticeAt) - 5 * DAY_MS);

/** The site and its worker on a date of the edition. */
async function startInSeason(t: TestContext) {
  const post = await startPost(t, { clock: { now: () => now().getTime() }, changes: { now } });
  const { app, stripe } = post;
  const begin = async (firstName: string): Promise<string> => {
    const changes = { firstName, email: `${firstName}@example.org`, timeZone: 'Europe/Berlin' };
    const { body } = await submitContact(app, changes, firstName.padEnd(32, '0')).expect(200);
    return paymentIn(String(body.paymentIntentClientSecret));
  };
  const pay = (payment: string) => stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
  const list = () => registrationsOf(post, edition);
  /** Starts a worker; resolves once it has looked at all registrations. */
  const lookAtAll = async () => {
    post.startWorker({ now });
    await post.untilWorked();
  };
  return { ...post, begin, pay, list, lookAtAll };
}

describe('the registrations that the worker has looked at', () => {
  for (const [kind, facts] of [
    ['disputeOver', { charges: [], disputes: [] }],
    ['cancel', { writtenAt: now() }],
  ] as const)
    test(`leave out one whose ${kind} cannot be read: it needs a person, and the others are processed`, async (t) => {
      const post = await startInSeason(t);
      await post.pay(await post.begin('Older'));
      const broken = registrationOf(await post.pay(await post.begin('Broken')));
      await post.pay(await post.begin('Newer'));
      const act = await recordAct(post.database, broken, kind, { at: now(), ...facts });
      await post.database.write((transaction) =>
        transaction.updateTable('acts').set({ facts: '{"charges":0}' }).where('id', '=', act).execute(),
      );
      await post.lookAtAll();
      const listed = await post.list();
      assert.deepEqual(listed.map(({ registrant }) => registrant.firstName).sort(), ['Newer', 'Older']);
      await post.untilSent(4);
      assert.equal((await countRegister(post.database)).attention, 1);
      const reason = `"reason":"The act ${act} \\(${kind}\\) cannot be read"`;
      assert.match(post.log.text(), new RegExp(`"level":"error".*"registration":"${broken}".*${reason}`));
    });
});

for (const engine of engines)
  test(`the register is counted by what the worker found, on ${engine}`, async (t) => {
    const { database } = await testDatabase(t, engine);
    await insertFound(
      database,
      { state: 'settled' },
      { state: 'settled' },
      { state: 'due', overdue: 'declined' },
      { attention: 'unreadable' },
    );
    assert.deepEqual(await countRegister(database), {
      attention: 1,
      registrations: [
        { edition: 'january-2026', state: 'due', count: 1 },
        { edition: 'january-2026', state: 'settled', count: 2 },
      ],
      overdue: [{ reason: 'declined', count: 1 }],
      overbooked: [],
    });
  });
