import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Announced, DatedMail, Returned } from '#scripts/drills/stage/notes.ts';
import type { FaultKind } from '#scripts/drills/stage/storm.ts';
import { sampleOffice } from '#scripts/product/environment.ts';
import { nextEdition, onSale } from '#scripts/world/editions.ts';
import { LIVES, type LifeName } from '#scripts/world/lives.ts';
import { type Person, personOf } from '#scripts/world/people.ts';
import { wayInWords } from '#server/letters/retreat-letters.ts';
import { Verdict } from './count.ts';
import { leaks } from './judge.ts';
import { judgeDigests, judgeLetters, judgePunctuality } from './letters.ts';
import { judgeAccount, judgeBooks, judgeMoney } from './money.ts';
import { untruthOf } from './promises.ts';
import { type Circumstances, repeatsOf } from './repeats.ts';
import type { Story } from './story.ts';

const { moments, retreat, terms } = onSale;
const { testSession, wayIn, recordings = Number.NaN } = retreat;
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000] as const;
const [, firstDay] = wayIn;
assert.ok(firstDay);

const lives = (name: LifeName): Person => personOf(1, name, LIVES[name], moments.opens);
const person = lives('charged');
const mail = (kind: string, at: number, text = '', changes: Partial<DatedMail> = {}): DatedMail => ({
  messageId: `<${kind}-reg_1-0a1b2c3d@retreat.example>`,
  recipients: [person.email],
  replyTo: person.email,
  subject: onSale.title,
  text,
  atMs: at,
  cut: false,
  at,
  underWaySince: at,
  ...changes,
});
const toOffice = { recipients: [sampleOffice.OFFICE_EMAIL] };
const NOTICE = mail('balance-notice', moments.notice, 'December 21, 2025: $726.25');
const REMINDER = mail('balance-reminder', moments.reminder + MINUTE, NOTICE.text);
const PAID = mail('balance-paid', moments.charge + HOUR, '$721 $726.25 $1,447.25');
const LETTERS = [
  mail('welcome', moments.opens + MINUTE, '$721'),
  mail('office-paid', moments.opens + MINUTE, '', toOffice),
  NOTICE,
  REMINDER,
  PAID,
];
const [DEPOSIT, BALANCE] = [72_100, 72_625].map((amount, at) => ({
  id: `ch_${at}`,
  status: 'succeeded',
  amount,
  customer: 'cus_1',
}));
assert.ok(DEPOSIT && BALANCE);
const charge = { id: 'pi_2', cents: 72_625, at: moments.charge + 1_000, withoutHer: true };
const agreed = { from: moments.opens - 9, until: moments.opens };
const ROW = {
  'Came in (USD)': '1447.25',
  'Went back (USD)': '0',
  'Check to send (USD)': '0',
  Cancelled: '',
  'Stands at': 'Paid in full',
};

/** Somebody who was told, and charged on the due day; `changes` override that. */
const story = (changes: Partial<Story> = {}): Story => ({
  person,
  registration: 'reg_1',
  paidAt: moments.opens,
  agreed,
  customer: 'cus_1',
  presses: 1,
  done: [],
  paid: [charge],
  openPayments: 0,
  refusedAt: [],
  tries: 1,
  charges: [DEPOSIT, BALANCE],
  refunds: [],
  mails: LETTERS,
  returned: [],
  mended: [],
  announced: [],
  shown: { row: ROW, agreed: { version: terms.version, digest: terms.digest, at: moments.opens } },
  ...changes,
});
/** She lives another life, and does what it says at given moments. */
const living = (name: LifeName, at: readonly number[]): Pick<Story, 'person' | 'done'> => {
  const one = lives(name);
  const done = one.deeds.map((deed, place) => ({ deed, from: at[place] ?? 0, until: at[place] ?? 0 }));
  return { person: one, done };
};
const NOTHING_WRONG: Circumstances = { faults: [], lines: [] };

function verdictOn(
  changes: Partial<Story>,
  steps: readonly number[] = [],
  happened = NOTHING_WRONG,
): Verdict {
  const verdict = new Verdict();
  judgeMoney(story(changes), verdict);
  judgeLetters(story(changes), steps, repeatsOf(happened), verdict);
  return verdict;
}
const problemsOf = (...given: Parameters<typeof verdictOn>): string =>
  verdictOn(...given).problems.join('\n');

