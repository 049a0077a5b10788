import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { registerIn } from '#scripts/product/environment.ts';
import { freeStartPorts } from '#scripts/product/ports.ts';
import { readHold } from '#server/registration/registration.ts';
import { testFolder } from '#server/testing/clean-up.ts';
import { openBareDatabase } from '#server/testing/test-database.ts';
import { readSettings } from './settings.ts';

/** Runs `npm start` until it gives up; returns its exit code and output. */
async function startAndFail(env: NodeJS.ProcessEnv, nodeOptions: readonly string[] = []) {
  const launcher = spawn(process.execPath, [...nodeOptions, 'scripts/bootstrap.mjs', 'start'], {
    env: { BUILD_FOLDER: '.data/start-test/build', DATA_FOLDER: '.data/start-test', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [launcher.stdout, launcher.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const [code] = await once(launcher, 'close');
  return { code, said };
}

describe('npm start, when it cannot start', () => {
  test('a taken port: one sentence that names it and the way out', async (t) => {
    const { ports, env } = await freeStartPorts();
    const server = createServer().listen(ports.MAILBOX_PORT, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { code, said } = await startAndFail({ ...process.env, ...env });
    assert.equal(code, 1);
    assert.equal(
      said.trim(),
      `Port ${ports.MAILBOX_PORT} is taken by another program: end that one, or choose another with MAILBOX_PORT=….`,
    );
  });

  test('a Redis that is missing and cannot be installed: one sentence', async () => {
    const { code, said } = await startAndFail({ ...(await freeStartPorts()).env, PATH: '/nowhere' });
    assert.equal(code, 1);
    assert.match(said.trim(), /^Redis is missing and cannot be installed from here: .*try again\.$/);
  });

  test('an old Node: one sentence', async () => {
    const pretend = "Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.0'}})";
    const { code, said } = await startAndFail(process.env, ['--import', `data:text/javascript,${pretend}`]);
    assert.equal(code, 1);
    assert.equal(said.trim(), 'This needs Node 20.19 or later; this is Node 18.20.0.');
  });

  test('production without keys: refused, naming what is missing, and nothing is left running', async () => {
    const { code, said } = await startAndFail({
      ...process.env,
      ...(await freeStartPorts()).env,
      NODE_ENV: 'production',
    });
    assert.equal(code, 1);
    for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET']) {
      assert.match(said, new RegExp(`${name} is missing`));
    }
  });
});

test('npm start, twice: the second one begins anew, and holds nothing back', async (t) => {
  const { env } = await freeStartPorts();
  const folder = await testFolder(t, 'start-twice');
  for (const time of ['first', 'second']) {
    const launcher = spawn(process.execPath, ['scripts/bootstrap.mjs', 'start'], {
      env: { ...process.env, ...env, BUILD_FOLDER: '.data/start-test/build', DATA_FOLDER: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(launcher, 'close');
    t.after(() => launcher.kill('SIGINT'));
    // The worker has compared the register with what is kept outside of it.
    for await (const line of createInterface({ input: launcher.stdout }))
      if (/\/v1\/payouts|is held/.test(line)) break;
    launcher.stdout.resume();
    const hold = await openBareDatabase(t, registerIn(folder)).read(readHold);
    assert.equal(hold, undefined, `the ${time} time`);
    launcher.kill('SIGINT');
    await closed;
  }
});

test('npm start runs a stand-in for what is not configured, and for payments in production only when told to', () => {
  const needs = (env: NodeJS.ProcessEnv) => {
    const { needsRedis, needsMailbox, needsSandbox } = readSettings(env);
    return [needsRedis, needsMailbox, needsSandbox];
  };
  const own = { REDIS_URL: 'redis://redis', SMTP_URL: 'smtp://mail', STRIPE_SECRET_KEY: 'sk_test_x' };
  assert.deepEqual(needs({}), [true, true, true]);
  assert.deepEqual(needs(own), [false, false, false]);
  assert.deepEqual(needs({ NODE_ENV: 'production' }), [true, true, false]);
  assert.deepEqual(needs({ NODE_ENV: 'production', PAYMENTS: 'sandbox' }), [true, true, true]);
});
