import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wayInMail } from '#shared/content/retreat-mails.ts';
import type { Story } from './account.ts';
import { onSale } from './editions.ts';
import { judgeNaming } from './judge-digests.ts';
import { judgeLetters, noLetters } from './judge-letters.ts';
import { judgeMoney, noMoney } from './judge-money.ts';
import type { Announced, DatedMail } from './ledger.ts';
import { LIVES } from './lives.ts';
import { personOf } from './people.ts';
import type { Returned } from './tell-bounce.ts';
import { CUSTOMER, mail, NOTICE, person, storyWith } from './test-story.ts';

const { moments, retreat } = onSale;
const { testSession, wayIn, recordings = Number.NaN } = retreat;
const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FAULTLESS = { faults: [], lostLocks: new Set<string>(), unrecorded: new Set<string>() };

const [, firstDay] = wayIn;
assert.ok(firstDay);
const WAY_IN = {
  ...mail('way-in', firstDay.from + MINUTE_MS, wayInMail.open),
  subject: `The way into ${onSale.title}${firstDay.day}`,
};
const TEST_SESSION = mail('test-session', testSession.from + MINUTE_MS, '');
const WELCOME = mail('welcome', moments.opens + MINUTE_MS, '');
/** The mails of everybody who is charged. */
const BEFORE = [
  WELCOME,
  { ...mail('office-paid', moments.opens + MINUTE_MS, ''), recipients: ['office@retreat.example'] },
  NOTICE,
  mail('balance-reminder', moments.reminder + MINUTE_MS, NOTICE.text),
  mail('balance-paid', moments.charge + HOUR_MS, '$721 $726.25'),
];

const said = (what: Announced['what'], at: number): Announced => ({
  ...{ what, edition: onSale.id, askedAt: at, doneAt: at + MINUTE_MS },
});
const cameBack = (letter: DatedMail, changes: Partial<Returned> = {}): Returned => ({
  ...{ address: person.email, messageId: letter.messageId, type: 'hard', takenAt: letter.at },
  ...{ askedAt: letter.at + MINUTE_MS, knownAt: letter.at + 2 * MINUTE_MS },
  ...changes,
});

/** Judges the letters of a registrant who was charged and got all other mails; the clock stopped at `steps`. */
function verdictOn(mails: readonly DatedMail[], steps: readonly number[], changes: Partial<Story> = {}) {
  const count = noLetters();
  judgeLetters([storyWith({ ...changes, mails: [...BEFORE, ...mails] })], steps, FAULTLESS, count);
  return count;
}

