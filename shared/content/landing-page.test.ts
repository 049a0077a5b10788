import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approach } from './approach.ts';
import { endorsements } from './author.ts';
import { benefits } from './benefits.ts';
import { closing } from './closing.ts';
import { edition, formatDate } from './edition.ts';
import { faq, faqTitle } from './faq.ts';
import { hero } from './hero.ts';
import { mediaRows, mediaTitle } from './media.ts';
import { reserveLabel } from './page-frame.ts';
import { partners } from './partners.ts';
import { practicalFacts } from './practical-facts.ts';
import { sessionItems } from './sessions.ts';
import { testimonials, videoTestimonials } from './testimonials.ts';
import { transformSteps } from './transform.ts';

const titles = (items: readonly { title: string }[]) => items.map((item) => item.title);

test('R1.1 the hero has three benefits and the label is the specified one', () => {
  assert.equal(hero.benefits.length, 3);
  assert.equal(reserveLabel, 'Reserve your spot now');
});

test('R1.2 ten partners, each named once', () => {
  assert.equal(new Set(partners.map((partner) => partner.name)).size, 10);
});

test('R1.3 commit, do the work, embrace lasting freedom', () => {
  assert.deepEqual(titles(transformSteps), ['Commit', 'Do the work', 'Embrace lasting freedom']);
});

test('R1.4 five benefits in order', () => {
  assert.deepEqual(titles(benefits), [
    'Peace with food and body',
    'Lasting transformation',
    'Self-kindness',
    'Supportive community',
    'Lifelong tools',
  ]);
});

test('R1.5 four session items, the last with three kinds of support', () => {
  assert.deepEqual(titles(sessionItems), [
    'Daily eating meditations',
    'Small breakout groups',
    'Guided movement and meditation',
    'Ongoing support after the retreat',
  ]);
  assert.equal(sessionItems[3]?.parts?.length, 3);
});

test('R1.6 the seven practical facts are told', () => {
  const text = practicalFacts.map((fact) => `${fact.title}. ${fact.text}`).join(' ');
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
  assert.equal(practicalFacts.length, 7);
});

test('R8 where recording is spoken of, so is the consent to publication', () => {
  const texts = [...practicalFacts.map(({ text }) => text), ...faq.map(({ answer }) => answer)];
  const onRecording = texts.filter((text) => /session is recorded/.test(text));
  assert.equal(onRecording.length, 2);
  for (const text of onRecording) {
    assert.match(
      text,
      /By registering you also agree that your likeness, and what you say .* may be published/,
    );
  }
});

test('R1.7 testimonials of 2019, 2021 and 2023, and a video of each kind', () => {
  assert.deepEqual(
    testimonials.map((testimonial) => testimonial.author),
    ['Retreat participant, 2019', 'Retreat participant, 2021', 'Retreat participant, 2023'],
  );
  assert.ok(videoTestimonials.some((video) => video.src.startsWith('/media/')));
  assert.ok(videoTestimonials.some((video) => video.src.startsWith('https://')));
});

test('R1.8 R1.9 three endorsements, five outcomes, the alternative text of the illustration', () => {
  assert.equal(endorsements.length, 3);
  assert.equal(approach.outcomes.length, 5);
  assert.equal(approach.illustration.alt, 'Illustration of a mindful journey');
});

test('R1.10 eight questions; what they say of dates and speed agrees with the other pages', () => {
  assert.equal(faqTitle, 'Your Questions, Answered: How We Support You');
  assert.equal(faq.length, 8);
  const answers = faq.map((item) => item.answer).join(' ');
  assert.ok(answers.includes(formatDate(edition.balanceDueDate)));
  assert.match(answers, /2\.0\u00a0Mbps/);
  assert.match(answers, /href="#register-stepper"/);
});

test('R1.11 nine outlets, then five', () => {
  assert.equal(mediaTitle, 'In the media');
  assert.deepEqual(
    mediaRows.map((row) => row.length),
    [9, 5],
  );
});

test('R1.12 R8 the closing call has its words, five stars and the tuition', () => {
  assert.equal(closing.title, 'Ready to Transform Your Life?');
  assert.equal(closing.community, 'Join thousands of women');
  assert.equal(closing.stars, 5);
  assert.deepEqual(
    [closing.tuition, closing.oldTuition, closing.savingNote],
    ['$1,395', '$1,495', 'You save $100'],
  );
});
