import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { runNode, runSupport } from '#server/testing/processes.ts';
import {
  closedRegister,
  insertRegistrations,
  openTestDatabase,
  registrations,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';
import { type CommandRow, startSupport } from '#server/testing/test-mailing.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { BEGUN } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

/** HER is a registration, EDITION the one on sale. */
const COMMANDS: readonly CommandRow[] = [
  ['list', 0, /^HER +registered +Wilma O’Hara +wilma@example\.org$/m],
  ['list --edition june-1999', 2, /^There is no edition june-1999\./],
  [
    'show HER',
    0,
    /^Registration +HER\nName +Wilma O’Hara\n[\s\S]*^State +registered$/m,
    /^The site charges \$726\.25/m,
    /^Deposit +paid on Dec 1, 2025, .* Visa ending in 4242 +\$721$/m,
    /^Dec 1, 2025, 10:00 AM PST +began to register$/m,
  ],
  [
    'act HER',
    0,
    /^waive dollars=AMOUNT as=scholarship\|reduction \[reason=LINE\]\n {4}Takes so much off/m,
    /^edit \[firstName=LINE\] \[lastName=LINE\] \[email=EMAIL\]/m,
    /^postpone day=DAY\n/m,
  ],
  ['show reg_none', 3, /^There is no registration reg_none\.\n$/],
  ['act HER drop --by Anna', 2, /^HER has no act drop: it is one of received, pay-by-check, waive, /],
  ['act HER waive dollars=200 as=scholarship', 2, /^--by NAME must say who does it\./],
  [
    'act HER waive dollars=200 --by "The Worker"',
    2,
    /^--by NAME must be the name of a person of the office\./,
  ],
  ['act HER waive cents=200 --by Anna', 2, /^waive has no field cents: it takes dollars, as, reason\./],
  [
    'act HER waive dollars=two --by Anna',
    2,
    /^as: Please choose what it is\. dollars: Please give an amount/,
  ],
  [
    'act HER waive dollars=200 as=scholarship --by Anna --dry-run',
    0,
    /^HER, Wilma O’Hara\n/,
    /^ +then: \$518\.75$/m,
    /\nOnly tried: nothing was changed\.\n$/,
  ],
  [
    'act HER refund dollars=5 reason=ill --by Anna',
    4,
    /^That is more than she has paid beyond what she owes/,
  ],
  ['act HER undo what=waived --by Anna', 4, /^Nothing is on record that could be taken back\.\n$/],
  [
    'act HER waive dollars=200 as=scholarship reason=ill --by Anna',
    0,
    /^A message goes to wilma@example\.org: “/m,
  ],
  ['act HER edit lastName=Hart --by Anna', 0, /^Last name\n +now: O’Hara\n +then: Hart$/m],
  ['act reg_none waive dollars=200 --by Anna', 3, /^There is no registration reg_none\.\n$/],
  ['act reg_none looked-at --by Anna', 0, /^reg_none, reg_none\nThis payment is marked as looked at/],
  ['act EDITION', 0, /^register firstName=LINE /m, /^write \[to=registered\|/m],
  [
    'act EDITION write subject=Pens text="Dear {name}" --by Anna',
    2,
    /^text: .*“\{name\}” stands for nothing/,
  ],
  [
    'act EDITION write subject=Pens text="Bring one, {first name}." --by Anna --dry-run',
    0,
    /^Messages +1$[\s\S]*^ {2}\| Subject: Pens\n[\s\S]*^ {2}\| Bring one, Wilma\.$/m,
  ],
  ['export HER', 0, /^\{\n {2}"at": /, /\\"as\\":\\"scholarship\\"/],
  ['export reg_none', 3, /^There is no registration reg_none\.\n$/],
];

describe('support’s command line', () => {
  test('R5.4 tells what is on record and does what the office’s pages do, or refuses with a sentence and a code', async (t) => {
    const { check, register, find } = await startSupport(t, { startsAt: BEGUN });
    const { id } = await find(await register());
    await check(COMMANDS, { HER: id, EDITION: edition.facts.id });
  });

  test('R5.4 does not wait for a Redis that hangs', async (t) => {
    const redis = await testRedis(t);
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      const { code, err } = await runSupport({ ...leastEnvironment, REDIS_URL: redis.url }, 'mails');
      assert.equal(code, 5);
      assert.match(err, /No answer within 2000 ms\.$/m);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
  });

  test('R5.4 npm run support finds the Redis of npm start', async (t) => {
    const { port } = new URL((await testRedis(t)).url);
    const DATABASE_URL = await closedRegister(t, async () => {});
    const run = (env: NodeJS.ProcessEnv) =>
      runNode(['--import', 'tsx', 'scripts/start/support.ts', 'support', 'mails'], {
        DATABASE_URL,
        REDIS_PORT: port,
        STRIPE_SECRET_KEY: 'sk_test_none',
        ...env,
      });
    const [found, chosen] = await Promise.all([run({}), run({ REDIS_URL: 'redis://127.0.0.1:1' })]);
    assert.deepEqual(found, { code: 0, out: '0 failed, 0 waiting, 0 sent\n', err: '' });
    assert.equal(chosen.code, 5);
  });
});

describe('support copy', () => {
  const copy = (DATABASE_URL: string, to: string) =>
    runSupport({ DATABASE_URL }, 'copy', '--to', to, '--by', 'Ada');

  test('says that the register is moved, and records once who did it, also when it is run again', async (t) => {
    const file = await closedRegister(t, (database) => insertRegistrations(database, 'one', 'two'));
    const to = await testDatabaseUrl(t, 'postgres', 'empty');
    const { code, out, err } = await copy(file, to);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^The register is moved, .*row by row\.\nRecorded for Ada\.\nNow let DATABASE_URL/);
    // It may have been killed after the last commit but one.
    assert.equal((await copy(file, to)).code, 0);
    const database = openTestDatabase(t, to);
    assert.deepEqual(await registrations(database), ['one', 'two']);
    const acts = await database.read((transaction) =>
      transaction
        .selectFrom('acts')
        .innerJoin('register', 'register.name', 'acts.subject')
        .select(['kind', 'byWhom'])
        .execute(),
    );
    assert.deepEqual(acts, [{ kind: 'moved', byWhom: 'Ada' }]);
  });

  test('refuses what is no move from a file to PostgreSQL', async () => {
    const file = 'file:/nowhere/register.sqlite';
    const server = 'postgresql://user@host/name?sslmode=verify-full';
    for (const [from, to, code, why] of [
      [file, file, 2, `--to must be the empty database, such as ${server}.`],
      [server, server, 4, 'DATABASE_URL must name the file in which the register is.'],
    ] as const) {
      const refused = await copy(from, to);
      assert.deepEqual([refused.code, refused.err.split('\n', 1)[0]], [code, why]);
    }
  });
});