describe('the verdict on the letters of the retreat', () => {
  const steps = [testSession.from, firstDay.from];

  test('each letter at its time, once: all is well', () => {
    const { problems, expected, received } = verdictOn([TEST_SESSION, WAY_IN], steps);
    assert.deepEqual(problems, []);
    assert.equal(received, expected);
  });

  test('a missing letter is lost', () => {
    assert.match(verdictOn([WAY_IN], steps).problems.join(), /did not get 1 × test-session/);
    assert.match(verdictOn([TEST_SESSION], steps).problems.join(), /did not get 1 × way-in : Thursday/);
    assert.equal(verdictOn([], steps).lost, 2);
  });

  test('a letter that comes again under another Message-ID is unasked', () => {
    const again = { ...WAY_IN, messageId: WAY_IN.messageId.replace('0a1b2c3d', '4e5f6a7b') };
    assert.match(verdictOn([TEST_SESSION, WAY_IN, again], steps).problems.join(), /got way-in .* unasked/);
  });

  test('no letter is owed where the clock did not stop, after a cancellation, or before the welcome', () => {
    assert.deepEqual(verdictOn([], [testSession.until, firstDay.until]).problems, []);
    const cancel = { at: testSession.from - DAY_MS, writtenAt: 0, balanceOpen: false };
    assert.equal(verdictOn([], steps, { cancel }).lost, 0);
    const late = storyWith({ paidAt: firstDay.from - HOUR_MS, mails: [] });
    const count = noLetters();
    judgeLetters([late], steps, FAULTLESS, count);
    assert.doesNotMatch(count.problems.join(), /way-in/);
  });

  const untrue: [string, DatedMail, Partial<Story>, RegExp][] = [
    ['before its time', { ...WAY_IN, at: firstDay.from - 1 }, {}, /before its time/],
    ['after its day', { ...WAY_IN, at: firstDay.until, underWaySince: firstDay.until }, {}, /it is past/],
    ['that names no day', { ...WAY_IN, subject: onSale.title }, {}, /no such day/],
    ['that says open to a registrant who owes', WAY_IN, { paid: [] }, /says open, and she owes/],
    [
      'that asks a registrant who has paid',
      { ...WAY_IN, text: wayInMail.owing },
      {},
      /asks for the balance, and it is paid/,
    ],
    [
      'that asks a registrant who disputes the charge',
      { ...WAY_IN, text: wayInMail.owing },
      { paid: [], disputedAt: moments.charge },
      /and she disputes it/,
    ],
    ['that says neither', { ...WAY_IN, text: '' }, {}, /does not say whether/],
    [
      'to a registrant who cancelled',
      TEST_SESSION,
      { cancel: { at: testSession.from - DAY_MS, writtenAt: 0, balanceOpen: false } },
      /test-session .*she cancelled/,
    ],
    [
      'to an address that takes no letters',
      WAY_IN,
      { returned: [cameBack(TEST_SESSION)] },
      /her address takes no letters/,
    ],
    [
      'about a change that nobody announced',
      mail('schedule-changed', moments.charge, ''),
      {},
      /nothing was announced/,
    ],
    [
      'about recordings that are not there',
      mail('recordings', recordings + 1, ''),
      {},
      /there are no recordings/,
    ],
    [
      'about recordings, sent too early',
      mail('recordings', recordings - 1, ''),
      { announced: [said('recordings', moments.ends)] },
      /recordings .*before its time/,
    ],
    [
      'about recordings to a registrant who owes',
      mail('recordings', recordings + 1, ''),
      { paid: [], announced: [said('recordings', moments.ends)] },
      /recordings .*she owes the balance/,
    ],
  ];
  for (const [what, letter, changes, says] of untrue) {
    test(`a letter ${what} is untrue`, () => {
      const { untrue: number, problems } = verdictOn([letter], [], changes);
      assert.ok(number > 0);
      assert.match(problems.join(), says);
    });
  }

  test('an announcement is owed to everybody once, and a second one once more', () => {
    const [first, second] = [moments.charge + 2 * DAY_MS, moments.charge + 9 * DAY_MS];
    const announced = [said('schedule-changed', first), said('schedule-changed', second)];
    const times = [first + HOUR_MS, second + HOUR_MS];
    const [one, other] = times.map((at, place) => ({
      ...mail('schedule-changed', at + MINUTE_MS, ''),
      messageId: `<schedule-changed-pi_1-0000000${place}@retreat.example>`,
    }));
    assert.ok(one && other);
    assert.deepEqual(verdictOn([one, other], times, { announced }).problems, []);
    assert.match(
      verdictOn([one], times, { announced }).problems.join(),
      /did not get 1 × schedule-changed 2/,
    );
    const twice = { ...other, at: one.at + MINUTE_MS };
    assert.match(verdictOn([one, twice], [], { announced }).problems.join(), /schedule-changed 1 .* unasked/);
    const there = [said('recordings', moments.ends)];
    const late = [recordings, recordings + DAY_MS];
    assert.match(verdictOn([], late, { announced: there }).problems.join(), /did not get 1 × recordings/);
    assert.equal(verdictOn([], late, { announced: there, paid: [] }).lost, 0);
  });
});

