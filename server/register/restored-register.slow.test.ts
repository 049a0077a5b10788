import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { confirmRestored } from '#server/acts/support-acts.ts';
import { createCopies } from '#server/database/copies.ts';
import { openDatabase } from '#server/database/database.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import { createPayments } from '#server/payments/payments.ts';
import { HERSELF } from '#server/record/acts.ts';
import { isPlanAgreed } from '#server/record/charge-plan.ts';
import { stateOf } from '#server/record/registration-state.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { DUE, daysAfter, startCharges } from '#server/testing/test-charges.ts';
import { type EngineName, engines } from '#server/testing/test-database.ts';
import { mailingFor } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const { balanceCents } = edition.facts.prices;
const by = 'Anna';
const HELD = /The register was restored: nothing goes out/;

/** A site with some registrants and its worker; `restore` puts a copy of the register in the place of what came after. */
async function startCopied(t: TestContext, engine?: EngineName) {
  let writes = 0;
  let unread = '';
  const world = await startCharges(t, {
    intercept: ({ method, path }) =>
      unread !== '' && method === 'GET' && path.endsWith(unread) ? { kind: 'rate-limit' } : undefined,
    ...(engine && { engine }),
    log: (line) => {
      if (line.startsWith('POST /v1/customers/')) writes += 1;
    },
  });
  const before = await mailingFor(t, world);
  const { sandbox, databaseUrl } = world;
  const folder = await testFolder(t, 'copies');
  const metadataOf = async (id: string) => {
    const { customerId = '' } = await world.find(id);
    const customer = await world.stripe.customers.retrieve(customerId);
    assert.ok(!customer.deleted);
    const { registration: _, ...mirror } = customer.metadata;
    return mirror;
  };
  return {
    ...before,
    metadataOf,
    metadataWrites: () => writes,
    /** From now on Stripe shows no payment with this id alone; '' for none. */
    hide(id: string) {
      unread = id;
    },
    copy: () => createCopies(databaseUrl, folder)?.beforeChange() ?? assert.fail(),
    async restore() {
      const [name = ''] = await readdir(folder);
      const database = openDatabase(`file:${join(folder, name)}`);
      cleanUp(t, database.close);
      const payments = createPayments({ secretKey: SANDBOX_KEYS.secretKey, apiBase: sandbox.url }, database);
      const letterLog = createLetterLog(database);
      const restored = await mailingFor(t, { ...world, database, payments, letterLog });
      const find = async (id: string) => (await payments.findRegistration(id)) ?? assert.fail(id);
      return { ...restored, find };
    },
  };
}

describe('what a customer says at Stripe of decisions', () => {
  test('is nothing before the first one, follows each, and goes with it', async (t) => {
    const { register, find, now, payments, work, metadataOf, metadataWrites } = await startCopied(t);
    const id = await register();
    await work();
    assert.deepEqual([await metadataOf(id), metadataWrites()], [{}, 0]);
    const act = () => ({ at: now(), by });
    await payments.decide(await find(id), 'waived', { ...act(), cents: 10_000 });
    await payments.decide(await find(id), 'postponed', { ...act(), until: daysAfter(DUE, 3) });
    await payments.renewLinks(await find(id));
    await work();
    assert.deepEqual(Object.keys(await metadataOf(id)).sort(), ['epoch', 'postponed', 'waived']);
    await payments.decide(await find(id), 'waived', { ...act(), withdrawn: true });
    await payments.decide(await find(id), 'cancel', { ...act(), writtenAt: now() });
    await work();
    assert.deepEqual(Object.keys(await metadataOf(id)).sort(), ['cancel', 'epoch', 'postponed']);
    await work();
    assert.equal(metadataWrites(), 2);
  });
});

