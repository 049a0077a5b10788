import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
  STRIPE_SECRET_KEY: `sk_live_${'a1B2'.repeat(8)}`,
  STRIPE_PUBLISHABLE_KEY: `pk_live_${'a1B2'.repeat(8)}`,
};
const OPS_PASSWORD = 'long and secret';
const production = { ...leastEnvironment, ...REAL_KEYS, NODE_ENV: 'production', OPS_PASSWORD };
const STRIPE_API_BASE = 'http://127.0.0.1:12111';
/** The payment sandbox in production, as a trial uses it. */
const trial = { ...leastEnvironment, NODE_ENV: 'production', OPS_PASSWORD, STRIPE_API_BASE };
const https = { PUBLIC_URL: 'https://retreat.example', TRUST_PROXY: '1' };
const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
const clock = { PAYMENTS: 'sandbox', STRIPE_API_BASE, CLOCK: 'sandbox' };
const service = { SMTP_URL: '', MAIL_TRANSPORT: 'email-service' };
const secretOf = (size: number, bytes = 'a random text') =>
  `whsec_${Buffer.alloc(size, bytes).toString('base64')}`;

/** What app and worker report, each problem once. */
function problemsOf(env: NodeJS.ProcessEnv): string[] {
  const lines = [readAppConfig, readWorkerConfig].flatMap((read) => {
    try {
      read(env);
      return [];
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.message.split('\n').slice(1);
    }
  });
  return [...new Set(lines)].map((line) => line.replace(/^ {2}- /, ''));
}

type Case = readonly [changes: Record<string, string>, ...problems: RegExp[]];

const SERVER = /^DATABASE_URL must be where the register is/;
const TLS = /^DATABASE_URL must end with \?sslmode=verify-full/;
const MAY_END =
  /^DATABASE_URL must have nothing after \? but sslmode, sslrootcert, sslcert and sslkey, each once/;
const ENCODED = /contains a user or password that is not percent-encoded/;
const PROXIES = /^TRUST_PROXY must be the number of proxies/;
const HIDDEN_PROXY = /^TRUST_PROXY is missing or 0, but .*: set the number .* such as 1, .*, or none/;
const database = (DATABASE_URL: string, ...problems: RegExp[]): Case => [{ DATABASE_URL }, ...problems];
const redis = (REDIS_URL: string, ...problems: RegExp[]): Case => [{ REDIS_URL }, ...problems];
const guessed = (name: string, value: string): Case => [
  { [name]: value },
  new RegExp(`^${name} can be guessed: .*openssl rand -base64 32`),
];
const random = 'abcdefgh'.repeat(4);
const unsafe = (name: string, value: string): Case => [
  { [name]: value },
  new RegExp(`^${name} leads over other networks without TLS: `),
];