/** Each of these is found, and said in these words. */
function findsEach(faults: readonly (readonly [what: string, Partial<Story>, says: RegExp])[]): void {
  for (const [what, changes, says] of faults)
    test(`${what} is found`, () => assert.match(problemsOf(changes), says));
}

describe('the oracle on money', () => {
  test('agreed, told, charged once on the due day: all is well', () => {
    assert.equal(problemsOf({}), '');
  });
  test('a consent that was given in the time that a restored register lacks may be lost', () => {
    const unasked = {
      shown: { row: ROW },
      paid: [],
      charges: [DEPOSIT],
      person: { ...person, ending: 'unpaid' },
    } as const;
    assert.match(problemsOf({ ...unasked, forgotten: { from: 0, until: 1 } }), /that is not on record/);
    assert.doesNotMatch(problemsOf({ ...unasked, forgotten: agreed }), /that is not on record/);
  });
  findsEach([
    [
      'a second charge for the balance',
      { paid: [charge, charge] },
      /charged 2 times, 2 of them for the balance/,
    ],
    [
      'a cent too much',
      { charges: [DEPOSIT, { ...BALANCE, amount: 72_626 }] },
      /144726 cents instead of 144725/,
    ],
    ['a missing charge', { paid: [], charges: [DEPOSIT] }, /has not paid/],
    ['a second payment that waits', { openPayments: 2 }, /could pay the balance 2 times/],
    ['a try too many', { tries: 2 }, /tried 2 times instead of 1/],
    ['a charge too early', { paid: [{ ...charge, at: moments.charge - DAY }] }, /charged too early/],
    ['no consent on record', { shown: { row: ROW } }, /charged without her consent/],
    ['a lost consent', { shown: { row: ROW } }, /that is not on record/],
    [
      'a consent to other terms',
      { shown: { row: ROW, agreed: { version: '0', digest: '', at: moments.opens } } },
      /agreed to other terms/,
    ],
    ['a consent of another time', { agreed: { from: 0, until: 1 } }, /agreed at another time/],
    ['a charge without notice', { mails: [] }, /without a notice/],
    [
      'a notice two days before',
      { mails: [{ ...NOTICE, at: moments.charge - 2 * DAY }] },
      /without a notice/,
    ],
    ['a charge after she cancelled', living('cancels-told', [moments.charge - DAY]), /after she cancelled/],
    [
      'a wrong sum in the list',
      { shown: { row: { ...ROW, 'Came in (USD)': '1' } } },
      /listed with 100 cents/,
    ],
    [
      'a check that nobody is to get',
      { shown: { row: { ...ROW, 'Check to send (USD)': '1' } } },
      /Check to send/,
    ],
    [
      'somebody listed as cancelled',
      { shown: { row: { ...ROW, Cancelled: 'x' } } },
      /is listed as cancelled/,
    ],
  ]);
  test('what belongs to nobody is found', () => {
    const verdict = new Verdict();
    const refund = { id: 're_1', amount: 1, created: 0, payment_intent: 'pi_2', status: 'succeeded' };
    const charges = [{ ...BALANCE, customer: 'cus_2' }];
    judgeAccount([story()], { customers: [], payments: [], charges, refunds: [refund] }, verdict);
    assert.match(verdict.problems.join(), /payment of nobody.*refund of nobody.*0 customers instead of 1/);
  });
});

