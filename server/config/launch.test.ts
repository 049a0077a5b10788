import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import {
  leastEnvironment,
  opsCredentials,
  sampleLinkSecret,
  sampleMailEvents,
  sampleUserLines,
} from '#scripts/product/environment.ts';
import { editionAt } from '#server/testing/test-editions.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Facts } from '#shared/content/edition.ts';
import type { Sampled } from '#shared/content/entities.ts';
import type { Sells } from '#shared/content/sells.ts';
import { readAppConfig } from './config.ts';
import { launchProblems, type SampledContent, sampledContent } from './launch-configuration.ts';
import { noticeItems, priceItems, sellingItems } from './launch-duties.ts';
import type { LaunchItem } from './launch-item.ts';
import { isOpen, judgeItems, launchItems, leftAtStart, strayConfirmations } from './launch-list.ts';

// The list as it is before anybody has confirmed anything, whatever the edition on sale says.
Object.assign(edition, { confirmed: undefined });

const user = (totp: boolean) =>
  `anna:office:scrypt.32768.8.3.${'a'.repeat(22)}.${'b'.repeat(43)}${totp ? `:${'A'.repeat(32)}` : ''}`;

/** Variables, in which process, and the state of an item there. */
const STATES: readonly (readonly [string, NodeJS.ProcessEnv, 'app' | 'worker', string])[] = [
  ['production', { NODE_ENV: 'production' }, 'worker', 'done'],
  ['production', { NODE_ENV: 'development' }, 'worker', 'left'],
  ['https', { PUBLIC_URL: 'https://retreat.test' }, 'worker', 'done'],
  ['https', { PUBLIC_URL: 'http://127.0.0.1:3000' }, 'worker', 'left'],
  ['live-keys', { STRIPE_SECRET_KEY: 'rk_live_a1' }, 'worker', 'done'],
  ['live-keys', { STRIPE_SECRET_KEY: 'rk_test_a1' }, 'worker', 'left'],
  ['live-keys', { STRIPE_SECRET_KEY: 'rk_live_a1', PAYMENTS: 'sandbox' }, 'worker', 'left'],
  ['restricted-key', { STRIPE_SECRET_KEY: 'rk_live_a1' }, 'worker', 'done'],
  ['restricted-key', { STRIPE_SECRET_KEY: 'sk_live_a1' }, 'worker', 'undecided'],
  ['restricted-key', {}, 'worker', 'done'],
  ['office-fax', { OFFICE_FAX: '+1 415 555 2671' }, 'app', 'done'],
  ['office-fax', {}, 'app', 'undecided'],
  ['office-postal-address', {}, 'worker', 'left'],
  ['office-legal-name', { OFFICE_LEGAL_NAME: 'Retreats LLC' }, 'worker', 'done'],
  ['registration-window', { NODE_ENV: 'production' }, 'app', 'done'],
  ['registration-window', { REGISTRATION: 'closed' }, 'app', 'left'],
  ['registration-window', { NODE_ENV: 'production', REGISTRATION: 'open' }, 'app', 'left'],
  ['users', { OPS_USERS: sampleUserLines() }, 'app', 'done'],
  ['users', {}, 'app', 'left'],
  ['users', {}, 'worker', 'unseen'],
  ['users-codes', { OPS_USERS: user(true) }, 'app', 'done'],
  ['users-codes', { OPS_USERS: `${user(false)}` }, 'app', 'left'],
  ['copies', { DATABASE_URL: 'file:/data/register.sqlite', BACKUP_DIR: '/backup' }, 'worker', 'done'],
  ['copies', { DATABASE_URL: 'file:/data/register.sqlite' }, 'worker', 'undecided'],
  ['copies', { DATABASE_URL: 'postgresql://db/register' }, 'worker', 'undecided'],
  ['copies', { DATABASE_URL: 'file:/data/register.sqlite' }, 'app', 'unseen'],
  ['video-room', { VIDEO_ROOM_URL: 'https://room.test' }, 'app', 'done'],
  ['video-room', {}, 'app', 'undecided'],
  ['mail-events', { MAIL_EVENTS_SECRET: 'whsec_a' }, 'app', 'done'],
  ['mail-events', {}, 'worker', 'unseen'],
  ['terms', {}, 'worker', 'undecided'],
  ['sample-author', {}, 'worker', 'left'],
];

const states = (env: NodeJS.ProcessEnv, process: 'app' | 'worker', confirmed = {}) =>
  new Map(judgeItems(launchItems(env, process), confirmed).map((item) => [item.id, item.state]));

