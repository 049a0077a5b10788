import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import type { TestLog } from '#server/testing/test-log.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { submitContact } from '#server/testing/test-visitor.ts';

const FIVE_PASS = [200, 200, 200, 200, 200];

/** A site behind proxies; `register` registers a new person for each `X-Forwarded-For` and returns the statuses. */
async function startBehindProxy(t: TestContext, trustProxy = '1') {
  const { app, log } = await startTestSite(t, { env: { TRUST_PROXY: trustProxy } });
  const register = async (forwardedFor: readonly string[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const forwarded of forwardedFor) {
      const key = randomBytes(16).toString('hex');
      const visit = submitContact(app, { email: `${key}@example.org` }, key);
      statuses.push((await visit.set('X-Forwarded-For', forwarded)).status);
    }
    return statuses;
  };
  return { register, log };
}

/** Six values, made from the numbers 1 to 6. */
function six(make: (time: number) => string): string[] {
  return [1, 2, 3, 4, 5, 6].map(make);
}

/** The only warning in the log that visitors cannot be told apart. */
function onlyWarning(log: TestLog): string {
  const lines = log
    .text()
    .split('\n')
    .filter((line) => line.includes('TRUST_PROXY'));
  assert.equal(lines.length, 1);
  const { level, msg } = JSON.parse(lines[0] ?? '');
  assert.equal(level, 'warn');
  assert.match(msg, /X-Forwarded-For/);
  return msg;
}

describe('the address that a visitor is counted under', () => {
  test('behind a CDN whose networks TRUST_PROXY names it is her own, whatever edge she comes through and whatever she forges', async (t) => {
    const networks = 'loopback,203.0.113.0/24,2001:db8:100::/40';
    const edge = (time: number) => (time % 2 ? `203.0.113.${time}` : `2001:db8:100::${time}`);
    const { register, log } = await startBehindProxy(t, networks);
    assert.deepEqual(await register(six((time) => `192.0.2.${time}, ${edge(time)}`)), [...FIVE_PASS, 200]);
    const others = await startBehindProxy(t, networks);
    const forging = six((time) => `198.51.100.${time}, 192.0.2.1, ${edge(time)}`);
    assert.deepEqual(await others.register(forging), [...FIVE_PASS, 429]);
    assert.doesNotMatch(log.text(), /TRUST_PROXY/);
  });

  for (const [named, visitor, alike] of [
    ['an address', (time: number) => `192.0.2.${time}`, () => '192.0.2.1'],
    ['an address and a port', (time) => `192.0.2.${time}:5678`, (time) => `192.0.2.1:${50_000 + time}`],
    ['an IPv6 address in brackets', (time) => `[2001:db8:${time}::1]`, () => '[2001:db8:1::1]'],
    [
      'an IPv6 address and a port',
      (time) => `[2001:db8:${time}::1]:443`,
      (time) => `[2001:db8:1::1]:${50_000 + time}`,
    ],
    ['an IPv4 address as IPv6', (time) => `[::ffff:192.0.2.${time}]:443`, (time) => `192.0.2.1:${time}`],
  ] satisfies [string, (time: number) => string, (time: number) => string][]) {
    test(`from a proxy that sends ${named}: visitors are told apart, and one visitor stays one`, async (t) => {
      const { register, log } = await startBehindProxy(t);
      assert.deepEqual(await register(six(visitor)), [...FIVE_PASS, 200]);
      const others = await startBehindProxy(t);
      assert.deepEqual(await others.register(six(alike)), [...FIVE_PASS, 429]);
      assert.doesNotMatch(log.text(), /TRUST_PROXY/);
    });
  }

  test('with and without a port, one address is one visitor', async (t) => {
    const { register } = await startBehindProxy(t);
    const statuses = await register(six((time) => (time % 2 ? '192.0.2.1' : `192.0.2.1:${time}`)));
    assert.deepEqual(statuses, [...FIVE_PASS, 429]);
  });

  test('proxies in the middle are recognised by their networks, with ports too', async (t) => {
    for (const proxies of ['10.0.0.5:4711, 10.0.0.6', '[fd00::5]:443,\t[fd00::6]', '10.0.0.5,[fd00::5]:1']) {
      const { register } = await startBehindProxy(t, 'loopback, 10.0.0.0/8, uniquelocal');
      const forwarded = (time: number): string => `203.0.113.${time}, 192.0.2.${time}:5678, ${proxies}`;
      assert.deepEqual(await register(six(forwarded)), [...FIVE_PASS, 200]);
      const forged = (time: number): string => `203.0.113.${time}:1, 192.0.2.1:${time}, ${proxies}`;
      assert.deepEqual(await register(six(forged)), [200, 200, 200, 200, 429, 429]);
    }
  });

  test('a value that is no address causes one warning, which does not repeat it', async (t) => {
    const { register, log } = await startBehindProxy(t);
    const hidden = ['unknown', '_hidden', 'wilma.example:80', '999.1.1.1:5', '[::zz]:1', '192.0.2.1:x'];
    assert.deepEqual(await register(hidden), [...FIVE_PASS, 429]);
    assert.match(onlyWarning(log), /no readable address.*share the limits of one/);
    assert.doesNotMatch(log.text(), /_hidden|wilma|999\.1|::zz/);
  });

  test('a proxy that TRUST_PROXY does not name causes one warning', async (t) => {
    const { register, log } = await startBehindProxy(t, '10.0.0.0/8');
    assert.deepEqual(await register(six((time) => `192.0.2.${time}`)), [...FIVE_PASS, 429]);
    assert.match(onlyWarning(log), /does not name.*count as one/);
  });

  test('what a visitor forges before her address is ignored, without a warning', async (t) => {
    const { register, log } = await startBehindProxy(t);
    const statuses = await register(six((time) => `forged${time}, [::1]:${time}, 192.0.2.1:${time}`));
    assert.deepEqual(statuses, [...FIVE_PASS, 429]);
    assert.doesNotMatch(log.text(), /TRUST_PROXY|forged/);
  });
});