describe('what a customer says that cannot be read', () => {
  test('is told of, and keeps nothing else back', async (t) => {
    const { register, find, stripe, work, copy, restore, payments, now } = await startCopied(t);
    const [odd, other] = [await register(), await register({ email: 'other@example.org' })];
    await find(odd);
    await find(other);
    await work();
    await copy();
    const { customerId = '' } = await find(odd);
    await stripe.customers.update(customerId, { metadata: { check: 'sent by post' } });
    await payments.decide(await find(other), 'waived', { at: now(), by, cents: 10_000 });
    await work();
    const restored = await restore();
    await assert.rejects(restored.work(), HELD);
    assert.match(restored.log.text(), /Something that Stripe says cannot be taken/);
    assert.doesNotMatch(restored.log.text(), /sent by post/);
    assert.equal((await restored.find(other)).decisions.waived?.cents, 10_000);
    assert.ok((await restored.payments.readRestored())?.isReconciled);
  });
});

describe('a register that is older than it was, such as after a failover', () => {
  for (const engine of engines)
    test(`R8 is held back in the same way, until it is confirmed, on ${engine}`, async (t) => {
      const { register, tell, find, work, moveTo, now, charged, database, payments, context } =
        await startCopied(t, engine);
      const id = await register();
      await find(id);
      await tell(id);
      await work();
      await database.write((transaction) =>
        transaction.updateTable('registrations').set({ version: 1 }).execute(),
      );
      moveTo(DUE);
      await assert.rejects(work(), HELD);
      assert.deepEqual(await charged(id), []);
      assert.ok(await payments.readRestored());
      await assert.rejects(payments.payBalance(await find(id), balanceCents, now()), {
        code: 'payments_paused',
      });
      await confirmRestored(context, { by, 'dry-run': false });
      await work();
      assert.deepEqual(await charged(id), [balanceCents]);
      await assert.rejects(confirmRestored(context, { by, 'dry-run': false }), /was not restored/);
    });
});

