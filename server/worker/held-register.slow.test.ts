import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openDatabase } from '#server/database/database.ts';
import { act } from '#server/office/terminal/act-command.ts';
import { registerCommands } from '#server/office/terminal/register-commands.ts';
import { linkDigest, readHeld } from '#server/registration/registration.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import { decide } from '#server/stripe/decide.ts';
import { closeUnpaid, endUnpaid } from '#server/stripe/forget.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { payOnPage } from '#server/testing/test-cards.ts';
import { DUE, startCharges } from '#server/testing/test-charges.ts';
import { type EngineName, engines, recordAct } from '#server/testing/test-database.ts';
import { mailingFor } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { afterFirstLook, keepActs } from './kept-outside.ts';

const { balanceCents } = edition.facts.prices;
const HELD = /The register is held, nothing goes out before `support release`/;
const KEPT = 'due-work:kept';

type Site = Awaited<ReturnType<typeof startSite>>;

/** A site with its worker, which keeps marks and acts in Redis and in a folder. */
async function startSite(t: TestContext, engine?: EngineName, backup: 'folder' | 'none' = 'none') {
  const world = await startCharges(t, engine && { engine });
  const folder = await testFolder(t, 'copies');
  const backupFolder = backup === 'folder' ? folder : undefined;
  const withMailing = async (given: typeof world) => {
    const { work, context, ...mailing } = await mailingFor(t, given);
    const run = (name: 'hold' | 'release', ...words: string[]) => {
      const command = registerCommands.find((one) => one.name === name) ?? assert.fail(name);
      return command.run([...words, '--by', 'Anna'], { env: {}, withContext: (work) => work(context) });
    };
    return { ...mailing, context, run, work: () => work({ backupFolder }) };
  };
  const site = await withMailing(world);
  /** Somebody who has paid her deposit and was told of the charge. */
  const registerTold = async (): Promise<string> => {
    const id = await site.register();
    await site.find(id);
    await site.tell(id);
    await site.work();
    return id;
  };
  const registerDue = async (): Promise<string> => {
    const id = await registerTold();
    site.moveTo(DUE);
    return id;
  };
  return { ...site, folder, registerTold, registerDue };
}

/** What must wait waits: letters, charges, her pay button; until `release`. */
async function assertHeld(
  site: Pick<Site, 'work' | 'charged' | 'bullQueue' | 'payments' | 'find' | 'now' | 'outbox'>,
  id: string,
) {
  const queued = await site.bullQueue.count();
  await assert.rejects(site.work(), HELD);
  assert.equal(await site.bullQueue.count(), queued);
  assert.equal(await site.outbox.findDue('welcome'), 'held');
  await site.payments.ask(chargeBalance, id, site.now());
  assert.deepEqual(await site.charged(id), []);
  const pays = payOnPage(site, await site.find(id), site.now());
  await assert.rejects(pays, {
    code: 'register_held',
    message: /not possible at the moment. Nothing is lost/,
  });
}

