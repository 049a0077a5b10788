import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import express from 'express';
import pg from 'pg';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { testFolder } from '#server/testing/clean-up.ts';
import { readAppConfig } from './config.ts';

const appWith = (env: NodeJS.ProcessEnv = {}) => readAppConfig({ ...leastEnvironment, ...env });
const secretOf = (size: number) => `whsec_${Buffer.alloc(size, 'a random text').toString('base64')}`;
const STRIPE_API_BASE = 'http://127.0.0.1:12111';
const clock = { PAYMENTS: 'sandbox', STRIPE_API_BASE, CLOCK: 'sandbox' };

describe('the values of the environment', () => {
  test('what is not set has its default, and what is set is read', () => {
    assert.equal(appWith({ PORT: '' }).listen.port, 3000);
    assert.equal(appWith({ REDIS_URL: 'REDISS://redis.example/2' }).redisUrl, 'rediss://redis.example/2');
    const [one, other] = ['abcdefgh'.repeat(4), 'ijklmnop'.repeat(5)];
    assert.deepEqual(appWith({ LINK_SECRET: `${other}, ${one}` }).linkSecrets, [other, one]);
    const secrets = [secretOf(32), secretOf(24)];
    assert.deepEqual(appWith({ MAIL_EVENTS_SECRET: secrets.join(', ') }).mail.eventsSecrets, secrets);
    assert.deepEqual(appWith().mail.eventsSecrets, []);
    assert.deepEqual(
      [appWith().clockUrl, appWith(clock).clockUrl],
      [undefined, `${STRIPE_API_BASE}/sandbox/clock`],
    );
  });

  for (const DATABASE_URL of [
    'file:/data/register.sqlite',
    'file:///data/register.sqlite',
    'postgresql://user:p%40ss@db.example/register?sslmode=verify-full',
    'postgres://user@db/register?sslmode=disable',
    'postgresql://user@127.0.0.1:5432/register',
    'postgresql://user@127.0.0.1/register?sslmode=verify-full',
  ])
    test(`the register may be ${DATABASE_URL}, as its driver reads it`, () => {
      assert.equal(appWith({ DATABASE_URL }).database.url, DATABASE_URL);
      if (!DATABASE_URL.startsWith('file:'))
        assert.equal(new pg.Client(DATABASE_URL).host, new URL(DATABASE_URL).hostname);
    });

  for (const [TRUST_PROXY, trusted] of [
    [undefined, 0],
    ['none', 0],
    ['2', 2],
    ['loopback, 10.0.0.0/8,2001:db8::1', ['loopback', '10.0.0.0/8', '2001:db8::1']],
    ['2001::/16', ['2001::/16']],
  ] as const)
    test(`TRUST_PROXY=${TRUST_PROXY ?? ''} names the proxies, and Express accepts it`, () => {
      const { trustProxy } = appWith({ TRUST_PROXY });
      assert.deepEqual(trustProxy, trusted);
      express().set('trust proxy', trustProxy);
    });

  test('a value can be read from a file, as containers get their secrets', async (t) => {
    const file = join(await testFolder(t, 'secrets'), 'key');
    await writeFile(file, 'sk_test_from_a_file\n');
    const { STRIPE_SECRET_KEY: _, ...rest } = leastEnvironment;
    const given = { ...rest, STRIPE_SECRET_KEY_FILE: file };
    assert.equal(readAppConfig(given).stripe.secretKey, 'sk_test_from_a_file');
    assert.throws(
      () => readAppConfig({ ...given, STRIPE_SECRET_KEY: 'sk_test_1' }),
      /STRIPE_SECRET_KEY is set twice/,
    );
    const missing = { ...given, STRIPE_SECRET_KEY_FILE: `${file}.missing`, REDIS_URL: '' };
    assert.throws(
      () => readAppConfig(missing),
      ({ message }: Error) => {
        assert.match(message, /STRIPE_SECRET_KEY_FILE names a file that cannot be read/);
        assert.match(message, /REDIS_URL is missing/);
        return message.split('STRIPE_SECRET_KEY').length === 2;
      },
    );
  });
});
