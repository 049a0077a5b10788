import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderToString } from 'react-dom/server';
import { Provider } from 'react-redux';
import { facts, illustrations, page, timetable } from '#shared/content/compiled/on-sale.ts';
import { reliefs } from '#shared/content/prices.ts';
import { describeWayIn, joinEqualDays } from '#shared/content/schedule.ts';
import { anchors, POLICIES_ID, type SiteState } from '#shared/page.ts';
import { Page } from './page.tsx';
import { createStore } from './store/store.ts';

const site: SiteState = {
  officeEmail: 'retreats@office.example',
  officePhone: '+1 (555) 010-0199 ext. 3',
  officeFax: '+1 (555) 555-0101',
  officePostalAddress: '1 Example Street, Sampletown',
  officeLegalName: 'Sample Retreats LLC',
  registrationOpen: true,
  stripePublishableKey: '',
  stripeScriptUrl: null,
  metaPixelId: null,
};

function renderPage(changes: Partial<SiteState> = {}): string {
  const store = createStore({ site: { ...site, ...changes } });
  return renderToString(
    <Provider store={store} serverState={store.getState()}>
      <Page />
    </Provider>,
  );
}

const html = renderPage();

const findAll = (pattern: RegExp) => [...html.matchAll(pattern)].map((match) => match[1] ?? '');

test('R1 the sections stand in the order of the specification, registration last', () => {
  assert.deepEqual(findAll(/<section id="([^"]+)"/g), [
    'hero',
    'partners',
    'transform',
    'benefits',
    'sessions',
    'schedule',
    'testimonials',
    'author',
    'approach',
    'faq',
    'media',
    'closing',
    'register-stepper',
  ]);
});

test('R1 one h1, no heading level skipped, every section labelled by an element that exists', () => {
  const levels = findAll(/<h([1-6])\b/g).map(Number);
  assert.equal(levels.filter((level) => level === 1).length, 1);
  assert.equal(levels[0], 1);
  levels.reduce((previous, level) => {
    assert.ok(level <= previous + 1, `h${level} after h${previous}`);
    return level;
  });
  const ids = findAll(/\sid="([^"]+)"/g);
  assert.deepEqual(ids, [...new Set(ids)]);
  for (const label of findAll(/aria-labelledby="([^"]+)"/g)) assert.ok(ids.includes(label), label);
});

test('R1 every in-page link, also in the FAQ answers, has a target', () => {
  const ids = findAll(/\sid="([^"]+)"/g);
  const targets = findAll(/href="#([^"]+)"/g);
  assert.ok(targets.includes('register-stepper') && targets.includes('schedule'));
  for (const target of targets) assert.ok(ids.includes(target), target);
});

test('R1 R1.14 both bars say what is due now and later; the place of the bars ends right before the registration', () => {
  const sums = /^.*?\$721.*?today.*?then \$726\.25 on December\u00a021.*?href="#register-stepper"/;
  const [, top = '', phone = ''] = html.split(/class="(?:top|phone)-bar"/);
  assert.match(top, sums);
  assert.match(top, /January\u00a022–25,\u00a02026.*?\$721.*?Reserve your spot now/);
  assert.match(phone, sums);
  assert.match(phone, /<\/div><\/div>(?:<!--\$-->)?<section id="register-stepper"/);
  const late = wordsOf(renderPage({ balanceTiming: 'days-after-deposit' }));
  assert.match(late, /\$721 today then \$726\.25 in seven days/);
});

test('R1.13 R1.14 without a place the bars ask for no money, and once registration has closed they are gone', () => {
  const full = renderPage({ isFull: true });
  assert.match(full, /class="top-bar".*?Join the waiting list/);
  assert.match(full, /class="[^"]*site-reserve"[^>]*>(?:<[^>]*>)*Waitlist</);
  assert.doesNotMatch(full, /Your place in the circle is open/);
  assert.doesNotMatch(full, /class="due-today"/);
  assert.doesNotMatch(renderPage({ registrationOpen: false }), /class="(?:top|phone)-bar"/);
});

test('R1.6 the schedule shows each session’s length, when the test session is and when the links are sent', () => {
  const sessions = joinEqualDays(timetable.days).flatMap(({ entries }) =>
    entries.flatMap(({ session }) => session ?? []),
  );
  assert.deepEqual(
    findAll(/class="schedule-length">.*?about (\d+)/g),
    sessions.map(({ minutes }) => String(minutes)),
  );
  assert.ok(html.includes(describeWayIn(timetable)));
});

