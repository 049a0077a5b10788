import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import express from 'express';
import pg from 'pg';
import { environmentOfProcess, leastEnvironment, sampleMailEvents } from '#scripts/product/environment.ts';
import { ConfigError, readAppConfig, readWorkerConfig } from './config.ts';
import { launchProblems } from './launch.ts';

const REAL_KEYS = {
  STRIPE_SECRET_KEY: `rk_test_${'a1B2'.repeat(8)}`,
  STRIPE_PUBLISHABLE_KEY: `pk_test_${'a1B2'.repeat(8)}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${'a1B2'.repeat(8)}`,
};
/** They charge real cards, so the launch check applies to them. */
const LIVE_KEYS = {
  ...REAL_KEYS,
  STRIPE_SECRET_KEY: `sk_live_${'a1B2'.repeat(8)}`,
  STRIPE_PUBLISHABLE_KEY: `pk_live_${'a1B2'.repeat(8)}`,
};
const SANDBOX_HOST = { STRIPE_API_BASE: 'http://127.0.0.1:12111' };
const production = {
  ...leastEnvironment,
  ...REAL_KEYS,
  NODE_ENV: 'production',
  OPS_PASSWORD: 'long and secret',
};

const MAY_END_WITH = 'must have nothing after ? but sslmode, sslrootcert, sslcert and sslkey, each once';

/** What app and worker report, each problem once. */
function problemsOf(env: NodeJS.ProcessEnv): string {
  const lines = [readAppConfig, readWorkerConfig].flatMap((read) => reportOf(() => read(env)).split('\n'));
  return [...new Set(lines)].filter((line) => line !== '').join('\n');
}

function reportOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return '';
}

const appWith = (env: NodeJS.ProcessEnv = {}) => readAppConfig({ ...leastEnvironment, ...env });

function refuses(env: NodeJS.ProcessEnv, ...words: RegExp[]): void {
  const problems = problemsOf({ ...leastEnvironment, ...env });
  for (const one of words) assert.match(problems, one);
}

const accepts = (env: NodeJS.ProcessEnv) => assert.equal(problemsOf({ ...leastEnvironment, ...env }), '');

/** The problems that name `TRUST_PROXY`. */
function proxyProblems(env: NodeJS.ProcessEnv): string[] {
  return problemsOf(env)
    .split('\n')
    .filter((problem) => problem.includes('TRUST_PROXY'));
}

