import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { opsCredentials } from '#scripts/product/environment.ts';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { runCommand } from '#server/support/run-command.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { register } from '#server/testing/test-site.ts';

const PASSWORD = 'secret of a test';

/** The rules of the ACL line in the operators' guide to Redis. */
async function documentedRules(): Promise<string[]> {
  const readme = await readFile(new URL('../ops/redis.md', import.meta.url), 'utf8');
  const [, rules] = /^ACL SETUSER retreat on >PASSWORD (.+)$/m.exec(readme) ?? [];
  assert.ok(rules);
  return rules.split(' ');
}

test('R5.4 app, worker and support need no more of Redis than the operators’ guide grants', async (t) => {
  const apps = await prepareAppProcesses(t);
  const admin = new Redis(apps.redis.url);
  cleanUp(t, async () => admin.disconnect());
  const acl = (...words: string[]) => admin.call('ACL', ...words);
  await acl('SETUSER', 'retreat', 'on', `>${PASSWORD}`, ...(await documentedRules()));
  const mailServer = await startMailServer(t);
  const env = {
    REDIS_URL: apps.redis.url,
    REDIS_USERNAME: 'retreat',
    REDIS_PASSWORD: PASSWORD,
    SMTP_URL: mailServer.url,
  };
  const app = await apps.start({ env });
  await apps.start({ name: 'worker', env });
  const { status } = await register(app.siteUrl);
  assert.equal(status, 200);
  while (mailServer.parsed.length < 2) await mailServer.nextMail();
  const stripe = { STRIPE_SECRET_KEY: SANDBOX_KEYS.secretKey, STRIPE_API_BASE: apps.sandbox.url };
  const ofSupport = { ...env, ...stripe, DATABASE_URL: apps.databaseUrl };
  for (const words of [['list'], ['list', '--sent'], ['walk'], ['places'], ['retry', '--all']]) {
    const { code, err } = await runCommand(words, ofSupport);
    assert.deepEqual([code, err], [0, ''], words.join(' '));
  }
  const basic = Buffer.from(`${opsCredentials.user}:${opsCredentials.password}`).toString('base64');
  const metrics = await fetch(`${app.opsUrl}/metrics`, { headers: { Authorization: `Basic ${basic}` } });
  assert.match(await metrics.text(), /^mail_queue_up\S* 1$/m);
  assert.deepEqual(await acl('LOG'), []);
});

test('R5.4 the user of that guide may not do what only an operator may, nor read keys that are not the site’s', async (t) => {
  const redis = await testRedis(t);
  const admin = new Redis(redis.url);
  cleanUp(t, async () => admin.disconnect());
  await admin.call('ACL', 'SETUSER', 'retreat', 'on', `>${PASSWORD}`, ...(await documentedRules()));
  const user = new Redis(redis.url, { username: 'retreat', password: PASSWORD });
  cleanUp(t, async () => user.disconnect());
  for (const words of [
    ['FLUSHALL'],
    ['CONFIG', 'GET', '*'],
    ['KEYS', '*'],
    ['ACL', 'LIST'],
    ['GET', 'others'],
    ['GET', 'bull:mail:1'],
  ]) {
    const [command = '', ...args] = words;
    await assert.rejects(user.call(command, ...args), /NOPERM/, words.join(' '));
  }
});
