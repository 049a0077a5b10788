import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { startPostgres } from '#scripts/product/postgres.ts';
import { ApiError, type Sandbox, startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { EVENT_TYPES } from '#server/stripe/stripe-events.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { testDatabaseUrl } from '#server/testing/test-database.ts';
import { runCommand } from './run-command.ts';

/** Neither Redis, the register, Stripe nor a DNS server answers, unless the test changes that. */
async function check(env: NodeJS.ProcessEnv, ...options: string[]) {
  const words = ['launch-check', '--dns-server', '127.0.0.1:1', ...options];
  const away = { ...leastEnvironment, STRIPE_API_BASE: 'http://127.0.0.1:1' };
  const { code, out, err } = await runCommand(words, { ...away, ...env });
  assert.equal(err, '');
  return { code, out, of: (item: string) => new RegExp(`^\\[.\\] ${item}.*`, 'm').exec(out)?.[0] ?? '' };
}

async function copiesOf(t: TestContext, ...minutesAgo: number[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'copies-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const minutes of minutesAgo) {
    const at = new Date(Date.now() - minutes * 60_000).toISOString().replace(/[:.]/g, '-');
    await writeFile(join(folder, `register-${at}.sqlite`), '');
  }
  return folder;
}

describe('support launch-check', () => {
  test('lists what is left, what could not be looked at and what is done, and ends with 6', async () => {
    const { code, out } = await check({});
    assert.equal(code, 6);
    assert.match(out, /^Before the launch of january-2026:\n\[!\] configuration: /);
    assert.match(out, /\[!\] configuration: \S+people\.yaml holds samples: Marian Thornquist/);
    assert.match(out, /\[!\] configuration: NODE_ENV is not production/);
    for (const id of ['stripe-account', 'stripe-webhook', 'stripe-key'])
      assert.match(out, new RegExp(`^\\[\\?\\] ${id}: StripeConnectionError$`, 'm'));
    for (const id of ['mx', 'spf', 'dmarc'])
      assert.match(out, new RegExp(`^\\[\\?\\] dns-${id}: .* ECONNREFUSED`, 'm'));
    assert.match(out, /^\[\?\] dns-dkim: --dkim-selector says under which name/m);
    const marks = out.match(/(?<=^\[)[!?x]/gm);
    assert.deepEqual(marks, marks?.toSorted());
  });

  for (const [env, says] of [
    [{ PUBLIC_URL: '' }, /\[!\] configuration: PUBLIC_URL is missing/],
    [{ SMTP_URL: '' }, /\[!\] configuration: SMTP_URL is missing/],
    [
      { NODE_ENV: 'production', KUBERNETES_SERVICE_HOST: '10.0.0.1' },
      /\[!\] configuration: DATABASE_URL is a file, .* Kubernetes/,
    ],
    [{ BACKUP_DIR: '/nowhere' }, /\[\?\] copies: ENOENT/],
    [{ BACKUP_DIR: '' }, /\[!\] copies: BACKUP_DIR is not set: nothing copies/],
  ] as const)
    test(`what is wrong with ${JSON.stringify(env)} is on the list`, async () => {
      assert.match((await check(env)).out, says);
    });

  test('the register is copied each hour, or the check says so', async (t) => {
    const copies = async (BACKUP_DIR: string) => (await check({ BACKUP_DIR })).of('copies');
    assert.equal(await copies(await copiesOf(t, 200, 12)), '[x] copies');
    for (const folder of [await copiesOf(t, 200), await copiesOf(t)]) {
      const late = `${folder} has no copy of the register from the last two hours`;
      assert.equal(await copies(folder), `[!] copies: ${late}`);
    }
  });

  test('PostgreSQL must wait for a standby; no tables are made in it', async (t) => {
    const url = await testDatabaseUrl(t, 'postgres', 'empty');
    const copies = async (DATABASE_URL: string, BACKUP_DIR = '') =>
      (await check({ DATABASE_URL, BACKUP_DIR })).of('copies');
    assert.match(await copies(url), /^\[!\] copies: PostgreSQL waits for no synchronous standby/);
    assert.equal(await copies(url, '/backup'), '[x] copies');
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query("select to_regclass('register') as made");
    await client.end();
    assert.deepEqual(rows, [{ made: null }]);
    const settings = { synchronous_standby_names: '*', synchronous_commit: 'on' };
    const { url: urlOf, stop } = await startPostgres({ settings });
    t.after(stop);
    assert.equal(await copies(urlOf('postgres')), '[x] copies');
  });

  test('a DNS server that is no address is refused', async () => {
    const { code, err } = await runCommand(['launch-check', '--dns-server', 'nowhere'], leastEnvironment);
    assert.deepEqual([code, err], [1, 'Invalid IP address: nowhere\n']);
  });

  describe('asks Stripe, and changes nothing there', () => {
    const SITE = 'https://retreat.test';

    /** What the command says of Stripe, on a sandbox whose webhook is shown like this. */
    async function ask(t: TestContext, shown: Parameters<Sandbox['setWebhookUrl']>[1], refused = /^$/) {
      const methods = new Set<string>();
      const secretKey = 'rk_test_sandbox';
      const { sandbox } = await startTestSandbox(t, {
        secretKey,
        intercept({ method, path }) {
          methods.add(method);
          const message = "The key is not enough. Having the 'rak_some_read' permission would allow it.";
          if (refused.test(path)) throw new ApiError(403, { type: 'invalid_request_error', message });
          return undefined;
        },
      });
      sandbox.setWebhookUrl(`${SITE}/webhooks/stripe`, shown);
      const env = { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: sandbox.url, PUBLIC_URL: SITE };
      const { out } = await check(env);
      assert.deepEqual([...methods], ['GET']);
      return out;
    }

    const CASES: readonly (readonly [string, Parameters<typeof ask>[1], RegExp, RegExp?])[] = [
      ['all is as it should be', {}, /\[x\] stripe-account\n\[x\] stripe-key\n\[x\] stripe-webhook$/m],
      ['it leads elsewhere', { url: `${SITE}/hook` }, /\[!\] stripe-webhook: No enabled .*\.test\/webhooks/],
      ['it is disabled', { status: 'disabled' }, /\[!\] stripe-webhook: No enabled webhook/],
      [
        'it sends too little',
        { enabled_events: EVENT_TYPES.slice(2) },
        /\[!\] stripe-webhook: .* does not send payment_intent\.succeeded, payment_intent\.payment_failed$/m,
      ],
      ['its events are old', { api_version: '2020-08-27' }, /\[!\] stripe-webhook: .* another version than/],
      [
        'the key may not read all',
        {},
        /\[!\] stripe-key: The key may not read customers, payouts$/m,
        /customers|payouts/,
      ],
      [
        'it may not read the webhook, and yet the account',
        {},
        /^\[\?\] stripe-webhook: StripePermissionError$[\s\S]*\[x\] stripe-account$/m,
        /webhook/,
      ],
    ];
    for (const [name, shown, told, refused] of CASES)
      test(name, async (t) => assert.match(await ask(t, shown, refused), told));
  });

  describe('looks up the DNS of the sender’s domain', () => {
    const [at, to, dmarc] = ['mail.retreat.test', 'office.test', '_dmarc.retreat.test'];
    const dkim = `s1._domainkey.${at}`;
    const RIGHT: Zone = {
      [at]: { txt: ['other=1', 'v=spf1 include:provider.test ~all'] },
      [to]: { mx: ['in.retreat.test'] },
      [dkim]: { txt: [`v=DKIM1; k=rsa; p=${'MIIB'.repeat(90)}`] },
      [dmarc]: { txt: ['v=DMARC1; p=quarantine'] },
    };
    const spf = (...txt: string[]): Zone => ({ [at]: { txt } });

    const CASES: readonly (readonly [string, Zone, RegExp])[] = [
      [
        'all is there, DMARC at the parent',
        {},
        /\[x\] dns-dkim\n\[x\] dns-dmarc\n\[x\] dns-mx\n\[x\] dns-spf$/m,
      ],
      ['no MX, and an address', { [to]: { a: ['192.0.2.1'] } }, /\[x\] dns-mx/],
      ['neither', { [to]: {} }, /\[!\] dns-mx: office\.test, of OFFICE_EMAIL, takes no mail/],
      ['no name at all', { [to]: 3 }, /\[!\] dns-mx/],
      ['an MX that takes none', { [to]: { mx: [''], a: ['192.0.2.1'] } }, /\[!\] dns-mx: .* takes no mail/],
      ['SPF by another', spf('v=spf1 redirect=_spf.provider.test'), /\[x\] dns-spf/],
      ['no SPF, as the envelope may be the provider’s', spf('other=1'), /\[x\] dns-spf/],
      ['SPF twice', spf('v=spf1 -all', 'v=spf1 ~all'), /\[!\] dns-spf: .* several/],
      ['SPF for everybody', spf('v=spf1 +all'), /\[!\] dns-spf: .* everybody/],
      ['the same, bare', spf('v=spf1 a all'), /\[!\] dns-spf: .* everybody/],
      ['no DKIM', { [dkim]: 3 }, /\[!\] dns-dkim: s1\._domainkey\.mail\.retreat\.test has no/],
      ['a withdrawn key', { [dkim]: { txt: ['v=DKIM1; p='] } }, /\[!\] dns-dkim/],
      ['its own DMARC', { [`_dmarc.${at}`]: { txt: ['v=DMARC1; p=none'] } }, /\[x\] dns-dmarc/],
      ['DMARC without a policy', { [dmarc]: { txt: ['v=DMARC1; sp=none'] } }, /\[!\] dns-dmarc/],
      ['no DMARC', { [dmarc]: 3 }, /\[!\] dns-dmarc: .* has no DMARC/],
      ['a server that fails', { [at]: 2 }, /\[\?\] dns-spf: queryTxt ESERVFAIL[\s\S]*\[x\] dns-dkim/],
    ];
    for (const [name, changes, told] of CASES)
      test(name, async (t) => {
        const server = await startDnsServer(t, { ...RIGHT, ...changes });
        const options = ['--dkim-selector', 's1', '--dns-server', server];
        const env = { MAIL_FROM: `The Office <office@${at}>`, OFFICE_EMAIL: `office@${to}` };
        assert.match((await check(env, ...options)).out, told);
      });
  });
});

const A = 1;
const MX = 15;
const TXT = 16;
const NO_SUCH_NAME = 3;

interface Records {
  a?: readonly string[];
  mx?: readonly string[];
  txt?: readonly string[];
}
/** What a name has: addresses, the hosts of MX, and texts. Where it is a number, the server answers with that error. */
type Zone = Readonly<Record<string, Records | number>>;

/** A name server for one test, on loopback; the names of other zones do not exist. @see RFC 1035, section 4 */
async function startDnsServer(t: TestContext, zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => socket.send(answerTo(query, zone), from.port, from.address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  cleanUp(t, async () => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function answerTo(query: Buffer, zone: Zone): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = query.readUInt16BE(at + 1);
  const question = query.subarray(12, at + 5);
  const found = zone[labels.join('.')] ?? NO_SUCH_NAME;
  const { a = [], mx = [], txt = [] }: Records = typeof found === 'number' ? {} : found;
  const data: Readonly<Record<number, readonly Buffer[]>> = {
    [A]: a.map((address) => Buffer.from(address.split('.').map(Number))),
    [MX]: mx.map(exchangeData),
    [TXT]: txt.map(textData),
  };
  const answers = data[type] ?? [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 + (typeof found === 'number' ? found : 0), 2);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt32BE(0, 8);
  // Each answer: the name of the question, the type, the class IN, a time to live of 0, and the data.
  const records = answers.flatMap((data) => [
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]),
    data,
  ]);
  return Buffer.concat([header, question, ...records]);
}

const withLength = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);

/** A long text is several strings. */
const textData = (text: string): Buffer => Buffer.concat((text.match(/.{1,200}/g) ?? []).map(withLength));

/** The preference 10, and the host; an empty one is the root. */
const exchangeData = (host: string): Buffer =>
  Buffer.concat([Buffer.from([0, 10]), ...host.split('.').filter(Boolean).map(withLength), Buffer.from([0])]);
