import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { sampleLinkSecret } from '#scripts/product/environment.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Sampled } from '#shared/content/entities.ts';
import { launchProblems, type SampledContent, sampledContent } from './launch-configuration.ts';
import { noticeItems } from './launch-duties.ts';

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
      /^STRIPE_SECRET_KEY is live, but shared\/content\/editions\/january-2026\/people\.yaml holds sample author: Marian Sample$/,
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

  for (const [name, key] of [
    ['STRIPE_SECRET_KEY', 'sk_live_a1B2'],
    ['STRIPE_SECRET_KEY', 'rk_live_a1B2'],
    ['STRIPE_PUBLISHABLE_KEY', 'pk_live_a1B2'],
  ] as const) {
    test(`R8 it applies as soon as ${name} is ${key}`, () => {
      assert.equal(launchProblems({ [name]: key }).length, 10);
    });
  }

  test('R8 test keys, the stand-in’s keys and no keys at all pass', () => {
    for (const key of ['sk_test_a1B2', 'rk_test_a1B2', 'sk_test_sandbox_secret', '', undefined]) {
      const env = { ...launched, STRIPE_SECRET_KEY: key, STRIPE_PUBLISHABLE_KEY: 'pk_test_a1B2' };
      assert.deepEqual(launchProblems({ ...env, PUBLIC_URL: 'https://retreat.example' }), []);
    }
  });

  test('the sample link secret is refused with a live key', () => {
    const problems = launchProblems({ ...launched, ...sampleLinkSecret }, ownContent());
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /LINK_SECRET holds sample-secret/);
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

  test('R8 one forgotten sample is enough for a refusal', () => {
    const own = ownContent();
    const [video] = sampledContent.videos;
    assert.ok(video);
    const [problem, ...others] = launchProblems(launched, { ...own, videos: [video] });
    assert.match(
      problem ?? '',
      /sample videos: Retreat participant, 2020 \(\/static\/media\/testimonial-2020-\w+\.mp4\)$/,
    );
    assert.deepEqual(others, []);
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
