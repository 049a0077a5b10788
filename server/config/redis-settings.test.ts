import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { makeCertificates } from '#server/testing/network.ts';
import { ConfigError, readAppConfig } from './config.ts';

const { REDIS_URL: _, ...others } = leastEnvironment;
const SENTINELS = { REDIS_SENTINELS: 'one:26379,two:26379', REDIS_SENTINEL_NAME: 'mymaster' };
const CLUSTER = { REDIS_CLUSTER: 'one:6379' };

const settingsOf = (env: NodeJS.ProcessEnv) => readAppConfig({ ...others, ...env }).redis;

function problemsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    settingsOf(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''));
  }
  return [];
}

describe('where Redis is', () => {
  test('R5.4 one server, by its address, which contains user, password, database and TLS', () => {
    assert.deepEqual(settingsOf({ REDIS_URL: 'redis://redis' }), {
      kind: 'server',
      address: { host: 'redis', port: 6379 },
      database: 0,
      access: { username: undefined, password: undefined },
    });
    assert.deepEqual(settingsOf({ REDIS_URL: 'rediss://app:p%40ss@[2001:db8::1]:6380/2' }), {
      kind: 'server',
      address: { host: '2001:db8::1', port: 6380 },
      database: 2,
      access: { username: 'app', password: 'p@ss', tls: { ca: undefined, cert: undefined, key: undefined } },
    });
  });

  test('R5.4 user and password may have variables of their own, with any characters', () => {
    const { access } = settingsOf({
      REDIS_URL: 'redis://redis',
      REDIS_USERNAME: 'app',
      REDIS_PASSWORD: 'p@ss:/%',
    });
    assert.deepEqual(access, { username: 'app', password: 'p@ss:/%' });
  });

  test('R5.4 sentinels and the name of the master, IPv6 too, with a user of their own', () => {
    const settings = settingsOf({
      REDIS_SENTINELS: 'one:26379, [::1]:5000',
      REDIS_SENTINEL_NAME: 'mymaster',
      REDIS_SENTINEL_PASSWORD: 'other',
      REDIS_PASSWORD: 'secret',
      REDIS_TLS: 'on',
    });
    assert.deepEqual(settings, {
      kind: 'sentinel',
      sentinels: [
        { host: 'one', port: 26379 },
        { host: '::1', port: 5000 },
      ],
      name: 'mymaster',
      access: {
        username: undefined,
        password: 'secret',
        tls: { ca: undefined, cert: undefined, key: undefined },
      },
      sentinelAccess: { username: undefined, password: 'other' },
    });
  });

  test('R5.4 a cluster, by some of its nodes', () => {
    assert.deepEqual(settingsOf({ REDIS_CLUSTER: '10.0.0.1:6379,10.0.0.2:6379' }), {
      kind: 'cluster',
      nodes: [
        { host: '10.0.0.1', port: 6379 },
        { host: '10.0.0.2', port: 6379 },
      ],
      access: { username: undefined, password: undefined },
    });
  });

  const missing =
    'REDIS_URL is missing: the address of Redis, such as redis://redis:6379; or set REDIS_SENTINELS or REDIS_CLUSTER';
  const oneOnly = 'keep the one that says how Redis is run';
  for (const [what, env, ...problems] of [
    ['no Redis at all', {}, missing],
    [
      'an address and a cluster',
      { REDIS_URL: 'redis://redis', ...CLUSTER },
      `REDIS_URL and REDIS_CLUSTER are set: ${oneOnly}`,
    ],
    [
      'sentinels and a cluster',
      { ...SENTINELS, ...CLUSTER },
      `REDIS_SENTINELS and REDIS_CLUSTER are set: ${oneOnly}`,
    ],
    [
      'sentinels without a name',
      { REDIS_SENTINELS: 'one:26379' },
      'REDIS_SENTINEL_NAME is missing: what the sentinels call the master, such as mymaster',
    ],
    [
      'a name without sentinels',
      { REDIS_URL: 'redis://redis', REDIS_SENTINEL_NAME: 'mymaster' },
      'REDIS_SENTINEL_NAME has no effect without REDIS_SENTINELS',
    ],
    [
      'sentinels without ports',
      { ...SENTINELS, REDIS_SENTINELS: 'one,two' },
      'REDIS_SENTINELS must be the sentinels, such as one:26379,two:26379,three:26379',
    ],
    [
      'an IPv6 address without brackets',
      { REDIS_CLUSTER: '::1:6379' },
      'REDIS_CLUSTER must be some nodes of the cluster, such as one:6379,two:6379',
    ],
    [
      'a user without a password',
      { ...CLUSTER, REDIS_USERNAME: 'app' },
      'REDIS_PASSWORD is missing: REDIS_USERNAME needs it',
    ],
    [
      'two passwords',
      { REDIS_URL: 'redis://:secret@redis', REDIS_PASSWORD: 'other' },
      'REDIS_PASSWORD is set, and REDIS_URL holds another one: keep it in one place',
    ],
    [
      'a query after the address',
      { REDIS_URL: 'rediss://redis:6379?tls=no' },
      'REDIS_URL must end with the port, or with / and the number of a database',
    ],
    [
      'TLS beside an address',
      { REDIS_URL: 'redis://redis', REDIS_TLS: 'on' },
      'REDIS_TLS is for sentinels and clusters: begin REDIS_URL with rediss://',
    ],
    ['TLS neither on nor off', { ...CLUSTER, REDIS_TLS: 'yes' }, 'REDIS_TLS must be on or off'],
    [
      'a path instead of a certificate',
      { REDIS_URL: 'rediss://redis', REDIS_TLS_CA: 'ca.pem' },
      'REDIS_TLS_CA must be a certificate in PEM',
    ],
  ] as const) {
    test(`R5.4 ${what}: the error says what is wrong`, () => {
      assert.deepEqual(problemsOf(env), problems);
    });
  }

  test('R5.4 certificates are read as PEM, need TLS, and the key has to match the certificate', async (t) => {
    const { ca, client, stranger } = await makeCertificates(t);
    const files = { REDIS_TLS_CA: ca.cert, REDIS_TLS_CERT: client.cert, REDIS_TLS_KEY: client.key };
    const { access } = settingsOf({ ...CLUSTER, REDIS_TLS: 'on', ...files });
    assert.deepEqual(access.tls, { ca: ca.cert, ...client });
    assert.deepEqual(settingsOf({ REDIS_URL: 'rediss://redis', ...files }).access.tls, access.tls);
    assert.deepEqual(problemsOf({ ...CLUSTER, REDIS_TLS_CA: ca.cert }), [
      'REDIS_TLS_CA has no effect without TLS: begin REDIS_URL with rediss://, or set REDIS_TLS=on',
    ]);
    assert.deepEqual(problemsOf({ ...CLUSTER, REDIS_TLS: 'on', REDIS_TLS_CERT: client.cert }), [
      'REDIS_TLS_KEY is missing: REDIS_TLS_CERT needs it',
    ]);
    const foreign = { ...files, REDIS_TLS_KEY: stranger.key };
    assert.deepEqual(problemsOf({ ...CLUSTER, REDIS_TLS: 'on', ...foreign }), [
      'REDIS_TLS_KEY is not the key of REDIS_TLS_CERT',
    ]);
  });
});
