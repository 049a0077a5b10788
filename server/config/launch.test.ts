import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { opsCredentials, sampleLinkSecret, sampleMailEvents } from '#scripts/product/environment.ts';
import { launchProblems, type SampledContent, sampledContent, settingProblems } from './launch.ts';

/** The configuration of a launched site, without any host that the check refuses as made up. */
const launched = {
  NODE_ENV: 'production',
  STRIPE_SECRET_KEY: 'sk_live_a1B2',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_a1B2',
  PUBLIC_URL: 'https://retreat.test',
  DATABASE_URL: 'postgresql://user:secret.example@db.retreat.test/register?sslmode=verify-full',
  REDIS_URL: 'redis://redis:6379',
  SMTP_URL: 'smtps://user:secret@mail.retreat.test',
  MAIL_FROM: 'The Retreat <office@retreat.test>',
  OFFICE_EMAIL: 'office@retreat.test',
  OFFICE_PHONE: '+1 (415) 555-2671',
  OFFICE_LEGAL_NAME: 'Retreat Ltd',
  OFFICE_POSTAL_ADDRESS: '12 Orchard Lane, Santa Cruz',
};

const { MAIL_EVENTS_SECRET } = sampleMailEvents;

/** The content once its owner has put her own in place of every sample. */
const ownContent: SampledContent = JSON.parse(
  JSON.stringify(sampledContent).replaceAll('"sample":true', '"own":true').replaceAll('.example', '.test'),
);

describe('R8 what keeps a site from taking real cards', () => {
  test('with a live key each sample that is left is named, with its file, and each address of nobody', () => {
    const problems = launchProblems(launched);
    for (const [index, words] of [
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/page\.yaml holds samples: Retreat participant, 2022$/,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/people\.yaml holds samples: Marian Thornquist; Bestselling memoirist; Television host; .*Retreat participant, 2019; /,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/outlets\.yaml holds samples: Yoga Studio; .*Morning TV; /,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/ leads to author\.example$/,
    ].entries())
      assert.match(problems[index] ?? '', words);
    assert.equal(problems.length, 4);
  });

  test('a sample of her letter, books and life, or of a film, is no less refused', () => {
    const people = [
      { name: 'Ada', sample: true, letter: ['Come in.'] },
      { label: 'On her walk', sample: true },
    ];
    assert.deepEqual(launchProblems(launched, { ...ownContent, 'people.yaml': people }), [
      'STRIPE_SECRET_KEY is live, but shared/content/editions/january-2026/people.yaml holds samples: Ada; On her walk',
    ]);
  });

  test('it applies as soon as one key is live; test keys, the stand-in’s and no keys pass', () => {
    for (const env of [
      { STRIPE_SECRET_KEY: 'sk_live_a1B2' },
      { STRIPE_SECRET_KEY: 'rk_live_a1B2' },
      { STRIPE_PUBLISHABLE_KEY: 'pk_live_a1B2' },
    ])
      assert.equal(launchProblems(env).length, 6);
    for (const key of ['sk_test_a1B2', 'rk_test_a1B2', 'sk_test_sandbox_secret', '', undefined]) {
      const env = { ...launched, STRIPE_SECRET_KEY: key, STRIPE_PUBLISHABLE_KEY: 'pk_test_a1B2' };
      assert.deepEqual(launchProblems({ ...env, PUBLIC_URL: 'https://retreat.example' }), []);
    }
  });

  test('once the content is the owner’s own, the site starts', () => {
    assert.deepEqual(launchProblems(launched, ownContent), []);
  });

  test('who sells must be named, with the street', () => {
    const { OFFICE_LEGAL_NAME: _, ...nameless } = launched;
    const says = 'is missing: page, letters and receipts must say who sells, and where';
    assert.deepEqual(launchProblems({ ...nameless, OFFICE_POSTAL_ADDRESS: '' }, ownContent), [
      `STRIPE_SECRET_KEY is live, but OFFICE_POSTAL_ADDRESS ${says}`,
      `STRIPE_SECRET_KEY is live, but OFFICE_LEGAL_NAME ${says}`,
    ]);
  });

  for (const [name, value, found] of [
    ['PUBLIC_URL', 'https://retreat.example', 'retreat.example'],
    ['MAIL_FROM', 'The Retreat <office@retreat.example>', 'retreat.example'],
    ['OFFICE_EMAIL', 'office@example.com', 'example.com'],
    ['DATABASE_URL', 'postgresql://u:p@db.example/register?sslmode=verify-full', 'db.example'],
    ['SMTP_URL', 'smtps://user:secret.example@mail.example', 'mail.example'],
    ['EMAIL_SERVICE_URL', 'https://api.mail.example', 'api.mail.example'],
    ['OFFICE_PHONE', '+1 (555) 555-0100', '(555) 555-0100'],
    ['OFFICE_PHONE', '+1 555 555 0100', '555 555 0100'],
    ['OFFICE_FAX', '+1 (555) 555-0101', '(555) 555-0101'],
    ['OFFICE_POSTAL_ADDRESS', '100 Example Street, Sampletown, CA 90000', 'Example Street; Sampletown'],
    ['OFFICE_LEGAL_NAME', 'Sample Retreats LLC', 'Sample Retreats LLC'],
    ['LINK_SECRET', sampleLinkSecret.LINK_SECRET, sampleLinkSecret.LINK_SECRET],
    ['OPS_PASSWORD', opsCredentials.password, opsCredentials.password],
    ['MAIL_EVENTS_SECRET', MAIL_EVENTS_SECRET, MAIL_EVENTS_SECRET.slice('whsec_'.length)],
  ] as const)
    test(`${name} may not be made up: ${value}`, () => {
      assert.deepEqual(launchProblems({ ...launched, [name]: value }, ownContent), [
        `STRIPE_SECRET_KEY is live, but ${name} holds ${found}`,
      ]);
    });

  for (const [name, value] of [
    ['PUBLIC_URL', 'https://retreat.example.coop'],
    ['PUBLIC_URL', 'https://retreat.example-site.org'],
    ['OFFICE_PHONE', '+49 89 5550123'],
    ['OFFICE_LEGAL_NAME', 'Free Samples Ltd'],
  ] as const)
    test(`${value} only looks like a sample, and is accepted`, () => {
      assert.deepEqual(launchProblems({ ...launched, [name]: value }, ownContent), []);
    });
});

describe('what the launch check says of the variables', () => {
  const said = (env: NodeJS.ProcessEnv) => settingProblems({ ...launched, ...env }).slice(4);

  test('nothing of a site that takes real cards by the dates of its edition', () => {
    assert.deepEqual(said({}), []);
    assert.deepEqual(said({ REGISTRATION: 'auto' }), []);
  });

  for (const [name, value, words] of [
    ['NODE_ENV', 'development', /most checks of the start are off/],
    ['PUBLIC_URL', 'http://127.0.0.1:3000', /visitors need https/],
    ['STRIPE_SECRET_KEY', 'rk_test_a1', /no real card is charged/],
    ['REGISTRATION', 'closed', /REGISTRATION is closed, whatever the dates/],
    ['REGISTRATION', 'open', /REGISTRATION is open, whatever the dates/],
  ] as const)
    test(`${name}=${value}`, () => {
      const [first, ...others] = said({ [name]: value });
      assert.match(first ?? '', words);
      assert.deepEqual(others, []);
    });
});