describe('the list of what is left before launch', () => {
  for (const [id, env, process, state] of STATES)
    test(`${id} is ${state} in the ${process} with ${JSON.stringify(env)}`, () => {
      assert.equal(states(env, process).get(id), state);
    });

  test('who sells is named, or the site does not start', () => {
    const items = launchItems({}, 'worker').filter(({ id }) => /^office-(?:postal|legal)/.test(id));
    assert.equal(items.length, 2);
    for (const { says } of items)
      assert.match(says, /^OFFICE_\w+ is missing: .*the site does not start without\.$/);
  });

  test('each item has an id of its own, by which an edition can confirm it', () => {
    const items = launchItems(leastEnvironment, 'worker');
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
    // An edition can confirm only what is spelled like this: `itemId` in scripts/content/schemas.ts.
    for (const { id } of items) assert.match(id, /^[a-z][a-z0-9-]*$/);
  });

  test('a person confirms what is hers to decide or to look at, and no fact', () => {
    const by = { by: 'Anna', on: '2027-03-01' };
    const confirmed = { terms: by, users: by, https: by, 'sample-author': by };
    const found = states({ PUBLIC_URL: 'http://127.0.0.1' }, 'worker', confirmed);
    assert.deepEqual(
      Object.keys(confirmed).map((id) => found.get(id)),
      ['confirmed', 'confirmed', 'left', 'left'],
    );
    assert.equal(states({}, 'app', confirmed).get('users'), 'left');
  });

  test('an app logs at its start what is left that it can see, once real cards are charged', () => {
    const config = readAppConfig(leastEnvironment);
    assert.equal(leftAtStart(config), undefined);
    const logged = leftAtStart({ ...config, isLive: true }) ?? [];
    assert.ok(logged.some(({ id, says }) => id === 'terms' && says.startsWith('A lawyer reads')));
    const names = logged.map(({ id }) => id);
    assert.deepEqual([names.includes('users'), names.includes('copies')], [true, false]);
    assert.equal(leftAtStart({ isLive: true, launch: [] }), undefined);
  });

  test('a confirmation of nothing on the list is on it itself', () => {
    const items: LaunchItem[] = [{ id: 'terms', decides: 'lawyer', says: 'Read.' }];
    const by = { by: 'Anna', on: '2027-03-01' };
    assert.deepEqual(strayConfirmations(items, { terms: by }), []);
    const [stray] = judgeItems(strayConfirmations(items, { terms: by, term: by }));
    assert.match(stray?.says ?? '', /names nothing of this list: term\.$/);
    assert.ok(stray && isOpen(stray));
  });
});

const CONTENT = new URL('../../shared/content/', import.meta.url);

