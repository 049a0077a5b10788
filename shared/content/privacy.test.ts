import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsKept, pixelFact } from './privacy.ts';

const always = { asksQuestions: false, hasWaitingList: false, isMeasured: false };
const privacyFacts = factsKept(always);
const textOf = (title: string): string => privacyFacts.find((fact) => fact.title === title)?.text ?? '';

const PAYMENT = 'Your registration and payment';
const LETTERS = 'Our e-mails';
const MACHINES = 'On our machines';
const OWN_PAGE = 'Your own page';

for (const [what, title, ...says] of [
  ['what is kept of a registration', PAYMENT, /name, e-mail, phone and time zone are kept in a database/],
  ['who sees it', PAYMENT, /shown to our office/, /what our office notes/],
  ['the consent, with its version and time', PAYMENT, /version of the policies that you agreed to, and when/],
  [
    'what the payment provider gets',
    PAYMENT,
    /provider gets your name, e-mail and phone too, .* billing address/,
  ],
  ['when it is removed', PAYMENT, /when you ask and nothing is owed/, /soon after registration is over/],
  [
    'when the office gets notices',
    LETTERS,
    /When you register, pay, cancel or correct your details, our office gets a notice/,
  ],
  ['what the notices contain', LETTERS, /name, e-mail, phone and time zone, and how the payment stands/],
  ['what is noted of a letter', LETTERS, /If one comes back, or is marked as spam, that is noted/],
  [
    'all that the limits remember, and for how long',
    MACHINES,
    /network address is remembered for ten minutes/,
    /e-mail address, scrambled, are remembered for a day when we write to you before you have paid/,
    /network address is held in memory for a minute/,
    /scrambled, for a day when you ask for a link/,
  ],
  [
    'what her own page shows',
    OWN_PAGE,
    /details, payments, e-mails from us and the last digits of your card/,
  ],
  ['how she proves who she is there', OWN_PAGE, /keep the postal code of the card that paid in our database/],
  ['the cookie of her own page', OWN_PAGE, /cookie keeps it open for up to thirty days/],
  ['when the link to it ends', OWN_PAGE, /link goes 30 days after the retreat/],
] as const)
  test(`R6 the privacy text names ${what}`, () => {
    for (const words of says) assert.match(textOf(title), words);
  });

test('R6.1 the privacy text names what consent stores in the browser only if visits are measured', () => {
  assert.match(pixelFact.text, /Your answer stays in your browser .* after a yes .* ids of what was told/);
  assert.doesNotMatch(privacyFacts.map(({ text }) => text).join(' '), /pixel|measured|answer/);
});