test('R1.7 no video host is contacted before the visitor plays its video, to which a link leads until then', () => {
  assert.doesNotMatch(html, /<iframe|src="https?:/);
  assert.match(html, /<a id="[^"]+" class="video-frame video-facade" href="https:\/\/[^"]+">/);
  assert.match(html, /<video[^>]* preload="none"/);
});

test('R1.8 the author’s letter is signed with her name, and her life, books and links follow', () => {
  const { author } = page;
  const section = html.slice(html.indexOf('<section id="author"'), html.indexOf('<section id="approach"'));
  assert.ok(section.includes(`<span class="author-name">${author.name}</span>`));
  for (const paragraph of author.biography) assert.ok(section.includes(paragraph));
  for (const { title, cover } of author.books) {
    assert.ok(section.includes(`<cite>${title}</cite>`), title);
    assert.ok(section.includes(`class="illustration illustration-${cover} author-cover"`), title);
  }
  for (const { label, href } of author.links) {
    assert.match(href, /^https:\/\//);
    assert.ok(section.includes(`<a href="${href}">${label}</a>`), label);
  }
  assert.ok(author.biography.length > 0 && author.books.length > 0 && author.links.length > 0);
});

test('R1.8 her name and face are in the first view, and lead to her letter', () => {
  const hero = html.slice(html.indexOf('<section id="hero"'), html.indexOf('<section id="partners"'));
  const face = illustrations.author.src;
  assert.match(hero, new RegExp(`href="#author">.*?<img[^>]* src="${face}".*?${page.author.name}`));
});

test('R1.9 the illustration is one image with alternative text, whose space is reserved before it loads', () => {
  assert.deepEqual(findAll(/(<img[^>]*alt="Illustration of a mindful journey"[^>]*>)/g), [
    `<img class="illustration illustration-mindful-journey approach-art" src="${illustrations['mindful-journey'].src}" alt="Illustration of a mindful journey" width="640" height="760" loading="lazy" decoding="async"/>`,
  ]);
});

test('R1.10 eight questions are closed and numbered', () => {
  assert.deepEqual(findAll(/class="faq-number">(\d)</g), ['1', '2', '3', '4', '5', '6', '7', '8']);
  assert.doesNotMatch(html, /<details[^>]* open/);
});

test('R2.4 whatever only a hydrated island can answer has an id, by which an early press is found again', () => {
  const tags = [...html.matchAll(/<(?:button|input|a)\b[^>]*>/g)].map(([tag]) => tag);
  const answered = tags.filter(
    (tag) =>
      /^<input|video-facade/.test(tag) || (/^<button/.test(tag) && !/popovertarget|disabled/i.test(tag)),
  );
  assert.ok(answered.length > 5);
  for (const tag of answered) assert.match(tag, / id="[^"]+"/);
});

test('the page is the same at every rendering and holds no inline style', () => {
  assert.equal(renderPage(), html);
  assert.doesNotMatch(html, /\sstyle="/);
});

test('R8 the footer has the office’s e-mail address and phone number', () => {
  assert.match(html, /href="mailto:retreats@office\.example"/);
  assert.match(html, /href="tel:\+15550100199"/);
});

test('R8 the footer shows fax, postal address and who runs the retreat, if they are configured', () => {
  const whole = footerWords(html);
  assert.match(whole, /Fax \+1 \(555\) 555-0101 Postal address 1 Example Street, Sampletown/);
  assert.match(whole, /live online\. Run by Sample Retreats LLC\./);
  const bare = renderPage({ officeFax: null, officePostalAddress: null, officeLegalName: null });
  assert.doesNotMatch(footerWords(bare), /Fax|Postal|Run by/);
});

const footerWords = (page: string): string => wordsOf(page.slice(page.indexOf('<footer')));

/** The visible text, in one line. */
function wordsOf(part: string): string {
  return part
    .replaceAll(/<!--.*?-->/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

test('R2.3 R2.4 R8 the first step: Back is disabled, the package shows its prices and what is charged later', () => {
  const stepper = html.slice(html.indexOf('<section id="register-stepper"'), html.indexOf('<footer'));
  assert.match(stepper, /<button[^>]* disabled[^>]*>Back</);
  const words = wordsOf(stepper);
  for (const part of [
    'Register Now – SAVE $100',
    '$1,495',
    '$1,395',
    'EARLY BIRD RATE',
    '$721**',
    'By card $1,447.25 in all; by check $1,395',
    'The deposit is non-refundable.',
    'The balance of $726.25 is charged to the same card on December 21, 2025.',
    ...reliefs(facts).map((words) => words.replaceAll(/\s/g, ' ')),
  ])
    assert.ok(words.includes(part), `${part} is missing: ${words}`);
});

test('R1.13 once registration has closed the calls to action lead to the office’s address', () => {
  const closed = renderPage({ registrationOpen: false });
  assert.match(closed, /<h2 id="register-title">Registration has closed<\/h2>/);
  assert.match(closed, /<a[^>]* href="#register-stepper"[^>]*>(?:<[^>]*>)*Ask about the next retreat/);
  const section = closed.slice(closed.indexOf('<section id="register-stepper"'), closed.indexOf('<footer'));
  assert.match(section, /mailto:retreats@office\.example/);
  assert.match(
    section,
    /The next one will stand on this page as soon as it is open, so please look again here/,
  );
  assert.doesNotMatch(section, /class="stepper"|<button/);
});

test('R1.13 before registration opens the page says when it opens, has no stepper, and does not say that it has closed', () => {
  const early = renderPage({ registrationOpen: false, registrationOpensOn: 'November 1, 2025' });
  assert.match(early, /<h2 id="register-title">Registration opens on November 1, 2025<\/h2>/);
  assert.match(early, /Ask about the retreat</);
  assert.match(early, /Please look again here on that day/);
  assert.doesNotMatch(early, /class="stepper"|has closed|next one|Ask about the next retreat/);
});

test('R1.10 the page has every part that an answer may link to; the policies come with the payment', () => {
  const ids = findAll(/ id="([^"]+)"/g);
  assert.deepEqual(
    anchors.filter((id) => id !== POLICIES_ID && !ids.includes(id)),
    [],
  );
});