describe('the oracle on payment plans', () => {
  const [first, second, third] = [0, 10, 20].map((days) => moments.charge + days * DAY);
  assert.ok(first && second && third);
  const made = moments.notice - 7 * HOUR;
  const part = (id: string, cents: number, at: number) => ({ id, cents, at: at + 1_000, withoutHer: true });
  const parts = [part('pi_2', 31_125, first), part('pi_3', 25_938, second), part('pi_4', 15_562, third)];
  const charges = [31_125, 25_938, 15_562].map((amount, at) => ({ ...BALANCE, id: `ch_${at + 1}`, amount }));
  const [NOTICE_2, RECEIPT_2] = [
    mail('balance-notice', second - 11 * DAY, 'December 31, 2025: $259.38'),
    mail('part-paid', second + HOUR, 'pi_3 $259.38'),
  ];
  let sent = 0;
  const all = (...mails: readonly DatedMail[]): DatedMail[] =>
    mails.map((one) => {
      sent += 1;
      return { ...one, messageId: one.messageId.replace('0a1b2c3d', `${sent}`) };
    });
  const others = [
    ...LETTERS.slice(0, 2),
    mail('payment-plan', made + MINUTE, '$311.25 $259.38 $155.62'),
    mail('payment-plan', made + HOUR + MINUTE, '$311.25 $259.38 $155.62'),
    mail('balance-notice', moments.notice, 'December 21, 2025: $311.25'),
    mail('balance-reminder', moments.reminder, 'December 21, 2025: $311.25'),
    mail('part-paid', first + HOUR, 'pi_2 $311.25'),
    mail('balance-reminder', second - 3 * DAY, NOTICE_2.text),
    mail('balance-notice', third - 11 * DAY, 'January 10, 2026: $155.62'),
    mail('balance-reminder', third - 3 * DAY, 'January 10, 2026: $155.62'),
    mail('balance-paid', third + HOUR, '$721 $311.25 $259.38 $155.62 $1,447.25'),
  ];
  const base: Partial<Story> = {
    ...living('planned', [made, made + HOUR]),
    paid: parts,
    charges: [DEPOSIT, ...charges],
    tries: 3,
    mails: all(...others, NOTICE_2, RECEIPT_2),
  };
  const [one, two, three] = parts;
  assert.ok(one && two && three);
  test('each part is told, charged on its day once she agreed, and has its receipt: all is well', () => {
    assert.equal(problemsOf(base), '');
  });
  const otherCents = [one, { ...two, cents: 25_939 }, { ...three, cents: 15_561 }];
  findsEach([
    ['another cent in a part', { ...base, paid: otherCents }, /25939 cents instead of 25938, as part 2/],
    ['a part without a notice of its own', { ...base, mails: all(...others, RECEIPT_2) }, /without a notice/],
    [
      'a part that is charged before she agreed',
      { ...base, ...living('planned', [made, first + DAY]) },
      /paused, or that she had not agreed to/,
    ],
    [
      'a notice of a charge to which she has not agreed',
      { ...base, ...living('planned', [made, first + DAY]) },
      /untrue notice .*nothing may be charged by her plan/,
    ],
    [
      'a second receipt of a part',
      { ...base, mails: all(...others, NOTICE_2, { ...RECEIPT_2, text: 'pi_2 $311.25' }) },
      /that payment has its receipt/,
    ],
    [
      'a receipt of another sum',
      { ...base, mails: all(...others, NOTICE_2, { ...RECEIPT_2, text: 'pi_3 $259.37' }) },
      /another sum was paid/,
    ],
  ]);
});

test('the oracle on books: they have to agree with Stripe and the checks, to the cent', () => {
  const row = (gross: string, changes = {}) => ({
    Registration: 'reg_1',
    What: 'balance',
    Way: 'card',
    'Gross (USD)': gross,
    ...changes,
  });
  const wrong = (...rows: readonly ReturnType<typeof row>[]): string => {
    const verdict = new Verdict();
    judgeBooks([story()], rows, verdict);
    return verdict.problems.join();
  };
  const dispute = row('-726.25', { What: 'dispute' });
  assert.equal(wrong(row('721.00'), row('726.25'), dispute), '');
  assert.match(wrong(row('721.00'), row('726.26')), /144726 cents by card instead of 144725/);
  assert.match(wrong(row('721.00')), /72100 cents by card instead of 144725/);
  assert.match(wrong(row('1447.25'), row('1.00', { Way: 'check' })), /100 cents by check instead of 0/);
  assert.match(wrong(row('1447.25'), row('1.00', { Registration: 'reg_9' })), /row of nobody: reg_9/);
});

describe('the oracle on refunds', () => {
  const cancelAt = moments.charge + 3 * HOUR;
  const at = cancelAt + 25 * HOUR;
  const refund = { id: 're_1', cents: 70_000, at, status: 'succeeded' };
  const row = { ...ROW, 'Went back (USD)': '700', Cancelled: 'x', 'Stands at': 'Cancelled and refunded' };
  const told = 'Comes back to you: $700 in US dollars';
  const letters = [
    ...LETTERS,
    mail('cancel-received', cancelAt + 1, told),
    mail('office-cancel', cancelAt + 1, 'Comes back: $700 to the card', toOffice),
    mail('cancelled', at + 1, told),
  ];
  const base: Partial<Story> = {
    ...living('charged-cancels', [cancelAt]),
    refunds: [refund],
    mails: letters,
    shown: { ...story().shown, row },
  };
  const undone = { ...base, ...living('charged-cancels-comes', [cancelAt, cancelAt + HOUR]) };
  test('one refund of the right sum a day after she cancelled: all is well', () => {
    assert.equal(problemsOf(base), '');
  });
  findsEach([
    ['no refund', { ...base, refunds: [] }, /0 cents back instead of 70000/],
    ['a second refund', { ...base, refunds: [refund, refund] }, /2 refunds of one cancellation/],
    [
      'a refund within the day',
      { ...base, refunds: [{ ...refund, at: cancelAt + 23 * HOUR }] },
      /too late to come/,
    ],
    ['a refund to her who comes after all', undone, /cents back, and comes/],
    [
      'a refund during a dispute',
      { ...base, ...living('cancels-disputes', [0, cancelAt, cancelAt + HOUR]) },
      /while it was disputed/,
    ],
    [
      'a cancellation that is not worked off',
      { ...base, shown: { row: { ...row, 'Stands at': 'Cancelled, refund not made yet' } } },
      /was not worked off/,
    ],
  ]);
});