/** The configuration of a launched site, without any host that the check refuses as made up. */
const launched = {
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

const own = <Entry extends Sampled>({ sample: _, ...entry }: Entry) => entry;

/** The content once its owner has put her own in place of every sample. */
function ownContent(): SampledContent {
  const { voices, author, endorsements, testimonials, videos, partners, mediaRows } = sampledContent;
  return {
    voices: voices.map(own),
    author: { ...own(author), links: [{ label: 'Her website', href: 'https://author.test/' }] },
    endorsements: endorsements.map(own),
    testimonials: testimonials.map(own),
    videos: videos.map(own),
    partners: partners.map(own),
    mediaRows: mediaRows.map((row) => row.map(own)),
  };
}

describe('the launch check', () => {
  test('R8 with a live key each sample that is left is named, with its file', () => {
    const problems = launchProblems(launched);
    for (const [index, words] of [
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/page\.yaml holds sample voice in the first view: Retreat participant, 2022$/,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/people\.yaml holds sample author: Marian Thornquist$/,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/people\.yaml holds sample endorsements: Bestselling memoirist; Television host; Medit/,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/people\.yaml holds sample testimonials: Retreat participant, 2019; /,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/people\.yaml holds sample videos: .*\(\/static\/media\/testimonial-2020-\w+\.mp4\); .*placeholder/,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/outlets\.yaml holds sample partners: Yoga Studio; .*Meditation Circle/,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/outlets\.yaml holds sample media outlets: Morning TV; .*National Newspaper/,
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/ leads to author\.example$/,
    ].entries()) {
      assert.match(problems[index] ?? '', words);
    }
    assert.equal(problems.length, 8);
  });

  test('R1.8 R8 a sample of her letter, books and life, or of her welcome on film, is no less refused', () => {
    const { author, videos } = sampledContent;
    const [film] = videos;
    assert.ok(film && author.letter.length > 0 && author.books.length > 0 && author.biography.length > 0);
    const welcome = { ...film, label: 'Her welcome' };
    const problems = launchProblems(launched, {
      ...ownContent(),
      author: { ...ownContent().author, sample: true },
      videos: [welcome],
    });
    assert.deepEqual(
      problems.map((problem) => problem.replace(/^.*holds sample /, '').replace(/ \(.*\)$/, '')),
      [`author: ${author.name}`, 'videos: Her welcome'],
    );
  });

  test('R8 it applies as soon as one key is live', () => {
    for (const env of [
      { STRIPE_SECRET_KEY: 'sk_live_a1B2' },
      { STRIPE_SECRET_KEY: 'rk_live_a1B2' },
      { STRIPE_PUBLISHABLE_KEY: 'pk_live_a1B2' },
    ])
      assert.equal(launchProblems(env).length, 10);
  });

  test('R8 test keys, the stand-in’s keys and no keys at all pass', () => {
    for (const key of ['sk_test_a1B2', 'rk_test_a1B2', 'sk_test_sandbox_secret', '', undefined]) {
      const env = { ...launched, STRIPE_SECRET_KEY: key, STRIPE_PUBLISHABLE_KEY: 'pk_test_a1B2' };
      assert.deepEqual(launchProblems({ ...env, PUBLIC_URL: 'https://retreat.example' }), []);
    }
  });

  test('R8 once the content is the owner’s own, the site starts', () => {
    assert.deepEqual(launchProblems(launched, ownContent()), []);
  });

  test('R6.1 a pixel is refused where the edition has no statement about health data', () => {
    const measured = { ...launched, META_PIXEL_ID: '1234567890' };
    const [problem, ...others] = launchProblems(measured, ownContent(), {});
    assert.match(
      problem ?? '',
      /^STRIPE_SECRET_KEY is live, but META_PIXEL_ID is set, and .* notices\.healthData/,
    );
    assert.deepEqual(others, []);
    const notices = { healthData: [{ title: 'What the pixel tells', paragraphs: ['That you were here.'] }] };
    assert.deepEqual(launchProblems(measured, ownContent(), { notices }), []);
  });

  test('with a live key, who sells must be named, with the street', () => {
    const { OFFICE_LEGAL_NAME: _, ...nameless } = launched;
    assert.deepEqual(launchProblems({ ...nameless, OFFICE_POSTAL_ADDRESS: '' }, ownContent()), [
      'STRIPE_SECRET_KEY is live, but OFFICE_POSTAL_ADDRESS is missing: page, letters and receipts must have the street address of who sells',
      'STRIPE_SECRET_KEY is live, but OFFICE_LEGAL_NAME is missing: page, letters and receipts must have the legal name of who sells',
    ]);
  });

  test('a lawyer decides about the notices, and about publication where the terms have everyone agree to it', () => {
    const [notices, ...others] = noticeItems(edition, true);
    assert.match(notices?.says ?? '', /\/privacy, \/accessibility, \/legal, \/health-data/);
    assert.deepEqual(
      others.map(({ id }) => id),
      ['publication'],
    );
    const apart = { ...edition, facts: { ...edition.facts, publication: 'separate' as const } };
    assert.equal(noticeItems(apart, false).length, 1);
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
    ['OFFICE_POSTAL_ADDRESS', '100 Example Street, Sampletown, CA 90000', 'Example Street, Sampletown'],
    ['OFFICE_LEGAL_NAME', 'Sample Retreats LLC', 'Sample Retreats LLC'],
    ['LINK_SECRET', sampleLinkSecret.LINK_SECRET, sampleLinkSecret.LINK_SECRET],
    ['OPS_PASSWORD', opsCredentials.password, opsCredentials.password],
    ['MAIL_EVENTS_SECRET', MAIL_EVENTS_SECRET, MAIL_EVENTS_SECRET.slice('whsec_'.length)],
  ] as const) {
    test(`R8 ${name} may not be made up`, () => {
      assert.deepEqual(launchProblems({ ...launched, [name]: value }, ownContent()), [
        `STRIPE_SECRET_KEY is live, but ${name} holds ${found}`,
      ]);
    });
  }

  test('R8 names that only look like a sample are accepted', () => {
    for (const [name, value] of [
      ['PUBLIC_URL', 'https://retreat.example.coop'],
      ['PUBLIC_URL', 'https://retreat.example-site.org'],
      ['OFFICE_PHONE', '+49 89 5550123'],
      ['OFFICE_LEGAL_NAME', 'Free Samples Ltd'],
    ] as const) {
      assert.deepEqual(launchProblems({ ...launched, [name]: value }, ownContent()), [], value);
    }
  });

  test('R8 no other file of the content holds samples or addresses that nobody can own', async () => {
    const files = (await readdir(CONTENT)).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    );
    const withSamples = [];
    for (const file of files) {
      const text = await readFile(new URL(file, CONTENT), 'utf8');
      if (/\bsample: true|\w\.example\b/.test(text)) withSamples.push(file);
    }
    assert.deepEqual(withSamples, []);
  });
});