describe('the verdict on bounced letters', () => {
  const returned = [cameBack(TEST_SESSION)];
  const mended = [
    { address: person.email, from: testSession.from + HOUR_MS, until: testSession.from + HOUR_MS },
  ];

  test('an address that takes no letters is owed none, until the office says that they arrive again', () => {
    assert.deepEqual(verdictOn([TEST_SESSION], [firstDay.from], { returned }).problems, []);
    assert.match(
      verdictOn([TEST_SESSION], [firstDay.from], { returned, mended }).problems.join(),
      /did not get 1 × way-in/,
    );
    assert.deepEqual(verdictOn([TEST_SESSION, WAY_IN], [firstDay.from], { returned, mended }).problems, []);
  });

  test('a complaint and one temporary bounce change nothing; a second temporary bounce counts as a permanent one', () => {
    const soft = cameBack(TEST_SESSION, { type: 'soft' });
    assert.deepEqual(verdictOn([TEST_SESSION, WAY_IN], [], { returned: [soft] }).problems, []);
    const again = { ...soft, askedAt: soft.askedAt + HOUR_MS, knownAt: soft.knownAt + HOUR_MS };
    assert.equal(verdictOn([TEST_SESSION, WAY_IN], [], { returned: [soft, again] }).untrue, 1);
    const complaint = cameBack(TEST_SESSION, { type: 'complaint' });
    assert.deepEqual(verdictOn([TEST_SESSION, WAY_IN], [], { returned: [complaint] }).problems, []);
  });

  const charges = (changes: Partial<Story>) => {
    const story = storyWith(changes);
    const count = noMoney();
    judgeMoney(
      [story],
      { customers: [{ id: CUSTOMER }], intents: [], charges: story.charges, refunds: [] },
      count,
    );
    return count;
  };

  test('a charge after a bounced letter is a charge without notice', () => {
    assert.equal(charges({ returned: [cameBack(NOTICE)] }).withoutNotice, 1);
    assert.equal(charges({ returned: [cameBack(NOTICE, { type: 'soft' })] }).withoutNotice, 1);
    const reminded = mail('balance-reminder', moments.reminder, '');
    assert.equal(charges({ returned: [cameBack(reminded)] }).withoutNotice, 1, 'whichever letter bounced');
  });

  test('she may be charged if nobody knew of the bounce, or if she got the notice again', () => {
    const late = cameBack(NOTICE, { askedAt: moments.charge + DAY_MS, knownAt: moments.charge + DAY_MS });
    assert.equal(charges({ returned: [late] }).withoutNotice, 0);
    assert.equal(charges({ returned: [cameBack(NOTICE, { type: 'complaint' })] }).withoutNotice, 0);
    const over = moments.notice + DAY_MS;
    const again = { ...NOTICE, at: over + HOUR_MS, messageId: NOTICE.messageId.replace('0a1b', '9a9b') };
    const mended = [{ address: person.email, from: over, until: over }];
    const story = { returned: [cameBack(NOTICE)], mended };
    assert.equal(charges(story).withoutNotice, 1);
    assert.equal(charges({ ...story, mails: [NOTICE, again] }).withoutNotice, 0);
  });

  test('the digests name a registrant whose address takes no letters', () => {
    const unpaid = personOf(1, 'bounces-unreachable', LIVES['bounces-unreachable'], moments.opens);
    const story = storyWith({ person: unpaid, returned: [cameBack(NOTICE)] });
    const digest = (text: string): DatedMail => ({
      ...mail('office-digest', NOTICE.at + DAY_MS, text),
      messageId: `<office-digest-${onSale.id}-2025-12-11@retreat.example>`,
    });
    const named = digest(`Name: ${unpaid.firstName} ${unpaid.lastName}`);
    assert.deepEqual(judgeNaming([story], [named]), { unreachable: 1, problems: [] });
    assert.match(judgeNaming([story], [digest('')]).problems.join(), /not named by 1 digests/);
  });
});
