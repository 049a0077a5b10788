import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { TOTP, URI } from 'otpauth';
import { renderUnicodeCompact } from 'uqr';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { readAppConfig } from '#server/config/config.ts';
import { createPasswords } from '#server/users/credentials.ts';
import { runCommand } from './run-command.ts';

const PASSWORD = 'correct horse battery';

/** Makes a user with the built program; its standard input is not a terminal. */
async function makeUser(password: string, ...words: string[]) {
  await buildWhenStale('production', 'dist');
  const program = spawn(process.execPath, ['dist/support.js', 'user', ...words], {
    env: { PATH: process.env.PATH },
  });
  program.stdin.end(`${password}\n`);
  const [out, err, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close'),
  ]);
  return { code, out, err };
}

describe('making a user', () => {
  test('prints a line that the configuration accepts, and needs neither Redis nor Stripe', async () => {
    const { code, out, err } = await makeUser(PASSWORD, 'anna', '--role', 'office');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^anna:office:scrypt\.32768\.8\.3\.[\w-]+\.[\w-]+\n$/);
    const [user, ...others] = readAppConfig({ ...leastEnvironment, OPS_USERS: out }).users;
    assert.deepEqual([user?.name, user?.role, user?.totp, others], ['anna', 'office', undefined, []]);
    const passwords = createPasswords();
    assert.equal(await passwords.isRight(PASSWORD, user?.password), true);
    assert.equal(await passwords.isRight(`${PASSWORD} `, user?.password), false);
  });

  test('with --totp its secret is shown beside the line, for an authenticator', async () => {
    const { code, out, err } = await makeUser(PASSWORD, 'anna', '--role', 'support', '--totp');
    assert.equal(code, 0);
    const [user] = readAppConfig({ ...leastEnvironment, OPS_USERS: out }).users;
    const [address = ''] = /otpauth:\S+/.exec(err) ?? [];
    const authenticator = URI.parse(address);
    assert.ok(authenticator instanceof TOTP);
    assert.deepEqual([authenticator.secret.base32, authenticator.label], [user?.totp, 'anna']);
    assert.ok(err.includes(renderUnicodeCompact(address, { border: 2 })));
    assert.doesNotMatch(out, /otpauth|█/);
  });

  test('refuses passwords that are easily guessed, and says why', async () => {
    const [short, alike, common, few] = await Promise.all([
      makeUser('elevenchars', 'anna', '--role', 'office'),
      makeUser('AnnaAnnaAnna', 'annaannaanna', '--role', 'office'),
      makeUser('Retreat-Office-2027', 'anna', '--role', 'office'),
      makeUser('abababababababab', 'anna', '--role', 'office'),
    ]);
    for (const { code, out } of [short, alike, common, few]) assert.deepEqual([code, out], [1, '']);
    assert.equal(short.err, 'The password needs 12 to 200 characters.\n');
    for (const { err } of [common, few])
      assert.match(err, /^The password is made of words or characters that/);
    assert.equal(alike.err, 'The password must be more than the name with a few characters.\n');
    for (const { err } of [short, alike]) assert.doesNotMatch(err, /elevenchars|AnnaAnna/);
  });

  test('refuses other names and roles before it asks for a password', async () => {
    const name = await runCommand(['user', 'Anna Smith', '--role', 'office'], {});
    const role = await runCommand(['user', 'anna'], {});
    for (const { code, out } of [name, role]) assert.deepEqual([code, out], [2, '']);
    assert.match(name.err, /^NAME is of small letters/);
    assert.match(role.err, /^--role is office or support\./);
  });
});
