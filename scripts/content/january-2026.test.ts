import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition, page } from '#shared/content/compiled/january-2026.ts';
import { reserveLabels } from '#shared/content/page-frame.ts';
import { formatLength } from '#shared/content/schedule.ts';
import { formatDate, formatDateRange, formatDateSpan, formatWeekday } from '#shared/dates.ts';

const { facts, timetable } = edition;
const { days } = timetable;
const { hero, partners, transform, benefits, sessions, practicalFacts, testimonials, faq, media, closing } =
  page;
const videos = page.videos.items;

const titles = (items: readonly { title: string }[]) => items.map((item) => item.title);

test('R1.1 R1.2 R1.3 R1.4 R1.5 R1.7 R1.8 R1.9 R1.11 R1.12 R8 each section has what is specified, in order', () => {
  const shown = {
    reserveLabel: reserveLabels.open,
    heroBenefits: hero.benefits.length,
    partners: new Set(partners.items.map((partner) => partner.name)).size,
    steps: titles(transform.steps),
    benefits: titles(benefits.items),
    sessions: titles(sessions.items),
    kindsOfSupport: sessions.items[3]?.parts?.length,
    testimonials: testimonials.items.map(({ author }) => author),
    endorsements: page.endorsements.items.length,
    outcomes: page.approach.outcomes.length,
    approach: page.approach.alt,
    media: [media.title, ...media.rows.map((row) => row.length)],
    closing: [closing.title, closing.community, closing.stars, closing.savingNote],
  };
  assert.deepEqual(shown, {
    reserveLabel: 'Reserve your spot now',
    heroBenefits: 3,
    partners: 10,
    steps: ['Commit', 'Do the work', 'Embrace lasting freedom'],
    benefits: [
      'Peace with food and body',
      'Lasting transformation',
      'Self-kindness',
      'Supportive community',
      'Lifelong tools',
    ],
    sessions: [
      'Daily eating meditations',
      'Small breakout groups',
      'Guided movement and meditation',
      'Ongoing support after the retreat',
    ],
    kindsOfSupport: 3,
    testimonials: ['Retreat participant, 2019', 'Retreat participant, 2021', 'Retreat participant, 2023'],
    endorsements: 3,
    outcomes: 5,
    approach: 'Illustration of a mindful journey',
    media: ['In the media', 9, 5],
    closing: ['Ready to Transform Your Life?', 'Join thousands of women', 5, 'You save $100'],
  });
  for (const names of [videos.map(({ label }) => label), videos.map(({ poster }) => poster.src)])
    assert.equal(new Set(names).size, videos.length);
  // A video of each kind.
  assert.ok(videos.some((video) => video.src.startsWith('/static/media/')));
  assert.ok(videos.some((video) => video.src.startsWith('https://')));
});

test('R1.6 the seven practical facts are there', () => {
  const text = practicalFacts.facts.map((fact) => `${fact.title}. ${fact.text}`).join(' ');
  for (const fact of [
    /video conference/,
    /recorded/,
    /tablet/,
    /2\.0\u00a0Mbps/,
    /phone or text/,
    /test session/i,
  ]) {
    assert.match(text, fact);
  }
  assert.match(text, /book is recommended, not required/);
  assert.equal(practicalFacts.facts.length, 7);
});

test('R8 the page says what is recorded, until when it can be seen, and once what the consent to publication means', () => {
  const answers = faq.items.map(({ answer }) => answer.replaceAll('&nbsp;', '\u00a0'));
  const onRecording = [
    ...practicalFacts.facts.map(({ title, text }) => `${title} ${text}`),
    ...answers,
  ].filter((text) => /\brecorded\b/i.test(text));
  assert.equal(onRecording.length, 2);
  for (const text of onRecording) {
    assert.match(text, /sessions are recorded \(audio and video\), except the small groups/);
    assert.match(text, /online until\s+February\s24,\s2026/);
  }
  const onPublication = JSON.stringify(page).match(/be published/g) ?? [];
  assert.equal(onPublication.length, 1);
  assert.match(
    answers.join(' '),
    /your likeness, and what you say .* may be published: others may one day see/,
  );
});

