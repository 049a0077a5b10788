import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNFINISHED_KEPT_DAYS } from '#shared/page.ts';
import { pixelFact, privacyFacts, questionsFact } from './privacy.ts';
import { HEALTH_KEPT_DAYS } from './questions.ts';

const textOf = (title: string): string => privacyFacts.find((fact) => fact.title === title)?.text ?? '';

test('R6 the privacy text names the time zone with the payment', () => {
  assert.match(textOf('Your registration and payment'), /name, e-mail, phone, time zone and billing address/);
});

test('the privacy text says that the version and the time of the consent are kept with the payment', () => {
  assert.match(
    textOf('Your registration and payment'),
    /version of the policies .* agreed to, and when, is kept/,
  );
});

test('the privacy text says that corrected details are kept with the payment, too', () => {
  assert.match(textOf('Your registration and payment'), /kept there too, as are details that you corrected/);
});

test('the privacy text names the office’s list, what is in it, where it comes from and when it is deleted', () => {
  const text = textOf('The office’s list');
  assert.match(text, /our machines .* made from what the payment provider holds/);
  assert.match(text, /your details, how the payments stand and which letters were sent/);
  assert.match(text, /goes 30 days after the retreat/);
});

test('R6 the privacy text names when the office gets notices, and what they contain', () => {
  const text = textOf('Our letters');
  assert.match(text, /When you register, pay, cancel or correct your details, our office gets a notice/);
  assert.match(text, /If one comes back, or is marked as spam, that is noted/);
  assert.match(text, /name, e-mail, phone and time zone, and how the payment stands/);
});

test('R6 the privacy text names all that the limits remember, and for how long', () => {
  const text = textOf('On our machines');
  assert.match(text, /network address is remembered for ten minutes/);
  assert.match(
    text,
    /e-mail address, scrambled, are remembered for a day when we write to you before you have paid/,
  );
  assert.match(text, /network address is held in memory for a minute/);
});

test('the privacy text names her own page, what it shows, its cookie, and when its link ends', () => {
  const text = textOf('Your own page');
  assert.match(text, /details, payments, letters and the last digits of your card/);
  assert.match(text, /cookie keeps it open for up to thirty days/);
  assert.match(text, /link goes 30 days after the retreat/);
  assert.match(textOf('On our machines'), /scrambled, for a day when you ask for a link/);
});

test('R6.1 the privacy text names what consent stores in the browser only if visits are measured', () => {
  assert.match(pixelFact.text, /Your answer stays in your browser .* after a yes .* ids of what was told/);
  assert.doesNotMatch(privacyFacts.map(({ text }) => text).join(' '), /pixel|measured|answer/);
});

test('R6 the privacy text names what the browser keeps for the letter’s link, for how long, and what ends it', () => {
  assert.equal(UNFINISHED_KEPT_DAYS, 2);
  const text = textOf('In your browser, until you have paid');
  assert.match(text, /how far you have come and what you have typed/);
  assert.match(text, /link in our letter leads back to it/);
  assert.match(text, /goes when you pay or start over here, or when you open this page after two days/);
});

test('the privacy text says for how long answers about health are kept, and what ends it', () => {
  assert.match(questionsFact.text, /only with your consent, and deleted as soon as you take that back/);
  assert.ok(questionsFact.text.includes(`at the latest ${HEALTH_KEPT_DAYS} days after the retreat`));
});
