import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { ApiError, type Sandbox, startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { stripeSetup } from '#server/payments/stripe-events.ts';
import { startDnsServer, type Zone } from '#server/testing/network.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { runCommand } from './run-command.ts';

// The list as it is before anybody has confirmed anything, whatever the edition on sale says.
Object.assign(edition, { confirmed: undefined });

/** Nothing answers at these addresses. */
const AWAY = { ...leastEnvironment, STRIPE_API_BASE: 'http://127.0.0.1:1' };

const NO_DNS = ['--dns-server', '127.0.0.1:1'];

/** What the command tells of an item, in an environment in which neither Redis nor the register answers. */
async function check(env: NodeJS.ProcessEnv, ...options: string[]) {
  const ended = await runCommand(['launch-check', ...NO_DNS, ...options], { ...AWAY, ...env });
  assert.equal(ended.err, '');
  return ended;
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
  test('lists what is left by who decides it, and ends with 6', async () => {
    const { code, out } = await check({});
    assert.equal(code, 6);
    assert.match(out, /^Before the launch of january-2026: \d+ to change \[!\], \d+ to decide \[ \],\n/);
    assert.match(
      out,
      /\nThe owner\n {2}\[!\] sample-.*\n\nThe lawyer\n.*\n {2}\[ \] terms: .*\n\nThe bookk/s,
    );
    assert.match(out, /\[\?\] users: OPS_USERS: only the app is given that/);
    assert.match(out, /Redis and the register were not asked/);
    assert.doesNotMatch(out, /\[x\] \w/);
  });

  test('--all lists also what is done, --json all of it for programs', async () => {
    const env = { NODE_ENV: 'production' };
    assert.match((await check(env, '--all')).out, /\[x\] production: NODE_ENV: as it should be\./);
    const { edition, left, items } = JSON.parse((await check(env, '--json')).out);
    assert.equal(edition, 'january-2026');
    assert.ok(left > 0 && left < items.length);
  });

  test('what keeps the worker from starting is on the list', async () => {
    assert.match((await check({ PUBLIC_URL: '' })).out, /\[!\] variable-public-url: PUBLIC_URL is missing/);
    assert.match((await check({ SMTP_URL: '' })).out, /\[!\] variable-smtp-url: SMTP_URL is missing/);
    const pod = { NODE_ENV: 'production', KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    assert.match(
      (await check(pod)).out,
      /\[!\] variable-database-url: DATABASE_URL is a file, .* Kubernetes/,
    );
  });

  test('the newest copy of the register is known by its age', async (t) => {
    const told = async (folder: string) =>
      /newest-copy: .*/.exec((await check({ BACKUP_DIR: folder }, '--all')).out)?.[0];
    assert.match((await told(await copiesOf(t, 200, 12))) ?? '', /was made 12 minutes ago/);
    const late = await check({ BACKUP_DIR: await copiesOf(t, 200) });
    assert.match(late.out, /\[!\] newest-copy: .* was made 200 minutes ago/);
    assert.match((await told(await copiesOf(t))) ?? '', /There is no copy of the register/);
    const away = await check({ BACKUP_DIR: '/nowhere' });
    assert.match(away.out, /\[\?\] newest-copy: This could not be looked at: ENOENT/);
    assert.match(away.out, /\[ \] terms/);
  });

  describe('asks Stripe, and changes nothing there', () => {
    const SITE = 'https://retreat.test';
    const HOOK = `${SITE}/webhooks/stripe`;

    /** What the command tells of Stripe, on a sandbox whose webhook is shown like this. */
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
      sandbox.setWebhookUrl(HOOK, shown);
      const stripe = { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: sandbox.url, PUBLIC_URL: SITE };
      const { out } = await check(stripe, '--all');
      assert.deepEqual([...methods], ['GET']);
      return out;
    }

    const CASES: readonly (readonly [string, Parameters<typeof ask>[1], RegExp, RegExp?])[] = [
      ['the webhook is as it should be', {}, /\[x\] stripe-webhook: The webhook sends all events/],
      [
        'it leads elsewhere',
        { url: `${SITE}/hook` },
        /\[!\] stripe-webhook: No webhook .* https:\/\/retreat\.test\/webhooks/,
      ],
      ['it is disabled', { status: 'disabled' }, /\[!\] stripe-webhook: .* is disabled/],
      [
        'it sends too little',
        { enabled_events: stripeSetup.events.slice(2) },
        /\[!\] stripe-webhook: .* does not send payment_intent\.succeeded, payment_intent\.payment_failed\./,
      ],
      [
        'its events are old',
        { api_version: '2020-08-27' },
        /\[ \] stripe-webhook-version: .* events of 2020-08-27, not/,
      ],
      [
        'the account takes cards',
        {},
        /\[x\] stripe-account: .*\n(.*\n)*.*\[ \] stripe-statement: .*“SANDBOX”/,
      ],
      ['no domain is known', {}, /\[ \] stripe-domain: Stripe does not know the domain retreat\.test/],
      ['the key may read all', {}, /\[x\] stripe-key: /],
      ['it may not', {}, /\[!\] stripe-key: .* may not read Customers, Payouts\./, /customers|payouts/],
      [
        'it may not read the webhook',
        {},
        /\[\?\] stripe-webhook: .* lacks the permission rak_some_read\./,
        /webhook/,
      ],
      ['and yet the account', {}, /\[x\] stripe-account: /, /webhook/],
    ];
    for (const [name, shown, told, refused] of CASES)
      test(name, async (t) => assert.match(await ask(t, shown, refused), told));

    test('Stripe does not answer, which is not taken for anything', async () => {
      const { out } = await check({ STRIPE_API_BASE: 'http://127.0.0.1:1' });
      for (const id of ['stripe-account', 'stripe-webhook', 'stripe-domain'])
        assert.match(out, new RegExp(`\\[\\?\\] ${id}: .* cannot be read: Stripe does not answer\\.`));
    });
  });

  describe('looks up the DNS of the sender’s domain', () => {
    const RIGHT: Zone = {
      'mail.retreat.test': { txt: ['other=1', 'v=spf1 include:provider.test ~all'] },
      'office.test': { mx: ['in.retreat.test'] },
      's1._domainkey.mail.retreat.test': { txt: [`v=DKIM1; k=rsa; p=${'MIIB'.repeat(90)}`] },
      '_dmarc.retreat.test': { txt: ['v=DMARC1; p=quarantine'] },
    };
    const [at, to] = ['mail.retreat.test', 'office.test'];
    const spf = (...txt: string[]): Zone => ({ [at]: { txt } });

    const CASES: readonly (readonly [string, Zone, RegExp])[] = [
      ['MX', {}, /\[x\] dns-mx: office\.test, of OFFICE_EMAIL, takes the answers/],
      ['no MX, and an address', { [to]: { a: ['192.0.2.1'] } }, /\[x\] dns-mx: /],
      ['neither', { [to]: {} }, /\[!\] dns-mx: office\.test, of OFFICE_EMAIL, has neither/],
      ['no name at all', { [to]: 3 }, /\[!\] dns-mx: /],
      ['an MX that takes none', { [to]: { mx: [''], a: ['192.0.2.1'] } }, /\[!\] dns-mx: .* takes no mail/],
      ['SPF', {}, /\[x\] dns-spf: /],
      ['SPF by another', spf('v=spf1 redirect=_spf.provider.test'), /\[x\] dns-spf: /],
      ['SPF with a modifier last', spf('v=spf1 -all exp=why.retreat.test'), /\[x\] dns-spf: /],
      ['no SPF', spf('other=1'), /\[ \] dns-spf: mail\.retreat\.test has no SPF record/],
      ['SPF twice', spf('v=spf1 -all', 'v=spf1 ~all'), /\[ \] dns-spf: .* several/],
      ['SPF that says nothing', spf('v=spf1 a ?all'), /\[ \] dns-spf: .* refuses nobody/],
      ['SPF for everybody', spf('v=spf1 +all'), /\[!\] dns-spf: .* everybody/],
      ['the same, bare', spf('v=spf1 a all'), /\[!\] dns-spf: .* everybody/],
      ['DKIM', {}, /\[x\] dns-dkim: s1\._domainkey\.mail\.retreat\.test has a key/],
      ['no DKIM', { [`s1._domainkey.${at}`]: 3 }, /\[!\] dns-dkim: /],
      ['a withdrawn key', { [`s1._domainkey.${at}`]: { txt: ['v=DKIM1; p='] } }, /\[!\] dns-dkim: /],
      ['DMARC of the parent', {}, /\[x\] dns-dmarc: _dmarc\.retreat\.test asks to quarantine/],
      [
        'its own DMARC',
        { [`_dmarc.${at}`]: { txt: ['v=DMARC1; p=none'] } },
        /\[ \] dns-dmarc: .* only watches/,
      ],
      [
        'one that its parent has for those below',
        { '_dmarc.retreat.test': { txt: ['v=DMARC1; p=reject; sp=none'] } },
        /\[ \] dns-dmarc: .* only watches \(sp=none\)/,
      ],
      ['no DMARC', { '_dmarc.retreat.test': 3 }, /\[!\] dns-dmarc: .* has no DMARC/],
      ['a server that fails', { [at]: 2 }, /\[\?\] dns-spf: .* cannot be looked up: queryTxt ESERVFAIL/],
      ['what works beside it', { [at]: 2 }, /\[x\] dns-dkim/],
    ];
    for (const [name, changes, told] of CASES)
      test(name, async (t) => {
        const server = await startDnsServer(t, { ...RIGHT, ...changes });
        const options = ['--all', '--dkim-selector', 's1', '--dns-server', server];
        const env = { MAIL_FROM: `The Office <office@${at}>`, OFFICE_EMAIL: `office@${to}` };
        assert.match((await check(env, ...options)).out, told);
      });

    test('no server answers, which is not taken as missing; DKIM needs its selector', async () => {
      const { out } = await check({}, '--dns-server', '127.0.0.1:1');
      for (const id of ['mx', 'spf', 'dmarc'])
        assert.match(out, new RegExp(`\\[\\?\\] dns-${id}: .* ECONNREFUSED`));
      assert.match(out, /\[\?\] dns-dkim: .* --dkim-selector says under which name/);
    });

    test('a server that is no address is said, and hides nothing else', async () => {
      const { out } = await check({}, '--dns-server', 'nowhere');
      assert.match(out, /\[\?\] dns: This could not be looked at: Invalid IP address: nowhere\.\n/);
    });
  });
});