const CANADIAN = 'card-fee-above-canadian-cap';
const REGULAR = 'regular-price-never-asked';
const everywhere = ['card-fee-on-debit-cards', 'card-fee-not-refunded', 'card-fee-announced', REGULAR];
const pricesOf = (facts: Facts, only?: readonly string[]) =>
  priceItems({ ...facts, ...(only && { sells: { only } }) }).map(({ id }) => id);

test('R8 the rules about a card fee depend on its rate, and on where the edition is sold', () => {
  const { facts } = edition;
  assert.deepEqual(pricesOf(facts), [
    'card-fee-above-3-percent',
    CANADIAN,
    'card-fee-in-quebec',
    'card-fee-in-the-eu',
    'card-fee-in-the-uk',
    'card-fee-in-us-states',
    ...everywhere,
  ]);
  const rate = (cardFeePerMille: number) => ({ ...facts, prices: { ...facts.prices, cardFeePerMille } });
  assert.deepEqual(pricesOf(rate(30), ['US']), [CANADIAN, 'card-fee-in-us-states', ...everywhere]);
  assert.deepEqual(pricesOf(rate(24), ['CA']), ['card-fee-in-quebec', ...everywhere]);
  assert.deepEqual(pricesOf(rate(30.1), ['NO']), [
    'card-fee-above-3-percent',
    CANADIAN,
    'card-fee-in-the-eu',
    ...everywhere,
  ]);
  const sells = { only: ['CA'], except: ['CA-QC'] };
  assert.deepEqual(
    priceItems({ ...rate(24), sells }).map(({ id }) => id),
    everywhere,
  );
  for (const { says, source } of priceItems(facts)) {
    assert.match(says, /^[A-Z].*\.$/);
    assert.equal(new URL(source ?? '').protocol, 'https:');
  }
});

test('R8 without a card fee there is none to decide on, nor a regular price where none is shown', () => {
  for (const sold of [editionAt(), editionAt({ checkDiscountPerMille: 30 })]) {
    assert.deepEqual(pricesOf(sold.facts), [REGULAR]);
    const { retreatPackage } = sold.facts;
    const plain = { ...retreatPackage, oldPrice: retreatPackage.total };
    assert.deepEqual(pricesOf({ ...sold.facts, retreatPackage: plain }), []);
  }
});

const dutiesOf = (sells?: Sells) => sellingItems(sells ? { sells } : {}).map(({ id }) => id);

test('what is sold everywhere brings the duties of everywhere, each with who decides it', () => {
  const items = sellingItems({});
  assert.equal(items.length, 13);
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
  for (const { says } of items) assert.match(says, /^[A-Z].*\.$/);
  assert.match(
    items.find(({ id }) => id === 'pay-button')?.says ?? '',
    /^For Austria, Belgium, Bulgaria, Cyprus, and 27 other countries the last button/,
  );
});

test('where it is not sold there is nothing to decide, and what a rule sets is decided', () => {
  assert.deepEqual(dutiesOf({ only: ['JP'] }), []);
  assert.deepEqual(dutiesOf({ only: ['US', 'CA'], except: ['US-WA', 'CA-QC'] }), ['ca-gst', 'us-states']);
  const only = ['DE', 'FR'];
  const law = { countries: ['EU'], payButton: true, withdrawal: 'There is none.' };
  const vat = { countries: ['DE'], tax: { name: 'VAT', rate: 19 } };
  assert.deepEqual(dutiesOf({ only, rules: [law, vat] }), ['eu-consumer-law', 'eu-vat']);
  assert.deepEqual(dutiesOf({ only: ['DE'], rules: [law, vat] }), ['eu-consumer-law']);
  assert.match(
    sellingItems({ sells: { only, rules: [{ ...law, payButton: false }] } })[1]?.says ?? '',
    /^For Germany and France the last button/,
  );
});