describe('a register that was restored from a copy', () => {
  test('R5.1 R8 sends and charges nothing until somebody confirms it, and then knows who paid, cancelled, settled or was forgotten', async (t) => {
    const site = await startCopied(t);
    const { register, tell, find, now, payments, work, copy, restore, moveTo, charged } = site;
    const people = 'cancels settles waived undoes forgotten renews hands plans stays'.split(' ');
    const ids: Record<string, string> = {};
    for (const name of people) {
      const id = await register({ firstName: name, email: `${name}@example.org` });
      await tell(id);
      ids[name] = id;
    }
    const idOf = (name: string): string => ids[name] ?? assert.fail(name);
    const act = () => ({ at: now(), by });
    await payments.decide(await find(idOf('undoes')), 'check', { ...act(), cents: 70_000 });
    await work();
    await site.sendAll();
    await copy();

    const cancel = { at: now(), by: HERSELF, writtenAt: now(), onPage: true } as const;
    await payments.decide(await find(idOf('cancels')), 'cancel', cancel);
    const check = { way: 'check', cents: 70_000, on: now(), number: '1042' } as const;
    await payments.recordReceived(await find(idOf('settles')), { ...act(), ...check });
    await payments.decide(await find(idOf('waived')), 'waived', { ...act(), cents: 30_000 });
    await payments.decide(await find(idOf('undoes')), 'check', { ...act(), withdrawn: true });
    const parts = [30_000, 40_000].map((cents, index) => ({
      number: index + 1,
      cents,
      dueAt: daysAfter(DUE, 5 * (index + 1)),
    }));
    await payments.decide(await find(idOf('plans')), 'plan', { ...act(), parts });
    await payments.decide(await find(idOf('plans')), 'planAgreed', { ...act(), by: HERSELF, parts });
    await payments.renewLinks(await find(idOf('renews')));
    const hands = idOf('hands');
    const name = { firstName: 'Mary', lastName: 'Hart' };
    const mary = { ...name, email: 'mary@example.org', phoneNumber: '+15555550177' };
    const decidedAt = now();
    await payments.decide(await find(hands), 'handOver', { at: decidedAt, by, ...mary });
    await payments.decide(await find(hands), 'handOverAgreed', { ...act(), of: decidedAt });
    const [setupIntent = ''] = (await payments.beginTakersCard(await find(hands), now())).split('_secret_');
    await site.stripe.setupIntents.confirm(setupIntent, { payment_method: 'pm_card_mastercard' });
    const { version, digest } = edition.terms;
    const shown = { version, digest, cents: balanceCents, timeZone: 'Europe/Berlin' };
    await payments.acceptHandOver(hands, { ...shown, setupIntent, decidedAt }, now());
    const late = await register({ firstName: 'late', email: 'late@example.org' });
    await payments.forget(await find(idOf('forgotten')), by, now());
    await work();
    const letters = (await site.sendAll()).length;
    assert.ok(letters > 0);

    const restored = await restore();
    moveTo(DUE);
    // The worker ends between what customers say of her and removing her data.
    site.hide(idOf('forgotten'));
    await assert.rejects(restored.work());
    site.hide('');
    await assert.rejects(restored.work(), HELD);
    assert.equal(await restored.bullQueue.count(), 0);
    for (const id of Object.values(ids)) assert.deepEqual(await charged(id), []);

    const tried = await confirmRestored(restored.context, { by, 'dry-run': true });
    const said = JSON.stringify(tried.says);
    for (const [name, what] of [
      ['cancels', 'cancelled'],
      ['settles', 'a check or a transfer came'],
      ['waived', 'a part was waived'],
      ['undoes', 'pays by check, taken back'],
      ['plans', 'a payment plan was made'],
      ['plans', 'she agreed to her payment plan'],
      ['renews', 'her links were renewed'],
      ['Mary Hart', 'the place came to her from somebody else'],
      ['late', 'registered and paid'],
    ])
      assert.ok(
        said.includes(`${name} O’Hara: ${what}`) || said.includes(`${name}: ${what}`),
        `${name} ${said}`,
      );
    assert.ok(await restored.payments.readRestored());
    await confirmRestored(restored.context, { by, 'dry-run': false });

    const stateAt = async (name: string) => stateOf(await restored.find(idOf(name)), now());
    assert.deepEqual([await stateAt('cancels'), await stateAt('settles')], ['cancelling', 'settled']);
    const { registrant, forgottenAt } = await restored.find(idOf('forgotten'));
    assert.deepEqual([registrant.firstName, registrant.email], ['', '']);
    assert.ok(forgottenAt);
    assert.equal((await restored.find(idOf('renews'))).linksEpoch, 1);
    const taker = await restored.find(hands);
    assert.deepEqual(
      [taker.registrant.email, taker.linksEpoch, taker.namesBefore],
      [mary.email, 1, 'hands O’Hara'],
    );
    // Her consent and her card are lost: no card is charged, and never that of who had the place before.
    assert.deepEqual([taker.card, taker.agreement, await charged(hands)], [undefined, undefined, []]);
    assert.equal((await restored.find(late)).registrant.firstName, 'late');
    await restored.work();
    const sums = async (name: string) => charged(idOf(name));
    for (const one of ['cancels', 'settles', 'forgotten', 'hands'])
      assert.deepEqual(await sums(one), [], one);
    assert.deepEqual(await sums('stays'), [balanceCents]);
    // The balance that the copy would charge is divided since, and its first part is not due yet.
    assert.deepEqual([await sums('plans'), isPlanAgreed(await restored.find(idOf('plans')))], [[], true]);
    // 700 less 300, with the fee of 3.75%. What was withdrawn after her notice is not charged without another one.
    assert.deepEqual([await sums('waived'), await sums('undoes')], [[41_500], []]);
    const kinds = await restored.sendAll();
    assert.deepEqual(kinds.filter((kind) => kind === 'please-pay').length, 3, String(kinds));
    assert.deepEqual(await charged(late), []);
  });
});