describe('the oracle on letters', () => {
  const without = (kind: string): DatedMail[] => LETTERS.filter(({ messageId }) => !messageId.includes(kind));
  const twice = { ...PAID, at: PAID.at + MINUTE, atMs: PAID.atMs + 9_000 };
  findsEach([
    ['a lost letter', { mails: without('balance-paid') }, /did not get 1 × paid/],
    ['a lost letter to the office', { mails: without('office-paid') }, /did not get 1 × office-paid/],
    ['a letter that comes twice', { mails: [...LETTERS, twice] }, /got paid twice without a cause/],
    [
      'a letter under another Message-ID',
      { mails: [...LETTERS, { ...PAID, messageId: PAID.messageId.replace('0a1b', 'ffff') }] },
      /got paid unasked/,
    ],
  ]);

  test('a letter may come again only after a crash, a cut, or when the queue lost it', () => {
    const again = (first: Partial<DatedMail>, happened = NOTHING_WRONG): string =>
      problemsOf({ mails: [...without('balance-paid'), { ...PAID, ...first }, twice] }, [], happened);
    const fault = (kind: FaultKind, afterMs: number) =>
      ({ kind, fromMs: PAID.atMs + afterMs, untilMs: PAID.atMs + afterMs + 100 }) as const;
    assert.match(again({}), /twice without a cause/);
    assert.equal(again({ cut: true }), '');
    assert.equal(again({}, { faults: [fault('worker-killed', 100)], lines: [] }), '');
    const job = PAID.messageId.slice(1, PAID.messageId.indexOf('@'));
    const lost = { faults: [fault('redis-wiped', 20_000)], lines: [] };
    assert.match(again({}, lost), /twice without a cause/);
    const lines = [`{"job":"${job}","msg":"A mail was sent, but that is not on record yet"}`];
    assert.equal(again({}, { ...lost, lines }), '');
    const unwritten = { faults: [fault('register-locked', 0), fault('worker-killed', 9_000)], lines };
    assert.equal(again({}, unwritten), '');
    assert.match(again({}, { ...unwritten, lines: [] }), /twice without a cause/);
    const forgotten = [fault('register-restored', 0), fault('redis-wiped', 60_000)];
    assert.equal(again({}, { faults: forgotten, lines: [] }), '');
    const lock = [`Missing lock for job ${job}. moveToFinished`];
    assert.equal(again({}, { faults: [fault('redis-wiped', -15_000)], lines: lock }), '');
    assert.match(again({}, { faults: [], lines: lock }), /twice without a cause/);
  });

  const short = lives('card-expires-changes');
  const untrue: [DatedMail, Partial<Story>, string | undefined][] = [
    [NOTICE, {}, undefined],
    [REMINDER, {}, undefined],
    [PAID, {}, undefined],
    [{ ...REMINDER, at: PAID.at, underWaySince: PAID.at }, {}, 'it is paid'],
    [{ ...REMINDER, text: 'December 21, 2025: $726.26' }, {}, 'another sum is due'],
    [{ ...REMINDER, text: 'December 22, 2025: $726.25' }, {}, 'another day is due'],
    [REMINDER, living('new-address', [REMINDER.at - 1]), 'it went to somebody else'],
    [REMINDER, living('cancels-told', [REMINDER.at - 1]), 'she cancelled'],
    [REMINDER, { ...living('check-promised', [REMINDER.at - 1]), paid: [] }, 'she pays by check'],
    [mail('balance-notice', REMINDER.at, NOTICE.text), {}, 'it comes too late for the charge'],
    [{ ...REMINDER, at: moments.reminder - MINUTE }, {}, 'it comes before its time'],
    [mail('balance-paid', PAID.at, '$721 $726'), {}, 'other sums were paid'],
    [mail('payment-plan', PAID.at), {}, 'it is another plan'],
    [mail('balance-failed', PAID.at, '$726.25'), {}, 'no card was refused'],
    [mail('welcome', moments.opens + 1, '$720'), {}, 'another sum was paid'],
    [mail('card-expires', REMINDER.at, NOTICE.text), {}, 'her card is valid'],
    [mail('card-expires', REMINDER.at, NOTICE.text), { person: short }, undefined],
    [
      mail('card-expires', REMINDER.at, NOTICE.text),
      living('card-expires-changes', [REMINDER.at - 1]),
      'she gave another card',
    ],
  ];
  for (const [letter, changes, says] of untrue)
    test(`${letter.messageId.slice(1, 18)}: ${says ?? 'all is true'}`, () => {
      assert.equal(untruthOf(letter, story(changes)), says);
    });

  test('a letter and a first charge that come an hour early or late are found, where nothing goes wrong', () => {
    const late = (changes: Partial<Story>): string => {
      const verdict = new Verdict();
      judgePunctuality(story(changes), verdict);
      return verdict.problems.join();
    };
    assert.equal(late({}), '');
    for (const wrong of [-HOUR, HOUR]) {
      assert.match(late({ mails: [{ ...NOTICE, at: NOTICE.at + wrong }] }), /the notice came at/);
      assert.match(late({ mails: [{ ...REMINDER, at: REMINDER.at + wrong }] }), /the reminder came at/);
      assert.match(late({ refusedAt: [moments.charge + wrong] }), /the first charge came at/);
    }
  });

  test('a line of the log with a detail of a visitor is found', () => {
    assert.deepEqual(leaks(['Mail sent']), []);
    assert.match(leaks([`Mail sent to ${person.email}`]).join(), /1 log lines tell of visitors/);
  });
});