for (const engine of engines)
  describe(`a register that is older than it was, on ${engine}`, () => {
    test('R8 is held where a mark in Redis is missing, and goes on once it is released', async (t) => {
      const site = await startSite(t, engine);
      const id = await site.registerDue();
      await site.database.write((transaction) => transaction.deleteFrom('marks').execute());
      await assertHeld(site, id);
      // What does not go out need not wait.
      assert.ok(await site.begin({ email: 'new@example.org' }));
      await site.run('release');
      await site.work();
      assert.deepEqual(await site.charged(id), [balanceCents]);
      await assert.rejects(site.run('release'), /is not held/);
    });

    test('R8 so it is where an act is missing that came after the last mark', async (t) => {
      const site = await startSite(t, engine);
      const id = await site.registerTold();
      const afterActs = keepActs(site.connection, site.log.logger);
      const app = openDatabase(site.databaseUrl, { afterActs });
      cleanUp(t, app.close);
      await recordAct(app, id, 'note', { at: site.now(), by: 'Anna', text: 'Called.' });
      site.moveTo(DUE);
      await site.database.write((transaction) =>
        transaction.deleteFrom('acts').where('kind', '=', 'note').execute(),
      );
      await assertHeld(site, id);
    });

    test('R8 a BACKUP_DIR that takes nothing holds nothing back, and the log says so', async (t) => {
      const site = await startSite(t, engine, 'folder');
      const id = await site.registerDue();
      await rm(site.folder, { recursive: true });
      await writeFile(site.folder, '');
      await site.work();
      assert.deepEqual(await site.charged(id), [balanceCents]);
      assert.match(site.log.text(), /"The mark could not be kept in BACKUP_DIR"/);
    });

    test('R8 a Redis that came back an hour old holds nothing back', async (t) => {
      const site = await startSite(t, engine);
      const id = await site.registerDue();
      const before = await site.connection.lrange(KEPT, 0, -1);
      assert.ok(before.length > 0);
      await site.database.write((transaction) =>
        transaction
          .insertInto('marks')
          .values({ id: 'later', madeAt: site.now() })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
      await site.work();
      await site.connection.del(KEPT);
      await site.connection.rpush(KEPT, ...before);
      await site.work();
      assert.deepEqual(await site.charged(id), [balanceCents]);
    });

    test('R8 with nothing kept in Redis PostgreSQL is held, unless BACKUP_DIR knows it', async (t) => {
      for (const backup of ['none', 'folder'] as const) {
        const site = await startSite(t, engine, backup);
        await site.registerDue();
        await site.connection.del(KEPT);
        if (engine === 'postgres' && backup === 'none') await assert.rejects(site.work(), HELD);
        else await site.work();
      }
    });

    test('R8 a mark in BACKUP_DIR is missing, and Redis is empty', async (t) => {
      const site = await startSite(t, engine, 'folder');
      const id = await site.registerDue();
      const file = join(site.folder, 'mark');
      assert.notEqual(await readFile(file, 'utf8'), '');
      await site.connection.del(KEPT);
      await writeFile(file, 'a-later-mark');
      await assertHeld(site, id);
    });

    test('R8 an unpaid deposit at Stripe without its row holds it, too', async (t) => {
      const site = await startSite(t, engine);
      await site.work();
      await site.begin();
      await site.database.write(async (transaction) => {
        for (const table of ['registrationIndex', 'installments', 'registrations'] as const)
          await transaction.deleteFrom(table).execute();
        await transaction.updateTable('register').set({ comparedAt: null }).execute();
      });
      await assert.rejects(site.work(), HELD);
      assert.match((await readHeld(site.payments))?.why ?? '', /a deposit of this site/);
      await site.run('release');
      // It is still missing at the next comparison, and whoever released it knew that.
      await site.database.write((transaction) =>
        transaction.updateTable('register').set({ comparedAt: null }).execute(),
      );
      await site.work();
      assert.equal(await readHeld(site.payments), undefined);
    });
  });

test('R8 a register is held by hand, with a reason', async (t) => {
  const site = await startSite(t);
  const id = await site.registerDue();
  await assert.rejects(async () => site.run('hold', '--reason', ''), /must say why/);
  await site.run('hold', '--reason', 'The machine is set back.');
  await assertHeld(site, id);
  assert.match(String(await site.run('release', '--dry-run')), /The machine is set back/);
  assert.equal((await readHeld(site.payments))?.why, 'The machine is set back.');
});

test('R8 nothing is given back and nobody is forgotten while it is held', async (t) => {
  const site = await startSite(t);
  const id = await site.registerDue();
  await site.work();
  const decision = { at: site.now(), by: 'Anna', cents: 500, reason: 'illness' };
  await site.payments.ask(decide, await site.find(id), 'waived', decision);
  await site.run('hold', '--reason', 'The machine is set back.');
  await site.payments.ask(decide, await site.find(id), 'refund', decision);
  const giveBack = () => site.payments.ask(makeDueRefunds, id, site.now());
  assert.deepEqual(await giveBack(), { type: 'stopped', why: 'register-held' });
  await assert.rejects(site.work(), HELD);
  await site.run('release');
  assert.deepEqual(await giveBack(), { type: 'given-back', cents: 500 });

  site.moveTo(new Date(edition.facts.endsAt));
  await site.run('hold', '--reason', 'The machine is set back.');
  const forget = () => act(site.context, id, { kind: 'forget', fields: [], by: 'Anna', isTried: false });
  await assert.rejects(forget(), /Nobody’s data are removed while the register is held/);
  const held = { code: 'register_held' };
  const unpaid = (await site.begin()).id;
  const { email } = (await site.find(unpaid)).registrant;
  await assert.rejects(site.payments.ask(endUnpaid, unpaid, linkDigest(email), site.now()), held);
  const record = await site.find(unpaid);
  await assert.rejects(site.payments.ask(closeUnpaid, record.id, { at: site.now(), by: 'Anna' }), held);
  assert.equal((await site.find(unpaid)).registrant.email, email);
});

test('R5.1 R8 the first letter waits until what is kept outside was looked for', async (t) => {
  const site = await startSite(t);
  const id = await site.registerTold();
  const start = () => afterFirstLook(site.outbox, { ...site, redis: site.connection, ...site.log });
  const kindOf = (due: Awaited<ReturnType<typeof site.outbox.findDue>>) =>
    typeof due === 'object' ? due.kind : due;
  const welcome = (await site.letterLog.about(id)).find(({ kind }) => kind === 'welcome') ?? assert.fail();
  assert.equal(kindOf(await start().findDue(welcome.id)), 'welcome');
  const started = start();
  await site.database.write((transaction) => transaction.deleteFrom('marks').execute());
  // The worker has not looked yet, and the register is not held.
  assert.equal(await started.findDue(welcome.id), 'held');
  assert.equal(await readHeld(site.payments), undefined);
});