/** In development; what has no problem is accepted. */
const anywhere: readonly Case[] = [
  [{}],
  [{ REDIS_URL: '' }, /^REDIS_URL is missing/],
  [{ LINK_SECRET: '' }, /^LINK_SECRET is missing/],
  [{ PORT: '70000' }, /^PORT must be a port number/],
  [{ OPS_PORT: '3000' }, /^OPS_PORT is the site's port/],
  [{ NODE_ENV: 'prod' }, /^NODE_ENV must be development or production/],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent/],
  [{ PAYMENTS: 'cash' }, /^PAYMENTS must be stripe or sandbox/],
  [{ PUBLIC_URL: 'https://user:word@retreat.example' }, /^PUBLIC_URL must not contain a user or password/],
  redis('http://redis', /^REDIS_URL must be the address of Redis/),
  redis('redis:', /^REDIS_URL must be the address of Redis/),
  redis('redis://:50%@redis', ENCODED),
  redis('rediss://redis:6379?tls=no', /^REDIS_URL must end with the port, or with \/ and the number/),
  [{ MAIL_TRANSPORT: 'pigeon' }, /^MAIL_TRANSPORT must be smtp or email-service/],
  [{ SMTP_URL: 'smtp://user:50%@mail.example' }, ENCODED],
  [{ SMTP_URL: 'smtp://' }, /^SMTP_URL must be the mail server/],
  [{ MAIL_FROM: 'The Office' }, /^MAIL_FROM must be the sender of every mail/],
  [{ MAIL_FROM: 'Two <a@retreat.example>, <b@retreat.example>' }, /^MAIL_FROM must be the sender/],
  [{ MAIL_FROM: '"Retreat, The" <office@retreat.example>' }],
  [{ OFFICE_EMAIL: 'office' }, /^OFFICE_EMAIL must be an e-mail address/],
  [{ OFFICE_FAX: 'ask us' }, /^OFFICE_FAX must be the retreat office's fax number/],
  [{ OFFICE_FAX: '+49.30.5550101' }],
  [{ OFFICE_POSTAL_ADDRESS: '1 Example Street\tSampletown' }, /must be one line/],
  [{ OFFICE_LEGAL_NAME: 'x'.repeat(201) }, /must be one line of at most 200 characters/],
  [{ BACKUP_DIR: 'copies' }, /^BACKUP_DIR must be the folder for copies and the mark of the register/],
  database('register.sqlite', SERVER),
  database('file:register.sqlite', SERVER),
  database('file:./data/r.sqlite', SERVER),
  database('file:', SERVER),
  database('file://host/r.sqlite', SERVER),
  database('file:/data/register.sqlite?mode=ro', SERVER),
  database('mysql://db.example/register', SERVER),
  database('postgresql://u:50%@db.example/register', ENCODED),
  database('postgresql://u:p@db.example/register', TLS),
  database('postgresql://db.example/a?sslmode=require', TLS),
  database('postgresql://u@127.0.0.1/a?sslmode=no-verify', TLS),
  database('postgresql://u@127.0.0.1/a?hostaddr=192.0.2.1', MAY_END),
  database('postgresql://u@db.example/a?sslmode=verify-full&sslmode=disable', MAY_END),
  database('postgresql://u@db.example/a?sslmode=verify-full&uselibpqcompat=true', MAY_END),
  [pod],
  [{ OFFICE_URL: 'http://office.example' }],
  [{ PUBLIC_URL: 'http://retreat.example' }],
  [{ PUBLIC_URL: 'https://retreat.example' }],
  // The ops listener, where others can reach it.
  ...['0.0.0.0', '::', '10.0.0.5', 'worker'].flatMap((OPS_HOST): Case[] => [
    [{ OPS_HOST }, /^OPS_PASSWORD is missing/],
    [{ OPS_HOST, OPS_PASSWORD }],
  ]),
  ...['', '127.0.0.1', '127.0.0.2', '::1', 'localhost'].map((OPS_HOST): Case => [{ OPS_HOST }]),
  [{ OPS_PASSWORD: 'x' }],
  ...'true 12 proxy 10.0.0.1, none,loopback 10.0.0.0/33 10.0.0.0/255.0.0.0 0.0.0.0/0 0.0.0.0/1,128.0.0.0/1 10.0.0.0/7 2001::/15 ::/16 ::ffff:0:0/96 ::ffff:10.0.0.0/103'
    .split(' ')
    .map((TRUST_PROXY): Case => [{ TRUST_PROXY }, PROXIES]),
  ...['short', `${random},short`, `${random},`].map(
    (LINK_SECRET): Case => [{ LINK_SECRET }, /^LINK_SECRET must have at least 32/],
  ),
  guessed('LINK_SECRET', 'a'.repeat(40)),
  guessed('LINK_SECRET', `${random},${'abcd'.repeat(8)}`),
  guessed('MAIL_EVENTS_SECRET', secretOf(32, 'a')),
  ...['whsec_', 'a'.repeat(44), `${secretOf(32)},`, `whsec_${'a'.repeat(20)}`].map(
    (MAIL_EVENTS_SECRET): Case => [{ MAIL_EVENTS_SECRET }, /^MAIL_EVENTS_SECRET must be whsec_/],
  ),
  [{ META_PIXEL_ID: "1');" }, /^META_PIXEL_ID must be digits only/],
  // A clock that can be moved belongs to the sandbox.
  [{ ...clock, NODE_ENV: 'production', OPS_PASSWORD }, /CLOCK must not be sandbox/],
  [{ ...clock, ...REAL_KEYS }, /CLOCK must not be sandbox/],
  [{ ...clock, PAYMENTS: '' }, /CLOCK=sandbox needs PAYMENTS=sandbox, and the address/],
];

/** What production refuses and development accepts. */
const inProduction: readonly Case[] = [
  [{}],
  [{ META_PIXEL_ID: '1234567890' }],
  [{ ...LIVE_KEYS, STRIPE_PUBLISHABLE_KEY: REAL_KEYS.STRIPE_PUBLISHABLE_KEY }, /must both be live keys/],
  [{ STRIPE_SECRET_KEY: `sk_test_${'a1B2'.repeat(8)}` }],
  [pod, /^DATABASE_URL is a file, .*: use PostgreSQL on Kubernetes$/],
  [{ ...pod, DATABASE_URL: 'postgresql://user@127.0.0.1/register' }],
  [{ OPS_PASSWORD: '' }, /^OPS_PASSWORD is missing/],
  ...['x', 'long and short'].map(
    (OPS_PASSWORD): Case => [{ OPS_PASSWORD }, /^OPS_PASSWORD must have at least 15 characters, such as/],
  ),
  redis('redis://redis:6379'),
  redis('redis://10.1.2.3:6379'),
  redis('redis://[fd00::1]:6379'),
  redis('redis://redis.cache.svc.cluster.local:6379'),
  redis('rediss://redis.example:6379'),
  database('postgresql://user@db/register?sslmode=disable'),
  database('postgresql://user@%2Frun%2Fpostgresql/register?sslmode=disable'),
  database('postgresql://user@db.example/register?sslmode=verify-full'),
  // Plain http is for loopback.
  [{ OFFICE_URL: 'http://office.example' }, /^OFFICE_URL must begin with https:/],
  [{ OFFICE_URL: 'http://127.0.0.1:3001' }],
  [{ OFFICE_URL: 'https://office.example' }],
  [{ PUBLIC_URL: 'http://retreat.example' }, /^PUBLIC_URL must begin with https:/],
  ...['http://127.0.0.1:3000', 'http://[::1]:3000', 'https://localhost:3000', 'https://[::1]'].map(
    (PUBLIC_URL): Case => [{ PUBLIC_URL }],
  ),
  ...['', '0'].map((TRUST_PROXY): Case => [{ ...https, TRUST_PROXY }, HIDDEN_PROXY]),
  ...['1', 'loopback', 'none'].map((TRUST_PROXY): Case => [{ ...https, TRUST_PROXY }]),
];

/** What production refuses because it is read on the way. */
const strict: readonly Case[] = [
  unsafe('REDIS_URL', 'redis://redis.example:6379'),
  unsafe('REDIS_URL', 'redis://[2001:db8::1]:6379'),
  unsafe('REDIS_URL', 'redis://134744072:6379'),
  unsafe('DATABASE_URL', 'postgresql://user@db.example/register?sslmode=disable'),
  unsafe('DATABASE_URL', 'postgresql://user@8.8.8.8/register?sslmode=disable'),
];

/** A trial in production accepts the sandbox where it is configured, and never with live keys. */
const inTrial: readonly Case[] = [
  [{ PAYMENTS: 'sandbox' }],
  [{ PAYMENTS: 'sandbox', PUBLIC_URL: 'http://retreat.example' }],
  [{ PAYMENTS: 'sandbox', OFFICE_URL: 'http://office.example' }, /^OFFICE_URL must begin with https:/],
  [{ PAYMENTS: 'sandbox', ...https, TRUST_PROXY: '' }, HIDDEN_PROXY],
  [{ PAYMENTS: 'sandbox', STRIPE_API_BASE: '' }, /^STRIPE_API_BASE is missing: PAYMENTS=sandbox/],
  [{ PAYMENTS: 'sandbox', ...LIVE_KEYS }, /^STRIPE_SECRET_KEY is a live key/],
  [
    { OPS_PASSWORD: '' },
    ...Object.keys(REAL_KEYS).map((name) => new RegExp(`^${name} is not a real Stripe key`)),
    /^STRIPE_API_BASE must not be set in production/,
    /^OPS_PASSWORD is missing/,
  ],
];

const appWith = (env: NodeJS.ProcessEnv = {}) => readAppConfig({ ...leastEnvironment, ...env });

describe('the configuration', () => {
  for (const [where, base, cases] of [
    ['anywhere', leastEnvironment, anywhere],
    ['in production', production, [...inProduction, ...strict]],
    ['in a trial', trial, inTrial],
  ] as const)
    for (const [changes, ...wanted] of cases) {
      const named = Object.entries(changes).map((pair) => pair.join('='));
      test(`${where} ${named.join(' ')} is ${wanted.length > 0 ? `refused: ${wanted.join(', ')}` : 'accepted'}`, () => {
        const problems = problemsOf({ ...base, ...changes });
        for (const one of wanted)
          assert.ok(
            problems.some((problem) => one.test(problem)),
            problems.join('\n'),
          );
        if (wanted.length === 0) assert.deepEqual(problems, []);
      });
    }

  test('elsewhere connections need no TLS', () => {
    for (const [changes, problem] of strict)
      for (const one of problemsOf({ ...leastEnvironment, ...changes }))
        assert.doesNotMatch(one, problem ?? /./);
  });

  test('an empty environment: every missing key is named at once', () => {
    const missing = problemsOf({}).map((problem) => problem.split(' is missing')[0] ?? '');
    assert.deepEqual(missing.toSorted(), Object.keys(leastEnvironment).toSorted());
  });

  test('app and worker start with what each of them reads, which are not the other’s secrets', () => {
    const folders = { OPS_USERS_FILE: '/dev/null', BACKUP_DIR: '/backup' };
    const whole = { ...production, ...sampleMailEvents, ...folders, OTHER: 'kept' };
    const [ofApp, ofWorker] = [environmentOfProcess('app', whole), environmentOfProcess('worker', whole)];
    readAppConfig(ofApp);
    assert.equal(readWorkerConfig(ofWorker).backupFolder, '/backup');
    const { SMTP_URL, BACKUP_DIR, ...app } = whole;
    assert.deepEqual(ofApp, app);
    const { STRIPE_WEBHOOK_SECRET, STRIPE_PUBLISHABLE_KEY, MAIL_EVENTS_SECRET, OPS_USERS_FILE, ...worker } =
      whole;
    assert.deepEqual(ofWorker, worker);
  });

  test('registration follows the edition’s dates in production, and is open elsewhere, unless configured otherwise', () => {
    assert.equal(readAppConfig(production).registration, 'auto');
    assert.equal(appWith().registration, 'open');
    for (const REGISTRATION of ['open', 'closed', 'auto'] as const)
      assert.equal(readAppConfig({ ...production, REGISTRATION }).registration, REGISTRATION);
  });

  test('R6.1 the pixel has an id where one is set', () => {
    const META_PIXEL_ID = '1234567890';
    assert.deepEqual([appWith().pixelId, appWith({ META_PIXEL_ID }).pixelId], [undefined, META_PIXEL_ID]);
  });

  test('R8 the office’s fax, postal address and legal name are read where they are given', () => {
    const least = { email: 'office@retreat.example', phone: '+1 (555) 555-0100' };
    const none = { fax: undefined, postalAddress: undefined, legalName: undefined };
    assert.deepEqual(appWith().office, { ...least, ...none });
    const given = {
      OFFICE_FAX: '(555) 555-0101',
      OFFICE_POSTAL_ADDRESS: ' 1 Example Street, Sampletown ',
      OFFICE_LEGAL_NAME: 'Åse & Co.',
    };
    const read = { fax: given.OFFICE_FAX, postalAddress: '1 Example Street, Sampletown' };
    assert.deepEqual(appWith(given).office, { ...least, ...read, legalName: 'Åse & Co.' });
  });

  test('R8 nothing starts with a live key, in production or elsewhere, while sample content is left', () => {
    for (const [name, key] of Object.entries(LIVE_KEYS))
      for (const env of [production, leastEnvironment])
        assert.match(
          problemsOf({ ...env, [name]: key }).join('\n'),
          new RegExp(`^${name} is live, but .* holds samples: Marian Thornquist`, 'm'),
        );
    const live = { ...production, ...LIVE_KEYS };
    assert.deepEqual(problemsOf(live), launchProblems(live));
  });

  test('R5.2 the e-mail service: missing ids are named in its own words, with where to find them', () => {
    assert.deepEqual(problemsOf({ ...leastEnvironment, ...service }), [
      'EMAIL_SERVICE_URL is missing: the address of the e-mail service, such as https://api.mail.example',
      ...['user', 'service', 'template'].map(
        (id) =>
          `EMAIL_SERVICE_${id.toUpperCase()}_ID is missing: The ${id} ID is required. Find it in the e-mail service's dashboard`,
      ),
    ]);
  });

  test('R5.2 the e-mail service is chosen by configuration, and then no mail server is needed', () => {
    const { mail } = readWorkerConfig({
      ...leastEnvironment,
      ...service,
      EMAIL_SERVICE_URL: 'https://api.mail.example',
      EMAIL_SERVICE_USER_ID: 'user',
      EMAIL_SERVICE_SERVICE_ID: 'service',
      EMAIL_SERVICE_TEMPLATE_ID: 'template',
    });
    const ids = { userId: 'user', serviceId: 'service', templateId: 'template' };
    assert.deepEqual(mail.transport, { kind: 'email-service', url: 'https://api.mail.example', ...ids });
  });
});