describe('the oracle on the letters of the retreat', () => {
  const steps = [testSession.from, firstDay.from];
  const WAY_IN = mail('way-in', firstDay.from + MINUTE, wayInWords.open, {
    subject: `The way into ${onSale.title}${firstDay.day}`,
  });
  const TEST = mail('test-session', testSession.from + MINUTE);
  const getting = (mails: readonly DatedMail[], at = steps, changes: Partial<Story> = {}): string =>
    problemsOf({ mails: [...LETTERS, ...mails], ...changes }, at);
  const said = (what: Announced['what'], at: number): Announced => ({
    what,
    edition: onSale.id,
    from: at,
    until: at + MINUTE,
  });
  const back = (letter: DatedMail, changes: Partial<Returned> = {}): Returned => ({
    address: person.email,
    messageId: letter.messageId,
    takenAt: letter.at,
    askedAt: letter.at + MINUTE,
    knownAt: letter.at + 2 * MINUTE,
    ...changes,
  });

  test('each at its time, once: all is well; a missing one is lost, a second one is unasked', () => {
    assert.equal(getting([TEST, WAY_IN]), '');
    assert.match(getting([WAY_IN]), /did not get 1 × test-session/);
    assert.match(getting([TEST]), /did not get 1 × way-in : Thursday/);
    const again = { ...WAY_IN, messageId: WAY_IN.messageId.replace('0a1b', 'ffff') };
    assert.match(getting([TEST, WAY_IN, again]), /got way-in .* unasked/);
  });

  const owes: Partial<Story> = { paid: [] };
  const untrue: [DatedMail, Partial<Story>, RegExp][] = [
    [{ ...WAY_IN, at: firstDay.from - 1 }, {}, /before its time/],
    [{ ...WAY_IN, at: firstDay.until, underWaySince: firstDay.until }, {}, /it is past/],
    [WAY_IN, owes, /says open, and she owes/],
    [WAY_IN, { returned: [back(TEST)] }, /her address takes no letters/],
    [mail('schedule-changed', moments.charge), {}, /nothing was announced/],
    [
      mail('recordings', recordings - 1),
      { announced: [said('recordings', moments.ends)] },
      /before its time/,
    ],
    [
      mail('recordings', recordings + 1),
      { ...owes, announced: [said('recordings', moments.ends)] },
      /recordings .*she owes the balance/,
    ],
  ];
  for (const [letter, changes, says] of untrue)
    test(`an untrue one is found: ${says.source}`, () => assert.match(getting([letter], [], changes), says));

  test('an announcement is owed to everybody once, and a second one once more', () => {
    const [first, second] = [moments.charge + 2 * DAY, moments.charge + 9 * DAY];
    const announced = [said('schedule-changed', first), said('schedule-changed', second)];
    const one = mail('schedule-changed', first + HOUR + MINUTE);
    const messageId = one.messageId.replace('0a1b', 'ffff');
    const other = { ...one, at: second + HOUR + MINUTE, underWaySince: second + HOUR, messageId };
    const at = [first + HOUR, second + HOUR];
    assert.equal(getting([one, other], at, { mails: [...LETTERS, one, other], announced }), '');
    assert.match(
      getting([], at, { mails: [...LETTERS, one], announced }),
      /did not get 1 × schedule-changed 2/,
    );
    const there = { announced: [said('recordings', moments.ends)] };
    assert.match(getting([], [recordings + DAY], there), /did not get 1 × recordings/);
    assert.doesNotMatch(getting([], [recordings + DAY], { ...there, ...owes }), /× recordings/);
  });

  test('an address that takes no letters is owed none, until the office says that they arrive again', () => {
    const returned = [back(TEST)];
    const over = testSession.from + HOUR;
    const mended = [{ address: person.email, from: over, until: over }];
    const at = [firstDay.from];
    assert.equal(getting([], at, { mails: [...LETTERS, TEST], returned }), '');
    assert.match(getting([], at, { mails: [...LETTERS, TEST], returned, mended }), /did not get 1 × way-in/);
    assert.match(getting([TEST, WAY_IN], [], { returned }), /takes no letters/);
  });

  test('a charge after the notice came back is one without notice, unless nobody knew, or she was told again', () => {
    const charged = (changes: Partial<Story>) => verdictOn(changes).of('Charged without notice');
    assert.equal(charged({ returned: [back(NOTICE)] }), 1);
    assert.equal(charged({ returned: [back(REMINDER)] }), 1, 'whichever letter came back');
    const late = { askedAt: moments.charge + DAY, knownAt: moments.charge + DAY };
    assert.equal(charged({ returned: [back(NOTICE, late)] }), 0);
    const over = moments.notice + DAY;
    const again = { ...NOTICE, at: over + HOUR, messageId: NOTICE.messageId.replace('0a1b', '9a9b') };
    const mended = [{ address: person.email, from: over, until: over }];
    assert.equal(charged({ returned: [back(NOTICE)], mended }), 1);
    assert.equal(charged({ returned: [back(NOTICE)], mended, mails: [...LETTERS, again] }), 0);
  });
});

