import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { findFreePort } from '#scripts/product/ports.ts';
import { makeCertificates } from '#server/testing/certificates.ts';
import { openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { runSupport } from '#server/testing/test-support.ts';
import { reachedBy, sendOneMail } from '#server/testing/whole-mail.ts';

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
    const { code, err } = await runSupport(env, 'list');
    assert.equal(code, 5);
    assert.match(err, /^Redis at 127\.0\.0\.1:\d+ cannot be used: /);
  });

  test('R5.4 a server of another authority is refused, and the log says why, once', async (t) => {
    const { redis, env, file } = await startWithTls(t, 'no');
    const wrong = { ...env, REDIS_TLS_CA_FILE: file('stranger.pem') };
    const { queue, connection, log } = openTestQueue(t, reachedBy(redis, wrong));
    await log.until('Redis is not available');
    await new Promise((resolve) => connection.once('connecting', resolve));
    await new Promise((resolve) => connection.once('reconnecting', resolve));
    assert.match(log.text(), UNKNOWN_AUTHORITY);
    assert.equal(log.text().split('Redis is not available').length, 2);
    assert.equal(queue.isReady(), false);
    const { code, err } = await runSupport(wrong, 'list');
    assert.equal(code, 5);
    assert.match(err, UNKNOWN_AUTHORITY);
  });
});
