import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leastEnvironment, sampleUserLines } from '#scripts/product/environment.ts';
import { ConfigError, readAppConfig } from './config.ts';
import { formatUser } from './users.ts';

const HASH = `scrypt.32768.8.3.${'s'.repeat(22)}.${'h'.repeat(43)}`;
const TOTP = 'A2'.repeat(16);

const usersOf = (OPS_USERS: string) => readAppConfig({ ...leastEnvironment, OPS_USERS }).users;

function problemOf(OPS_USERS: string, changes = {}): string {
  try {
    readAppConfig({ ...leastEnvironment, OPS_USERS, ...changes });
    return '';
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
}

describe('the users', () => {
  test('are a line each, between comments and blank lines', () => {
    const text = `# the office\n\nanna:office:${HASH}\r\n  bo-2:support:${HASH}:${TOTP}  \n`;
    const users = usersOf(text);
    assert.deepEqual(
      users.map(({ name, role, totp }) => [name, role, totp]),
      [
        ['anna', 'office', undefined],
        ['bo-2', 'support', TOTP],
      ],
    );
    assert.deepEqual(users.map(formatUser), [`anna:office:${HASH}`, `bo-2:support:${HASH}:${TOTP}`]);
    assert.deepEqual(usersOf(''), []);
    assert.deepEqual(usersOf('# nobody yet'), []);
  });

  test('every wrong line is named by its number and reason, and its content is not repeated', () => {
    const tooMuchMemory = HASH.replace('32768', '131072');
    const problem = problemOf(
      [
        `anna:office:${HASH}`,
        'secret-words',
        `Eve Secret:office:${HASH}`,
        `eve:boss:${HASH}`,
        'eve:office:secret',
        `eve:office:${HASH}:secret`,
        `anna:support:${HASH}`,
        `eve:office:${tooMuchMemory}`,
        `eve:office:${HASH.replace('32768', '30000')}`,
        `eve:office:${HASH}:${TOTP}:more`,
      ].join('\n'),
      { PORT: 'x' },
    );
    assert.deepEqual(problem.split('\n').slice(1), [
      '  - PORT must be a port number',
      `  - OPS_USERS has lines that \`support users\` did not make: ${[
        'line 2 is not name:role:hash or name:role:hash:totp',
        'line 3 has a name that is not of small letters, digits, - and _',
        'line 4 has a role that is not office or support',
        'line 5 has a hash that cannot be read',
        'line 6 has a secret for codes that cannot be read',
        'line 7 has the name of a user who is there already',
        'line 8 has a hash that cannot be read',
        'line 9 has a hash that cannot be read',
        'line 10 is not name:role:hash or name:role:hash:totp',
      ].join('; ')}`,
    ]);
  });

  test('production refuses weak hashes, and starts without any users', () => {
    const production = {
      NODE_ENV: 'production',
      OPS_PASSWORD: 'long and secret',
      STRIPE_SECRET_KEY: `sk_test_${'a1B2'.repeat(6)}`,
      STRIPE_PUBLISHABLE_KEY: `pk_test_${'a1B2'.repeat(6)}`,
      STRIPE_WEBHOOK_SECRET: `whsec_${'a1B2'.repeat(6)}`,
    };
    assert.match(
      problemOf(sampleUserLines(), production),
      /OPS_USERS has hashes or codes that are too weak for production: make its lines again/,
    );
    assert.equal(problemOf(`anna:office:${HASH}`, production), '');
    assert.equal(problemOf('', production), '');
    const code = `anna:office:${HASH}:${'A'.repeat(32)}`;
    assert.match(problemOf(code, production), /OPS_USERS has hashes or codes that are too weak/);
  });
});
