import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { TOTP, URI } from 'otpauth';
import { renderUnicodeCompact } from 'uqr';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { readAppConfig } from '#server/config/config.ts';
import { createPasswordCheck } from '#server/office/users/credentials.ts';
import { letter } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { type CommandRow, startSupport } from '#server/testing/test-mailing.ts';
import { startFullSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { act } from './act-command.ts';
import { runCommand } from './run-command.ts';
import { listRegistrations } from './show.ts';
import { weaknessOf } from './users.ts';

const ABOUT_MAILS: readonly CommandRow[] = [
  ['', 2, /^A command is missing\.\n\nUsage: support COMMAND …/],
  ['drop', 2, /^There is no command drop\./],
  ['--help', 0, /^Usage: support/, /^ {2}act ID \[KIND \[FIELD=VALUE …\]/m, /^Exit codes: 0 done/m],
  ['mails all', 2, /^This command takes no more words\./],
  ['mails --faild', 2, /^Unknown option '--faild'/],
  [
    'mails',
    0,
    /^FAILED +welcome +wilma@example\.org +failed +1 of 108 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC +.*550 No such mailbox/m,
    /^WAITING +registration-received +eve.*@example\.org +waiting +0 of 108/m,
    /^DELAYED +office-notice +the office +delayed +1 of 108 +\d{4}.*451 Mailbox busy/m,
    /\n\n1 failed, 2 waiting, 0 sent\n$/,
  ],
  ['show', 2, /^ID is missing\./],
  ['show FAILED', 0, /^About +reg_failed$/m, /^Attempts +1 of 108$/m, /^Error of attempt 1 +.*No such mail/m],
  ['show welcome-\u001b[31mx', 3, /^There is no message welcome-x\.\n$/],
  ['show meta', 3, /^There is no message meta\.\n$/],
  ['retry', 2, /^This command needs ID or --all\./],
  ['retry x --all', 2, /^This command needs ID or --all\./],
  ['retry WAITING', 4, / waits for its turn\.$/m],
  ['retry FAILED', 0, /^FAILED, .*\n“Welcome” will be tried again now\.\n$/],
  [
    'retry --all',
    0,
    /^0 failed and 1 delayed messages will be tried again now\.\nThe worker will read Stripe/,
  ],
  ['act WAITING dismiss --by Anna', 0, / is dismissed: it will not be sent\.\n$/],
];

const HOSTILE = 'eve\u001b[31m\u202e\u009b0m@example.org';
/** By their names in the table. */
const mails = {
  FAILED: letter('welcome', undefined, { ...wilma, id: 'reg_failed' }),
  DELAYED: letter('office-notice'),
  WAITING: letter('registration-received', undefined, { ...wilma, id: 'reg_waiting', email: HOSTILE }),
};

describe('support’s command line', () => {
  test('R5.4 lists mails, shows one, retries one or all, dismisses one, or refuses with a sentence and a code', async (t) => {
    const { check, mailQueue, failToSend } = await startSupport(t);
    await failToSend({ responseCode: 550, message: 'No such mailbox' }, mails.FAILED);
    await failToSend({ responseCode: 451, message: 'Mailbox busy' }, mails.DELAYED);
    await mailQueue.add(mails.WAITING);
    await check(
      ABOUT_MAILS,
      Object.fromEntries(Object.entries(mails).map(([name, mail]) => [name, mail.id])),
    );
  });

  test('R5.4 says what the configuration lacks, and that Redis is away, without its password', async () => {
    const missing = await runCommand(['mails'], { ...leastEnvironment, REDIS_URL: '', OFFICE_EMAIL: '' });
    assert.equal(missing.code, 1);
    assert.match(missing.err, /^The configuration needs attention:\n- .*\n- /);
    assert.match(missing.err, /^- REDIS_URL is missing/m);
    const port = await findFreePort();
    const REDIS_URL = `redis://:hush@127.0.0.1:${port}`;
    const { code, out, err } = await runCommand(['mails'], { ...leastEnvironment, REDIS_URL });
    assert.deepEqual([code, out], [5, '']);
    assert.match(err, new RegExp(`^Redis at 127\\.0\\.0\\.1:${port} cannot be used: .*ECONNREFUSED`));
    assert.doesNotMatch(err, /hush/);
  });

  test('lists who waits for a place, and offers one', async (t) => {
    const { context, join, confirm, onlyEntry } = await startFullSite(t);
    await join();
    await confirm();
    const { id } = await onlyEntry();
    const doing = (kind?: string, ...fields: string[]) =>
      act(context, id, { kind, fields, by: 'Olga', isTried: false });
    const list = () => listRegistrations(context, edition);
    assert.match(
      await list(),
      new RegExp(`^1 of 1 places are paid.*$[\\s\\S]*^${id} +Waiting +Wilma O’Hara`, 'm'),
    );
    assert.match(String(await doing()), /^offer \[exceed=MARK\]\n {4}Keeps a place .*\nremove\n/);
    await doing('offer', 'exceed=yes');
    assert.match(await list(), /; 1 offered\.$[\s\S]* A place is offered until/m);
  });
});

const PASSWORD = 'correct horse battery';

/** Makes a user in a process whose standard input is not a terminal. */
async function makeUser(password: string, ...words: string[]) {
  await buildWhenStale('production', 'dist');
  const command = ['dist/support.js', 'users', 'anna', '--role', 'support', ...words];
  const program = spawn(process.execPath, command);
  program.stdin.end(`${password}\n`);
  const ended = [text(program.stdout), text(program.stderr), once(program, 'close')] as const;
  const [out, err, [code]] = await Promise.all(ended);
  return { code, out, err };
}

describe('making a user', () => {
  test('prints a line that the configuration accepts; the secret of its codes is shown beside it', async () => {
    const { code, out, err } = await makeUser(PASSWORD, '--totp');
    assert.equal(code, 0);
    assert.match(out, /^anna:support:scrypt\.32768\.8\.3\.[\w-]+\.[\w-]+:\w+\n$/);
    const [user, ...others] = readAppConfig({ ...leastEnvironment, OPS_USERS: out }).users;
    assert.deepEqual([user?.name, user?.role, others], ['anna', 'support', []]);
    const isRight = createPasswordCheck();
    assert.equal(await isRight(PASSWORD, user?.password), true);
    assert.equal(await isRight(`${PASSWORD} `, user?.password), false);
    const [address = ''] = /otpauth:\S+/.exec(err) ?? [];
    const authenticator = URI.parse(address);
    assert.ok(authenticator instanceof TOTP);
    assert.deepEqual([authenticator.secret.base32, authenticator.label], [user?.totp, 'anna']);
    assert.ok(err.includes(renderUnicodeCompact(address, { border: 2 })));
  });

  test('refuses a weak password in one sentence, without it', async () => {
    const err = 'The password needs 12 to 200 characters.\n';
    assert.deepEqual(await makeUser('elevenchars'), { code: 1, out: '', err });
  });

  for (const [password, name, why] of [
    ['AnnaAnnaAnna', 'annaannaanna', /^must be more than the name with a few/],
    ['Retreat-Office-2027', 'anna', /^is made of words or characters that/],
    ['abababababababab', 'anna', /^is made of words or characters that/],
  ] as const)
    test(`refuses the password ${password}, which is easily guessed`, () =>
      assert.match(weaknessOf(password, name) ?? '', why));

  for (const [name, role, why] of [
    ['Anna Smith', 'office', /^NAME is of small letters/],
    ['anna', 'owner', /^--role is office or support\./],
  ] as const)
    test(`refuses what is no name or role: ${name}, ${role}`, async () => {
      const { code, err } = await runCommand(['users', name, '--role', role], {});
      assert.equal(code, 2);
      assert.match(err, why);
    });
});