test('what visitors ask before they trust a page with such a subject is answered on it', () => {
  const answers = faq.items.map(({ answer }) => answer).join(' ');
  for (const answer of [
    /small groups have four to six women/,
    /camera on or off/,
    /not therapy/,
    /or a phone/,
    /early-bird tuition holds until registration closes/,
    /Cancel on your own page/,
  ])
    assert.match(answers, answer);
});

test('R1.10 eight questions; the dates and the speed in their answers agree with the other pages', () => {
  assert.equal(faq.title, 'Your Questions, Answered: How We Support You');
  assert.equal(faq.items.length, 8);
  const answers = faq.items
    .map((item) => item.answer)
    .join(' ')
    .replaceAll('&nbsp;', '\u00a0');
  assert.ok(answers.includes(formatDate(facts.balanceDueDate)));
  assert.match(answers, /2\.0\u00a0Mbps/);
  assert.match(answers, /href="#register-stepper"/);
});

test('R8 the package and what is derived from it', () => {
  const { id, total, oldPrice, deposit, features } = facts.retreatPackage;
  assert.deepEqual(
    { id, total, oldPrice, deposit },
    { id: 'january_2026_retreat', total: 1395, oldPrice: 1495, deposit: 721 },
  );
  assert.equal(features.length, 5);
  assert.deepEqual(facts.prices, {
    cardFee: '3.75%',
    cardFeePerMille: 37.5,
    savingCents: 10_000,
    depositBeforeFeeCents: 69_500,
    depositCents: 72_100,
    balanceBeforeFeeCents: 70_000,
    balanceCents: 72_625,
    byCardCents: 144_725,
  });
});

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('R9 the hours and notes of each day, Thursday to Sunday; Friday and Saturday are subject to change', () => {
  const fullDay = [
    'Subject to change',
    '8:30 am PT Movement and meditation',
    '10:30 am PT Eating together',
    'Afternoon Breaks, with activities announced daily',
    '3:00 pm PT Group sessions',
    '5:30 pm PT Evening session',
  ];
  assert.deepEqual(
    days.map(({ date, caveat, entries }) => [
      formatWeekday(date),
      caveat,
      ...entries.map(({ time, note }) => plain(`${time} ${note}`)),
    ]),
    [
      ['Thursday', undefined, '5:30 pm PT Opening session'],
      ['Friday', ...fullDay],
      ['Saturday', ...fullDay],
      ['Sunday', undefined, '8:30 am PT Movement and meditation', '11:00 am PT Closing session'],
    ],
  );
  assert.deepEqual([days.at(0)?.date, days.at(-1)?.date], [facts.startDate, facts.endDate]);
});

test('R9 a length is shown as approximate, with its unit on the same line', () => {
  assert.equal(formatLength(75), 'about 75\u00a0minutes');
});

test('R8 R9 dates are shown with month and day on one line', () => {
  assert.equal(formatDateRange(facts.startDate, facts.endDate), 'January\u00a022–25,\u00a02026');
  assert.equal(
    plain(formatDateSpan(facts.startDate, facts.endDate)),
    'Thursday, January 22 to Sunday, January 25, 2026',
  );
  assert.equal(formatDate(facts.balanceDueDate), 'December\u00a021,\u00a02025');
  const long = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' });
  for (let day = Date.UTC(2027, 11, 1); day < Date.UTC(2029, 1, 1); day += 86_400_000) {
    const date = new Date(day).toISOString().slice(0, 10);
    assert.equal(plain(`${formatWeekday(date)}, ${formatDate(date)}`), long.format(day));
  }
  assert.equal(formatDateRange('2026-01-30', '2026-02-02'), 'January\u00a030–February\u00a02,\u00a02026');
});

test('the page reads as American English, and calls nothing a letter but the author’s', () => {
  const { author, ...others } = page;
  const words = JSON.stringify([others, timetable.intro, author.links, author.biography]);
  const foreign =
    /\bletters?\b|is no therapy|small groups aside|middle of your night|say of her|to which your|go by way of/gi;
  assert.deepEqual(words.match(foreign) ?? [], []);
});
