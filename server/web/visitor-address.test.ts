import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import express from 'express';
import request from 'supertest';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { readAppConfig } from '#server/config/config.ts';
import { createTestLog, type TestLog } from '#server/testing/test-log.ts';
import { readForwardedFor, visitorAddress } from './visitor-address.ts';

/** Behind proxies; `count` says under how many addresses requests with these `X-Forwarded-For` are counted. */
function behindProxy(TRUST_PROXY = '1') {
  const log = createTestLog();
  const { trustProxy } = readAppConfig({ ...leastEnvironment, TRUST_PROXY });
  const app = express().set('trust proxy', trustProxy).use(readForwardedFor(log.logger));
  app.get('/', (req, res) => void res.send(visitorAddress(req)));
  const count = async (forwardedFor: readonly string[]): Promise<number> => {
    const addresses = new Set<string>();
    for (const forwarded of forwardedFor)
      addresses.add((await request(app).get('/').set('X-Forwarded-For', forwarded).expect(200)).text);
    return addresses.size;
  };
  return { count, log };
}

/** Four values, made from the numbers 1 to 4. */
const four = (make: (time: number) => string): string[] => [1, 2, 3, 4].map(make);

/** The only warning in the log that visitors cannot be told apart. */
function onlyWarning(log: TestLog): string {
  const [{ level, msg }, ...others] = log.lines('TRUST_PROXY');
  assert.equal(others.length, 0);
  assert.equal(level, 'warn');
  assert.match(msg, /X-Forwarded-For/);
  return msg;
}

describe('the address that a visitor is counted under', () => {
  test('behind a CDN whose networks TRUST_PROXY names it is her own, whatever edge she comes through and whatever she forges', async () => {
    const { count, log } = behindProxy('loopback,203.0.113.0/24,2001:db8:100::/40');
    const edge = (time: number) => (time % 2 ? `203.0.113.${time}` : `2001:db8:100::${time}`);
    assert.equal(await count(four((time) => `192.0.2.${time}, ${edge(time)}`)), 4);
    assert.equal(await count(four((time) => `198.51.100.${time}, 192.0.2.1, ${edge(time)}`)), 1);
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
    ['a port or none', (time) => `192.0.2.${time}`, (time) => `192.0.2.1${time % 2 ? '' : `:${time}`}`],
  ] satisfies [string, (time: number) => string, (time: number) => string][]) {
    test(`from a proxy that sends ${named}: visitors are told apart, and one visitor stays one`, async () => {
      const { count, log } = behindProxy();
      assert.deepEqual([await count(four(visitor)), await count(four(alike))], [4, 1]);
      assert.doesNotMatch(log.text(), /TRUST_PROXY/);
    });
  }

  test('proxies in the middle are recognised by their networks, with ports too', async () => {
    const { count } = behindProxy('loopback, 10.0.0.0/8, uniquelocal');
    for (const proxies of ['10.0.0.5:4711, 10.0.0.6', '[fd00::5]:443,\t[fd00::6]', '10.0.0.5,[fd00::5]:1']) {
      assert.equal(await count(four((time) => `203.0.113.${time}, 192.0.2.${time}:5678, ${proxies}`)), 4);
      assert.equal(await count(four((time) => `203.0.113.${time}:1, 192.0.2.1:${time}, ${proxies}`)), 1);
    }
  });

  test('a value that is no address causes one warning, which does not repeat it', async () => {
    const { count, log } = behindProxy();
    const hidden = ['unknown', '_hidden', 'wilma.example:80', '999.1.1.1:5', '[::zz]:1', '192.0.2.1:x'];
    assert.equal(await count(hidden), 1);
    assert.match(onlyWarning(log), /no readable address.*share the limits of one/);
    assert.doesNotMatch(log.text(), /_hidden|wilma|999\.1|::zz/);
  });

  test('a proxy that TRUST_PROXY does not name causes one warning', async () => {
    const { count, log } = behindProxy('10.0.0.0/8');
    assert.equal(await count(four((time) => `192.0.2.${time}`)), 1);
    assert.match(onlyWarning(log), /does not name.*count as one/);
  });

  test('what a visitor forges before her address is ignored, without a warning', async () => {
    const { count, log } = behindProxy();
    assert.equal(await count(four((time) => `forged${time}, [::1]:${time}, 192.0.2.1:${time}`)), 1);
    assert.doesNotMatch(log.text(), /TRUST_PROXY|forged/);
  });
});
