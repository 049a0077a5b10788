import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCommand } from '#server/office/terminal/run-command.ts';
import { letter } from '#server/testing/sample-letters.ts';
import { insertFound } from '#server/testing/test-database.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { startTestStatus } from '#server/testing/test-office.ts';
import { failMail, startTestWorker } from '#server/testing/test-queue.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { noteDueWork } from '#server/worker/due-work.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const AT = new Date('2025-12-22T01:00:00Z');
const SINCE_THEN = /\nSince Dec 21, 2025, 5:00 PM PST\.\n/;
type Status = Awaited<ReturnType<typeof startTestStatus>>;

describe('the status page', () => {
  test('all is well: a worker is there and did what was due; then it is away, since it last did that', async (t) => {
    const status = await startTestStatus(t);
    const { redis, log, outbox } = status;
    const { worker } = startTestWorker(t, { redis, log, outbox, mailServer: await startMailServer(t) });
    await log.until('Redis is connected', 2);
    assert.match(await status.read(), /What is due is not done/);
    await noteDueWork(status.connection, new Date());
    assert.match(await status.read(), /^All is well\.\nLooked at on .+ P[DS]T\. Look again$/);
    await worker.close();
    // Redis drops the worker's connections a moment after they are closed.
    let text = '';
    while (!text.includes('The worker is away')) text = await status.read();
    assert.match(text, /^Something is wrong\.\n/);
    assert.match(text, /The worker is away: no message, .+\nSince .+\ndocker compose restart worker;/);
  });

  for (const [what, arrange, says] of [
    [
      'a register that cannot be written',
      async ({ probe }: Status) => {
        probe.isWritable = () => false;
        probe.awaySince = () => AT;
      },
      [/The register cannot be used: nobody can register/, SINCE_THEN, /docker compose logs app/],
    ],
    [
      'a register that is held',
      ({ setRegister }: Status) => setRegister({ heldAt: AT, heldWhy: 'It is a copy.' }),
      [
        /The register is held: no message, charge or refund goes out. It is a copy/,
        SINCE_THEN,
        /support release --by NAME/,
      ],
    ],
    [
      'an old copy',
      ({ setRegister }: Status) => setRegister({ copiedAt: AT }),
      [/The register is not copied/, SINCE_THEN, /BACKUP_DIR/],
    ],
    [
      'no copy',
      ({ setRegister }: Status) => setRegister({ copiedAt: null }),
      [/The register is not copied: .+\ndocker compose logs worker/],
    ],
    ['a full Redis', fillRedis, [/Redis is nearly full/, /maxmemory/]],
    [
      'Stripe away',
      async ({ app, sandbox }: Status) => {
        await sandbox.close();
        await submitContact(app).expect(504);
      },
      [/Stripe does not answer: .+\nSince /, /status\.stripe\.com/],
    ],
    [
      'a worker whose clock is wrong',
      ({ connection }: Status) => noteDueWork(connection, new Date(), -720),
      [/The worker’s clock is 12 minutes wrong: no money moves\nSince .+\ntimedatectl/],
    ],
    [
      'an old letter',
      ({ mailQueue }: Status) => mailQueue.bullQueue.add('old', null, { timestamp: Date.now() - 1_000_000 }),
      [/Messages wait: .+\nSince .+\ndocker compose logs worker has its answer/],
    ],
    [
      'a letter that failed for good',
      async ({ redis, mailQueue }: Status) => {
        await mailQueue.add(letter('welcome'));
        await failMail(redis, letter('welcome').id);
      },
      [/1 message failed for good\nSince .+\n.+ support retry --all/],
    ],
    [
      'overdue balances, without those that need nobody',
      ({ database }: Status) =>
        insertFound(
          database,
          { overdue: 'declined', dueAt: new Date(AT.getTime() + 1_000) },
          { overdue: 'no-consent', dueAt: AT },
          { overdue: 'check', dueAt: new Date('2020-01-01T00:00:00.000Z') },
        ),
      [/2 balances are overdue/, SINCE_THEN],
    ],
    [
      'a payment that cannot be read',
      ({ database }: Status) => insertFound(database, { attention: 'unreadable' }),
      [/1 payment needs a person: .+\n.+support act ID looked-at --by NAME/],
    ],
  ] as const)
    test(`${what}: since when, and what mends it`, async (t) => {
      const status = await startTestStatus(t);
      const before = await status.read();
      await arrange(status);
      const text = await status.read();
      for (const words of says) {
        assert.match(text, words);
        assert.doesNotMatch(before, words);
      }
      const { out: usage } = await runCommand(['help'], {});
      for (const [, name = ''] of text.matchAll(/support ([a-z-]+)/g))
        assert.match(usage, new RegExp(`^ +${name}\\b`, 'm'), name);
    });

  test('nobody has said where the video room is, when its first letter is due and somebody has a place', async (t) => {
    const now = () => new Date(edition.timetable.letters.testSession);
    const status = await startTestStatus(t, { changes: { now } });
    assert.doesNotMatch(await status.read(), /video room/);
    await insertFound(status.database, { standing: 'taken' });
    assert.match(await status.read(), /Nobody has said where the video room is/);
  });

  test('Redis dies and comes back: the rest of the page is there, and says since when', async (t) => {
    const status = await startTestStatus(t);
    await insertFound(status.database, { attention: 'unreadable' });
    await status.redis.stop();
    const away = await status.read();
    assert.match(away, /Redis does not answer: .+\nSince .+\ndocker compose restart redis;/);
    assert.match(away, /1 payment needs a person/);
    assert.doesNotMatch(away, /The worker is away/);
    const ready = new Promise((resolve) => status.connection.once('ready', resolve));
    await status.redis.start();
    await ready;
    assert.doesNotMatch(await status.read(), /Redis does not answer/);
  });
});

async function fillRedis({ connection }: Status): Promise<void> {
  const [, used] = /^used_memory:(\d+)/m.exec(await connection.info('memory')) ?? [];
  await connection.config('SET', 'maxmemory', String(Number(used) + 50_000));
}