describe('the configuration', () => {
  test('registration follows the edition’s dates in production, and is open elsewhere, unless configured otherwise', () => {
    assert.equal(readAppConfig(production).registration, 'auto');
    assert.equal(readAppConfig(leastEnvironment).registration, 'open');
    for (const REGISTRATION of ['open', 'closed', 'auto'] as const) {
      assert.equal(readAppConfig({ ...production, REGISTRATION }).registration, REGISTRATION);
    }
  });

  test('an empty environment: every missing key is named at once', () => {
    const problems = problemsOf({});
    for (const name of Object.keys(leastEnvironment))
      assert.match(problems, new RegExp(`- ${name} is missing`));
    assert.equal(problems.split('\n').length, Object.keys(leastEnvironment).length + 1);
  });

  test('app and worker start with what each of them reads, which are not the other’s secrets', () => {
    const folders = { OPS_USERS_FILE: '/dev/null', BACKUP_DIR: '/backup' };
    const whole = { ...production, ...sampleMailEvents, ...folders, OTHER: 'kept' };
    const ofApp = environmentOfProcess('app', whole);
    const ofWorker = environmentOfProcess('worker', whole);
    readAppConfig(ofApp);
    readWorkerConfig(ofWorker);
    const { SMTP_URL, BACKUP_DIR, ...app } = whole;
    assert.deepEqual(ofApp, app);
    const { STRIPE_WEBHOOK_SECRET, STRIPE_PUBLISHABLE_KEY, MAIL_EVENTS_SECRET, OPS_USERS_FILE, ...worker } =
      whole;
    assert.deepEqual(ofWorker, worker);
  });

  test('an empty value counts as absent', () => {
    refuses({ REDIS_URL: '' }, /REDIS_URL is missing/);
    refuses({ LINK_SECRET: '' }, /LINK_SECRET is missing/);
    assert.equal(appWith({ PORT: '' }).listen.port, 3000);
  });

  for (const [name, value, words] of [
    ['PORT', '70000', 'must be a port number'],
    ['REDIS_URL', 'http://redis', 'must be the address of Redis'],
    ['OFFICE_EMAIL', 'office', 'must be an e-mail address'],
    ['PAYMENTS', 'cash', 'must be stripe or sandbox'],
    ['NODE_ENV', 'prod', 'must be development or production'],
    ['LOG_LEVEL', 'loud', 'must be fatal, error, warn, info, debug, trace or silent'],
    ['MAIL_TRANSPORT', 'pigeon', 'must be smtp or email-service'],
    ['SMTP_URL', 'smtp://user:50%@mail.example', 'contains a user or password that is not percent-encoded'],
    ['REDIS_URL', 'redis://:50%@redis', 'contains a user or password that is not percent-encoded'],
    ['SMTP_URL', 'smtp://', 'must be the mail server'],
    ['REDIS_URL', 'redis:', 'must be the address of Redis'],
    ['REDIS_URL', 'rediss://redis:6379?tls=no', 'must end with the port, or with / and the number'],
    ['MAIL_FROM', 'The Office', 'must be the sender of every mail'],
    ['MAIL_FROM', 'Two <a@retreat.example>, <b@retreat.example>', 'must be the sender of every mail'],
    ['PUBLIC_URL', 'https://user:word@retreat.example', 'must not contain a user or password'],
    ['OPS_PORT', '3000', "is the site's port"],
    ['DATABASE_URL', 'register.sqlite', 'must be where the register is'],
    ['DATABASE_URL', 'file:register.sqlite', 'must be where the register is'],
    ['DATABASE_URL', 'file:./data/r.sqlite', 'must be where the register is'],
    ['DATABASE_URL', 'file:', 'must be where the register is'],
    ['DATABASE_URL', 'file://host/r.sqlite', 'must be where the register is'],
    ['DATABASE_URL', 'file:/data/register.sqlite?mode=ro', 'must be where the register is'],
    ['DATABASE_URL', 'mysql://db.example/register', 'must be where the register is'],
    ['DATABASE_URL', 'postgresql://u:50%@db.example/register', 'contains a user or password that is not'],
    ['DATABASE_URL', 'postgresql://u:p@db.example/register', 'must end with ?sslmode=verify-full'],
    ['DATABASE_URL', 'postgresql://db.example/a?sslmode=require', 'must end with ?sslmode=verify-full'],
    ['DATABASE_URL', 'postgresql://u@127.0.0.1/a?hostaddr=192.0.2.1', MAY_END_WITH],
    ['DATABASE_URL', 'postgresql://u@db.example/a?sslmode=verify-full&sslmode=disable', MAY_END_WITH],
    ['DATABASE_URL', 'postgresql://u@db.example/a?sslmode=verify-full&uselibpqcompat=true', MAY_END_WITH],
    ['DATABASE_URL', 'postgresql://u@127.0.0.1/a?sslmode=no-verify', 'must end with ?sslmode=verify-full'],
    ['BACKUP_DIR', 'copies', 'must be the folder for copies and the mark of the register'],
    ['OFFICE_FAX', 'ask us', "must be the retreat office's fax number"],
    ['OFFICE_POSTAL_ADDRESS', '1 Example Street\tSampletown', 'must be one line'],
    ['OFFICE_LEGAL_NAME', 'x'.repeat(201), 'must be one line of at most 200 characters'],
  ] as const) {
    test(`${name}=${value} ${words}`, () => {
      const [, ...problems] = problemsOf({ ...leastEnvironment, [name]: value }).split('\n');
      assert.equal(problems.length, 1);
      assert.ok(problems[0]?.startsWith(`  - ${name} ${words}`), problems[0]);
    });
  }

  for (const from of ['office@retreat.example', '"Retreat, The" <office@retreat.example>']) {
    test(`MAIL_FROM=${from} names a sender`, () => {
      assert.equal(appWith({ MAIL_FROM: from }).mail.from, from);
    });
  }

  test('R8 the office’s fax, postal address and legal name are read where they are given', () => {
    const { email, phone, ...absent } = appWith().office;
    assert.deepEqual([email, phone], ['office@retreat.example', '+1 (555) 555-0100']);
    assert.deepEqual(absent, { fax: undefined, postalAddress: undefined, legalName: undefined });
    for (const OFFICE_FAX of ['+1 (555) 555-0101', '(555) 555-0101', '+49.30.5550101'])
      assert.equal(appWith({ OFFICE_FAX }).office.fax, OFFICE_FAX);
    const given = { OFFICE_POSTAL_ADDRESS: ' 1 Example Street, Sampletown ', OFFICE_LEGAL_NAME: 'Åse & Co.' };
    const { postalAddress, legalName } = appWith(given).office;
    assert.deepEqual([postalAddress, legalName], ['1 Example Street, Sampletown', 'Åse & Co.']);
  });

  test('the register is a file on this host, or a PostgreSQL server whose connections are encrypted or expressly not', () => {
    for (const DATABASE_URL of [
      'file:/data/register.sqlite',
      'file:///data/register.sqlite',
      'postgresql://user:p%40ss@db.example/register?sslmode=verify-full',
      'postgres://user@db/register?sslmode=disable',
      'postgresql://user@127.0.0.1:5432/register',
      'postgresql://user@127.0.0.1/register?sslmode=verify-full',
    ]) {
      assert.equal(appWith({ DATABASE_URL }).database.url, DATABASE_URL);
      if (DATABASE_URL.startsWith('file:')) continue;
      assert.equal(
        new pg.Client(DATABASE_URL).host,
        new URL(DATABASE_URL).hostname,
        'as the driver reads it',
      );
    }
    assert.equal(readWorkerConfig({ ...leastEnvironment, BACKUP_DIR: '/backup' }).backupFolder, '/backup');
  });

  test('on Kubernetes production refuses a register in a file', () => {
    const pod = { ...production, KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    refuses(pod, /- DATABASE_URL is a file, .*: use PostgreSQL on Kubernetes$/);
    accepts({ ...pod, DATABASE_URL: 'postgresql://user@127.0.0.1/register' });
    accepts({ KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  });

  test('links are signed with the first secret and accepted with any; a short secret is refused', () => {
    const [one, other] = ['a'.repeat(32), 'b'.repeat(40)];
    const secretsOf = (LINK_SECRET: string) => appWith({ LINK_SECRET }).linkSecrets;
    assert.deepEqual(secretsOf(one), [one]);
    assert.deepEqual(secretsOf(`${other}, ${one}`), [other, one]);
    for (const LINK_SECRET of ['short', `${one},short`, `${one},`, `${one},,${other}`])
      refuses({ LINK_SECRET }, /LINK_SECRET must have at least 32/);
  });

  test('the ops page requires a password wherever others can reach it', () => {
    for (const OPS_HOST of ['0.0.0.0', '::', '10.0.0.5', 'worker']) {
      refuses({ OPS_HOST }, /OPS_PASSWORD is missing/);
      accepts({ OPS_HOST, OPS_PASSWORD: 'long and secret' });
    }
    for (const OPS_HOST of ['', '127.0.0.1', '127.0.0.2', '::1', 'localhost']) accepts({ OPS_HOST });
    refuses({ ...production, OPS_PASSWORD: '' }, /OPS_PASSWORD is missing/);
  });

  test('production refuses a password of /metrics that is short: 15 characters at least', () => {
    for (const OPS_PASSWORD of ['x', 'long and short'])
      refuses({ ...production, OPS_PASSWORD }, /- OPS_PASSWORD must have at least 15 characters, such as/);
    accepts({ OPS_PASSWORD: 'x' });
  });

  for (const [name, value] of [
    ['OPS_PASSWORD', 'a'.repeat(40)],
    ['LINK_SECRET', 'a'.repeat(40)],
    ['LINK_SECRET', `${leastEnvironment.LINK_SECRET},${'abcd'.repeat(8)}`],
    ['MAIL_EVENTS_SECRET', `whsec_${Buffer.alloc(32, 'a').toString('base64')}`],
    ['STRIPE_SECRET_KEY', `sk_test_${'a'.repeat(24)}`],
    ['STRIPE_WEBHOOK_SECRET', `whsec_${'a'.repeat(32)}`],
    ['REDIS_URL', 'redis://:aaaaaaaa@redis:6379'],
    ['SMTP_URL', 'smtps://user:aaaaaaaa@mail.example'],
    ['DATABASE_URL', 'postgresql://user:aaaaaaaa@127.0.0.1/register'],
    ['EMAIL_SERVICE_USER_ID', 'aaaaaaaa'],
  ] as const) {
    test(`production refuses ${name}=${value}, which can be guessed`, () => {
      refuses(
        { ...production, [name]: value },
        new RegExp(`- ${name} can be guessed: .*openssl rand -base64 32`),
      );
      assert.doesNotMatch(problemsOf({ ...leastEnvironment, [name]: value }), /guessed/);
    });
  }

  for (const [value, name = 'REDIS_URL'] of [
    ['redis://redis.example:6379'],
    ['redis://[2001:db8::1]:6379'],
    ['redis://134744072:6379'],
    ['postgresql://user@db.example/register?sslmode=disable', 'DATABASE_URL'],
    ['postgresql://user@8.8.8.8/register?sslmode=disable', 'DATABASE_URL'],
  ]) {
    test(`production refuses ${value} without TLS`, () => {
      const refusal = new RegExp(`- ${name} leads over other networks without TLS: `);
      refuses({ ...production, [name]: value }, refusal);
      assert.doesNotMatch(problemsOf({ ...leastEnvironment, [name]: value }), refusal);
    });
  }

  for (const env of [
    { REDIS_URL: 'redis://redis:6379' },
    { REDIS_URL: 'redis://10.1.2.3:6379' },
    { REDIS_URL: 'redis://[fd00::1]:6379' },
    { REDIS_URL: 'redis://redis.cache.svc.cluster.local:6379' },
    { REDIS_URL: 'rediss://redis.example:6379' },
    { DATABASE_URL: 'postgresql://user@db/register?sslmode=disable' },
    { DATABASE_URL: 'postgresql://user@%2Frun%2Fpostgresql/register?sslmode=disable' },
    { DATABASE_URL: 'postgresql://user@db.example/register?sslmode=verify-full' },
  ])
    test(`production accepts ${JSON.stringify(env)}`, () => accepts({ ...production, ...env }));

  test('a scheme in capitals means TLS too', () => {
    assert.equal(appWith({ REDIS_URL: 'REDISS://redis.example/2' }).redisUrl, 'rediss://redis.example/2');
  });

  test('production accepts plain http at the office on loopback only', () => {
    for (const PAYMENTS of ['stripe', 'sandbox'])
      refuses(
        { ...production, PAYMENTS, OFFICE_URL: 'http://office.example' },
        /- OFFICE_URL must begin with https:/,
      );
    for (const OFFICE_URL of ['http://127.0.0.1:3001', 'http://localhost:3100', 'https://office.example'])
      accepts({ ...production, OFFICE_URL });
    accepts({ OFFICE_URL: 'http://office.example' });
  });

  test('production accepts plain http on loopback and with the sandbox only', () => {
    const plain = { ...production, PUBLIC_URL: 'http://retreat.example' };
    refuses(plain, /PUBLIC_URL must begin with https:/);
    accepts({ ...plain, PUBLIC_URL: 'https://retreat.example', TRUST_PROXY: '1' });
    for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000'])
      accepts({ ...plain, PUBLIC_URL: `http://${host}` });
    assert.doesNotMatch(problemsOf({ ...plain, PAYMENTS: 'sandbox' }), /PUBLIC_URL/);
    accepts({ PUBLIC_URL: plain.PUBLIC_URL });
  });

  test('production behind https requires TRUST_PROXY: its proxies, or none', () => {
    const https = { ...production, PUBLIC_URL: 'https://retreat.example' };
    for (const PAYMENTS of ['stripe', 'sandbox']) {
      for (const TRUST_PROXY of [undefined, '', '0']) {
        const [problem, ...others] = proxyProblems({ ...https, PAYMENTS, TRUST_PROXY });
        assert.match(
          problem ?? '',
          /- TRUST_PROXY is missing or 0, but .*: set the number .* such as 1, .*, or none/,
        );
        assert.equal(others.length, 0);
      }
      for (const TRUST_PROXY of ['1', 'loopback', 'none'])
        assert.deepEqual(proxyProblems({ ...https, PAYMENTS, TRUST_PROXY }), []);
    }
    assert.deepEqual(proxyProblems({ ...https, NODE_ENV: 'development' }), []);
    for (const PUBLIC_URL of ['http://127.0.0.1:3000', 'https://localhost:3000', 'https://[::1]', 'https://'])
      assert.deepEqual(proxyProblems({ ...https, PUBLIC_URL }), []);
    assert.deepEqual(proxyProblems({ ...https, PUBLIC_URL: 'http://here.example', PAYMENTS: 'sandbox' }), []);
    assert.equal(proxyProblems({ ...https, TRUST_PROXY: '12' }).length, 1);
  });

  for (const [given, trusted] of [
    [undefined, 0],
    ['none', 0],
    ['2', 2],
    ['loopback, 10.0.0.0/8,2001:db8::1', ['loopback', '10.0.0.0/8', '2001:db8::1']],
    ['2001::/16,::ffff:10.0.0.0/104', ['2001::/16', '::ffff:10.0.0.0/104']],
  ] as const) {
    test(`TRUST_PROXY=${given ?? ''} names the proxies, and Express accepts it`, () => {
      const { trustProxy } = appWith({ TRUST_PROXY: given });
      assert.deepEqual(trustProxy, trusted);
      express().set('trust proxy', trustProxy);
    });
  }

  for (const wrong of [
    'true',
    '12',
    'proxy',
    '10.0.0.1,',
    'none,loopback',
    '10.0.0.0/33',
    '10.0.0.0/255.0.0.0',
    '0.0.0.0/0',
    '0.0.0.0/1,128.0.0.0/1',
    '10.0.0.0/7',
    '2001::/15',
    '::/16',
    '::ffff:0:0/96',
    '::ffff:10.0.0.0/103',
  ]) {
    test(`TRUST_PROXY=${wrong} is refused: it names no proxies, or too many addresses`, () => {
      refuses({ TRUST_PROXY: wrong }, /TRUST_PROXY must be the number of proxies/);
    });
  }

  test('a value can be read from a file, as containers get their secrets', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'key');
    await writeFile(file, 'sk_test_from_a_file\n');
    const { STRIPE_SECRET_KEY: _, ...rest } = leastEnvironment;
    const { stripe } = readAppConfig({ ...rest, STRIPE_SECRET_KEY_FILE: file });
    assert.equal(stripe.secretKey, 'sk_test_from_a_file');

    refuses({ STRIPE_SECRET_KEY_FILE: file }, /STRIPE_SECRET_KEY is set twice/);
    const missing = problemsOf({ ...rest, STRIPE_SECRET_KEY_FILE: `${file}.missing`, SMTP_URL: '' });
    assert.match(missing, /STRIPE_SECRET_KEY_FILE names a file that cannot be read/);
    assert.match(missing, /SMTP_URL is missing/);
    assert.equal(missing.split('STRIPE_SECRET_KEY').length - 1, 1);
  });

  test('production starts with real keys, live or test, secret or restricted', () => {
    for (const kind of ['sk', 'rk']) {
      accepts({ ...production, STRIPE_SECRET_KEY: `${kind}_test_${'a1B2'.repeat(8)}` });
      const live = { ...production, ...LIVE_KEYS, STRIPE_SECRET_KEY: `${kind}_live_${'a1B2'.repeat(8)}` };
      const [, ...problems] = problemsOf(live).split('\n');
      assert.deepEqual(
        problems,
        launchProblems(live).map((problem) => `  - ${problem}`),
      );
    }
  });

  test('R8 nothing starts with a live key, in production or elsewhere, while sample content is left', () => {
    for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY'] as const) {
      const words = new RegExp(`${name} is live, but .* holds samples: Marian Thornquist`);
      for (const env of [production, leastEnvironment]) refuses({ ...env, [name]: LIVE_KEYS[name] }, words);
    }
    accepts(production);
  });

  test('a mail provider’s secrets are checked at the start; one or several', () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
    const given = { MAIL_EVENTS_SECRET: `${secret}, ${other}` };
    assert.deepEqual(appWith(given).mail.eventsSecrets, [secret, other]);
    assert.deepEqual(appWith().mail.eventsSecrets, []);
    for (const MAIL_EVENTS_SECRET of ['whsec_', 'a'.repeat(44), `${secret},`, `whsec_${'a'.repeat(20)}`])
      refuses({ MAIL_EVENTS_SECRET }, /MAIL_EVENTS_SECRET must be whsec_/);
  });

  test('production refuses a live key beside a test key', () => {
    refuses({ ...production, STRIPE_SECRET_KEY: LIVE_KEYS.STRIPE_SECRET_KEY }, /must both be live keys/);
  });

  test('production refuses keys that are not Stripe’s, and other hosts, and names all of them', () => {
    refuses(
      { ...SANDBOX_HOST, NODE_ENV: 'production' },
      ...Object.keys(REAL_KEYS).map((name) => new RegExp(`${name} is not a real Stripe key`)),
      /STRIPE_API_BASE must not be set in production/,
      /OPS_PASSWORD is missing/,
    );
  });

  test('production accepts the sandbox only when configured to, on its own host and never with live keys', () => {
    const asked = {
      ...SANDBOX_HOST,
      PAYMENTS: 'sandbox',
      NODE_ENV: 'production',
      OPS_PASSWORD: 'long and secret',
    };
    accepts(asked);
    refuses({ ...asked, PAYMENTS: '' }, /needs attention/);
    refuses({ ...asked, STRIPE_API_BASE: '' }, /STRIPE_API_BASE is missing: PAYMENTS=sandbox/);
    refuses({ ...asked, ...LIVE_KEYS }, /STRIPE_SECRET_KEY is a live key/);
  });

  test('a movable clock is allowed with the sandbox only, never in production or with real keys', () => {
    const sandbox = { PAYMENTS: 'sandbox', STRIPE_API_BASE: 'http://127.0.0.1:12111', CLOCK: 'sandbox' };
    assert.equal(appWith().clockUrl, undefined);
    assert.equal(appWith(sandbox).clockUrl, 'http://127.0.0.1:12111/sandbox/clock');
    const inProduction = { NODE_ENV: 'production', OPS_PASSWORD: 'long and secret' };
    for (const refused of [inProduction, REAL_KEYS, LIVE_KEYS])
      refuses({ ...sandbox, ...refused }, /CLOCK must not be sandbox/);
    for (const missing of ['PAYMENTS', 'STRIPE_API_BASE'])
      refuses({ ...sandbox, [missing]: '' }, /CLOCK=sandbox needs PAYMENTS=sandbox, and the address/);
  });

  test('R6.1 the pixel’s id is digits', () => {
    const META_PIXEL_ID = '1234567890';
    assert.equal(appWith().pixelId, undefined);
    assert.equal(appWith({ META_PIXEL_ID }).pixelId, META_PIXEL_ID);
    refuses({ META_PIXEL_ID: "1');" }, /META_PIXEL_ID must be digits only/);
    accepts({ ...production, META_PIXEL_ID });
  });

  test('R5.2 the e-mail service: missing ids are named in its own words, with where to find them', () => {
    const chosen = { ...leastEnvironment, SMTP_URL: '', MAIL_TRANSPORT: 'email-service' };
    const problems = problemsOf(chosen);
    assert.match(problems, /- EMAIL_SERVICE_URL is missing/);
    for (const [name, words] of [
      ['EMAIL_SERVICE_USER_ID', 'The user ID is required'],
      ['EMAIL_SERVICE_SERVICE_ID', 'The service ID is required'],
      ['EMAIL_SERVICE_TEMPLATE_ID', 'The template ID is required'],
    ])
      assert.ok(
        problems.includes(`- ${name} is missing: ${words}. Find it in the e-mail service's dashboard`),
      );
    assert.equal(problems.split('\n').length, 5);
    accepts({});
  });

  test('R5.2 the e-mail service is chosen by configuration, and then no mail server is needed', () => {
    const { mail } = readWorkerConfig({
      ...leastEnvironment,
      SMTP_URL: '',
      MAIL_TRANSPORT: 'email-service',
      EMAIL_SERVICE_URL: 'https://api.mail.example',
      EMAIL_SERVICE_USER_ID: 'user',
      EMAIL_SERVICE_SERVICE_ID: 'service',
      EMAIL_SERVICE_TEMPLATE_ID: 'template',
    });
    assert.deepEqual(mail.transport, {
      kind: 'email-service',
      url: 'https://api.mail.example',
      userId: 'user',
      serviceId: 'service',
      templateId: 'template',
    });
  });
});
