import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { runCommand } from '#server/office/terminal/run-command.ts';
import { testFolder } from '#server/testing/clean-up.ts';
import { prepareAppProcesses, runSupport } from '#server/testing/processes.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { register } from '#server/testing/test-site.ts';

/** A Redis that speaks TLS, with a user, and a certificate of an authority that nobody else knows. */
async function startWithTls(t: TestContext) {
  const folder = await makeCertificates(t);
  const file = (name: string) => join(folder, name);
  const port = await findFreePort();
  const redis = await testRedis(t, {
    settings: {
      'tls-port': String(port),
      'tls-cert-file': file('server.pem'),
      'tls-key-file': file('server.key'),
      'tls-ca-cert-file': file('ca.pem'),
      'tls-auth-clients': 'no',
    },
  });
  const admin = new Redis(redis.url);
  await admin.call('ACL', 'SETUSER', 'retreat', 'on', '>p@ss', '~*', '&*', '+@all');
  admin.disconnect();
  return { redis, authority: file('ca.pem'), url: `rediss://retreat:p%40ss@127.0.0.1:${port}/2` };
}

describe('Redis with TLS', () => {
  test('R5.4 app, worker and support sign in by the URL, and trust the authority that Node is told of', async (t) => {
    const { authority, url } = await startWithTls(t);
    const mailServer = await startMailServer(t);
    const { start, databaseUrl } = await prepareAppProcesses(t);
    const env = { REDIS_URL: url, NODE_EXTRA_CA_CERTS: authority, SMTP_URL: mailServer.url };
    const [app] = await Promise.all([start({ env }), start({ name: 'worker', env })]);
    assert.equal((await register(app.siteUrl)).status, 200);
    while (mailServer.parsed.length < 2) await mailServer.nextMail();
    const itsOwn = { ...leastEnvironment, ...env, DATABASE_URL: databaseUrl };
    const { code, out, err } = await runSupport(itsOwn, 'mails');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /registration-received/);
  });

  test('R5.4 a server of another authority is refused, and the log says why, once', async (t) => {
    const { redis, url } = await startWithTls(t);
    const { queue, connection, log } = await openTestQueue(t, { ...redis, url });
    await log.until('Redis is not available');
    await new Promise((resolve) => connection.once('connecting', resolve));
    await new Promise((resolve) => connection.once('reconnecting', resolve));
    const unknown = /self-signed certificate in certificate chain|unable to verify the first certificate/;
    assert.match(log.text(), unknown);
    assert.equal(log.text().split('Redis is not available').length, 2);
    assert.equal(queue.isReady(), false);
    const { code, err } = await runCommand(['mails'], { ...leastEnvironment, REDIS_URL: url });
    assert.equal(code, 5);
    assert.match(err, unknown);
    assert.doesNotMatch(log.text() + err, /p@ss|p%40ss/);
  });
});

const run = promisify(execFile);

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc';

/**
 * Makes certificates with openssl, valid for a day: that of `server`, which is at 127.0.0.1, is signed by `ca`. Their
 * files in the folder are `NAME.pem` and `NAME.key`.
 */
async function makeCertificates(t: TestContext): Promise<string> {
  const folder = await testFolder(t, 'certificates');
  const make = (name: string, more = '') => {
    const files = `-keyout ${join(folder, name)}.key -out ${join(folder, name)}.pem`;
    return run('openssl', `req -x509 ${NEW_KEY} ${files} -days 1 -subj /CN=${name}${more}`.split(' '));
  };
  await make('ca');
  const signed = ` -CA ${join(folder, 'ca.pem')} -CAkey ${join(folder, 'ca.key')}`;
  const names = '-addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1';
  await make('server', `${signed} ${names}`);
  return folder;
}