describe('the oracle on digests', () => {
  const at = moments.charge + 1_000;
  const digest = (day: string, changes: Partial<DatedMail> = {}): DatedMail =>
    mail('office-digest', at, '', {
      messageId: `<office-digest-${onSale.id}-${day}@retreat.example>`,
      ...changes,
    });
  const own = digest('2025-12-21');
  const verdict = (
    mails: readonly DatedMail[],
    { steps = [at], stories = [] as Story[], faults = [] as Circumstances['faults'] } = {},
  ): string => {
    const count = new Verdict();
    judgeDigests(onSale, stories, { mails, steps, repeats: repeatsOf({ faults, lines: [] }) }, count);
    return count.problems.join();
  };

  test('one on each day on which the clock stopped; none before eight, before the notice, or after a month', () => {
    assert.equal(verdict([own]), '');
    assert.equal(
      verdict([], { steps: [moments.charge - 10 * HOUR, moments.notice, moments.ends + 31 * DAY] }),
      '',
    );
  });

  test('a missing one, one of another edition or day, and two on one day are found', () => {
    assert.match(verdict([]), /no digest on 2025-12-21/);
    const messageId = `<office-digest-${nextEdition.id}-2025-12-21@retreat.example>`;
    assert.match(verdict([{ ...own, messageId }]), /no digest on 2025-12-21/);
    assert.match(verdict([own, digest('2025-12-20')]), /digest of 2025-12-20 came 2025-12-21/);
    assert.match(verdict([own, own]), /2 digests on 2025-12-21 without a cause/);
    const faults = [{ kind: 'redis-wiped', fromMs: own.atMs + 60_000, untilMs: own.atMs + 61_000 }] as const;
    assert.equal(verdict([own, own], { faults }), '');
  });
});
