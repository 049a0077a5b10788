import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { letter } from '#scripts/world/letters.ts';
import { readAppConfig } from '#server/config/config.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import { runCommand } from '#server/support/run-command.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { makeCertificates } from '#server/testing/network.ts';
import { testDatabase } from '#server/testing/test-database.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { type TestRedis, testRedis } from '#server/testing/test-redis.ts';

/** A Redis that speaks TLS, with a certificate of an authority that nobody else knows. */
async function startWithTls(t: TestContext, authClients: 'no' | 'yes') {
  const certificates = await makeCertificates(t);
  const file = (name: string) => join(certificates.folder, name);
  const port = await findFreePort();
  const redis = await testRedis(t, {
    settings: {
      'tls-port': String(port),
      'tls-cert-file': file('server.pem'),
      'tls-key-file': file('server.key'),
      'tls-ca-cert-file': file('ca.pem'),
      'tls-auth-clients': authClients,
    },
  });
  return { redis, file, env: { REDIS_URL: `rediss://127.0.0.1:${port}`, REDIS_TLS_CA_FILE: file('ca.pem') } };
}

const UNKNOWN_AUTHORITY =
  /self-signed certificate in certificate chain|unable to verify the first certificate/;

describe('Redis with TLS', () => {
  test('R5.4 app, worker and support trust the configured authority', async (t) => {
    const { redis, env } = await startWithTls(t, 'no');
    await sendOneMail(t, redis, env);
  });

  test('R5.4 they show a certificate to a server that requires one', async (t) => {
    const { redis, env, file } = await startWithTls(t, 'yes');
    const shown = { REDIS_TLS_CERT_FILE: file('client.pem'), REDIS_TLS_KEY_FILE: file('client.key') };
    await sendOneMail(t, redis, { ...env, ...shown });
    const { code, err } = await runCommand(['mails'], { ...leastEnvironment, ...env });
    assert.equal(code, 5);
    assert.match(err, /^Redis at 127\.0\.0\.1:\d+ cannot be used: /);
  });

  test('R5.4 a server of another authority is refused, and the log says why, once', async (t) => {
    const { redis, env, file } = await startWithTls(t, 'no');
    const wrong = { ...env, REDIS_TLS_CA_FILE: file('stranger.pem') };
    const { queue, connection, log } = await openTestQueue(t, reachedBy(redis, wrong));
    await log.until('Redis is not available');
    await new Promise((resolve) => connection.once('connecting', resolve));
    await new Promise((resolve) => connection.once('reconnecting', resolve));
    assert.match(log.text(), UNKNOWN_AUTHORITY);
    assert.equal(log.text().split('Redis is not available').length, 2);
    assert.equal(queue.isReady(), false);
    const { code, err } = await runCommand(['mails'], { ...leastEnvironment, ...wrong });
    assert.equal(code, 5);
    assert.match(err, UNKNOWN_AUTHORITY);
  });
});

/** A Redis as the app and the worker connect to it with these environment variables. */
function reachedBy(redis: TestRedis, env: NodeJS.ProcessEnv): TestRedis {
  return { ...redis, settings: readAppConfig({ ...leastEnvironment, ...env }).redis };
}

/** Queues a mail, sends it, and finds it with support's program, all with the same environment variables. */
async function sendOneMail(t: TestScope, redis: TestRedis, env: NodeJS.ProcessEnv): Promise<void> {
  const reached = reachedBy(redis, env);
  const log = createTestLog();
  const mailServer = await startMailServer(t);
  const { database, url } = await testDatabase(t);
  const { queue } = await openTestQueue(t, reached, { log, letterLog: createLetterLog(database) });
  await queue.bullQueue.waitUntilReady();
  startTestWorker(t, { redis: reached, mailServer, log });
  const arrival = mailServer.nextMail();
  await queue.add(letter('registration-received'));
  await arrival;
  await log.until('Mail sent');
  const { code, out, err } = await runCommand(['mails', '--sent'], {
    ...leastEnvironment,
    ...env,
    DATABASE_URL: url,
  });
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /1 sent/);
}
