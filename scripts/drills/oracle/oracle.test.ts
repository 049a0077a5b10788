import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Verdict } from '#scripts/drills/drill.ts';
import type { DatedMail, Returned } from '#scripts/drills/stage/stage.ts';
import type { FaultKind } from '#scripts/drills/stage/storm.ts';
import { sampleOffice } from '#scripts/product/environment.ts';
import { nextEdition, onSale } from '#scripts/world/editions.ts';
import { LIVES, type LifeName } from '#scripts/world/lives.ts';
import { type Person, personOf } from '#scripts/world/people.ts';
import { wayInWords } from '#server/letters/retreat-letters.ts';
import { leaks } from './judge.ts';
import { type Circumstances, judgeDigests, judgeLetters, judgePunctuality, repeatsOf } from './letters.ts';
import { judgeAccount, judgeBooks, judgeMoney } from './money.ts';
import { untruthOf } from './promises.ts';
import type { Story } from './story.ts';

const { moments, retreat, terms } = onSale;
const { testSession, wayIn } = retreat;
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000] as const;
const [, firstDay] = wayIn;
assert.ok(firstDay);

const lives = (name: LifeName): Person => personOf(1, name, LIVES[name], moments.opens);
const person = lives('charged');
const mail = (kind: string, at: number, text = '', changes: Partial<DatedMail> = {}): DatedMail => ({
  messageId: `<${kind}-pi_1-0a1b2c3d@retreat.example>`,
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
  depositId: 'pi_1',
  paidAt: moments.opens,
  agreed,
  customer: 'cus_1',
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

function problemsOf(
  changes: Partial<Story>,
  steps: readonly number[] = [],
  happened = NOTHING_WRONG,
): string {
  const verdict = new Verdict();
  judgeMoney(story(changes), verdict);
  judgeLetters(story(changes), steps, repeatsOf(happened), verdict);
  return verdict.problems.join('\n');
}

/** Each of these changes of what is right is found, and said in these words. */
function findsEach(
  faults: Readonly<Record<string, readonly Partial<Story>[]>>,
  right: Partial<Story> = {},
): void {
  for (const [says, wrong] of Object.entries(faults))
    for (const [place, changes] of wrong.entries())
      test(`finds who ${says}, ${place + 1}`, () => {
        const problems = problemsOf({ ...right, ...changes });
        assert.ok(problems.includes(says), problems);
      });
}
/** Each of these letters tells this that is not true; or, under `nothing`, all is true. */
function findsLies(lies: Readonly<Record<string, readonly (readonly [DatedMail, Partial<Story>?])[]>>): void {
  for (const [lie, letters] of Object.entries(lies))
    test(`${lie}: found in ${letters.map(([{ messageId }]) => messageId.slice(1, 18)).join(', ')}`, () => {
      for (const [letter, changes] of letters)
        assert.equal(untruthOf(letter, story(changes)) ?? 'nothing', lie, letter.messageId);
    });
}
/** What is wrong with letters of somebody who has not paid. */
function unpaidProblems(changes: Partial<Story>, steps: readonly number[] = []): string {
  const { paidAt: _, ...unpaid } = story(changes);
  const verdict = new Verdict();
  judgeLetters(unpaid, steps, repeatsOf(NOTHING_WRONG), verdict);
  return verdict.problems.join();
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
  test('a registration that is lost with it is owed no letter', () => {
    assert.match(unpaidProblems({ mails: [], isLost: false }), /did not get 1 × begun/);
    assert.equal(unpaidProblems({ mails: [], isLost: true }), '');
  });
  test('who has not paid a day after she began is owed one reminder, until registration closes', () => {
    const begun = { from: moments.opens, until: moments.opens + MINUTE };
    const dayLater = begun.until + DAY;
    const problemsAt = (step: number, mails: readonly DatedMail[] = []): string =>
      unpaidProblems({ begun, mails }, [step]);
    assert.match(problemsAt(dayLater), /did not get 1 × unfinished/);
    for (const step of [dayLater - 1, moments.closes]) assert.doesNotMatch(problemsAt(step), /unfinished/);
    assert.doesNotMatch(problemsAt(dayLater, [mail('unfinished', dayLater)]), /unfinished/);
    const lieAt = (at: number) => untruthOf(mail('unfinished', at), story({ begun }));
    assert.equal(lieAt(moments.opens + HOUR), 'it comes before its time');
    for (const at of [dayLater, moments.closes]) assert.equal(lieAt(at), 'it is past');
  });
  const listed = (changes: Partial<typeof ROW>) => ({ shown: { row: { ...ROW, ...changes } } });
  const otherTerms = { version: '0', digest: '', at: moments.opens };
  findsEach({
    'charged 2 times, 2 of them for the balance': [{ paid: [charge, charge] }],
    'charged 3 times': [{ charges: [DEPOSIT, BALANCE, BALANCE] }],
    '144726 cents instead of 144725': [{ charges: [DEPOSIT, { ...BALANCE, amount: 72_626 }] }],
    'has not paid': [{ paid: [], charges: [DEPOSIT] }],
    'could pay the balance 2 times': [{ openPayments: 2 }],
    'tried 2 times instead of 1': [{ tries: 2 }],
    'charged too early': [{ paid: [{ ...charge, at: moments.charge - DAY }] }],
    'charged without her consent': [{ shown: { row: ROW } }],
    'that is not on record': [{ shown: { row: ROW } }],
    'agreed to other terms': [{ shown: { row: ROW, agreed: otherTerms } }],
    'agreed at another time': [{ agreed: { from: 0, until: 1 } }],
    'without a notice': [
      { mails: [] },
      { mails: [{ ...NOTICE, at: moments.charge - 2 * DAY }] },
      { mails: [{ ...NOTICE, recipients: ['b@x.example'] }] },
      { mails: [{ ...NOTICE, text: 'December 20, 2025' }] },
    ],
    'after she cancelled': [living('cancels-told', [moments.charge - DAY])],
    'listed with 100 cents': [listed({ 'Came in (USD)': '1' })],
    'instead of 0: Check to send': [listed({ 'Check to send (USD)': '1' })],
    'is listed as cancelled': [listed({ Cancelled: 'x' })],
  });
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
  const soon = living('planned', [made, first + DAY]);
  findsEach(
    {
      'charged 5 times, 4 of them for the balance': [
        { paid: [...parts, two], charges: [DEPOSIT, ...charges, BALANCE] },
      ],
      'has not paid': [{ paid: [one, two] }],
      '25939 cents instead of 25938, as part 2': [{ paid: [one, { ...two, cents: 25_939 }, three] }],
      '144726 cents instead of 144725': [
        { charges: [DEPOSIT, ...charges.slice(0, 2), { ...BALANCE, amount: 15_563 }] },
      ],
      'charged too early': [{ paid: [one, { ...two, at: second - DAY }, three] }],
      'without a notice': [
        { mails: all(...others, RECEIPT_2) },
        { mails: all(...others, RECEIPT_2, { ...NOTICE_2, text: 'December 31, 2025: $311.25' }) },
        { mails: all(...others, RECEIPT_2, { ...NOTICE_2, at: second - 2 * DAY }) },
      ],
      'paused, or that she had not agreed to': [
        soon,
        living('planned-paused', [made, made + HOUR, first + DAY, third + 30 * DAY]),
      ],
      'nothing may be charged by her plan': [soon],
      'did not get 1 × part-paid': [{ mails: all(...others, NOTICE_2) }],
      'that payment has its receipt': [
        { mails: all(...others, NOTICE_2, { ...RECEIPT_2, text: 'pi_2 $311.25' }) },
      ],
      'tells another sum': [{ mails: all(...others, NOTICE_2, { ...RECEIPT_2, text: 'pi_3 $259.37' }) }],
      'it is another plan': [
        { mails: all(...others, NOTICE_2, RECEIPT_2, mail('payment-plan', first, '$311.25')) },
      ],
    },
    base,
  );
});

describe('the oracle on other ways to pay, and on a place of somebody else', () => {
  const at = moments.notice + 4 * DAY;
  const inParts = { ...living('check-in-two-parts', [at, at + HOUR, at + DAY]), paid: [] };
  const paidInParts = (after: number) => mail('balance-paid', at + after, '$721 $400 $300 $1,421');
  const hands = living('hands-over', [at, at + HOUR, at + DAY]);
  const sister = { recipients: [`sister-${person.email}`] };
  const offered = mail('hand-over-offered', at + 2 * HOUR, '', sister);
  const away = mail('handed-away', at + 2 * DAY);
  const { person: caller } = living('calls-pays-by-card', []);
  const held = (after: number) => mail('place-held', moments.opens + after);
  findsLies({
    nothing: [
      [mail('payment-received', at + HOUR, '$400'), inParts],
      [paidInParts(2 * DAY), inParts],
      [offered, hands],
      [away, hands],
      [{ ...REMINDER, ...sister }, hands],
      [held(-1), { person: caller }],
    ],
    'it tells another sum': [
      [mail('payment-received', at + HOUR, '$401'), inParts],
      [mail('payment-returned', at + HOUR, '$400'), inParts],
    ],
    'it went to somebody else': [
      [{ ...offered, recipients: [person.email] }, hands],
      [REMINDER, hands],
    ],
    'it comes before its time': [
      [paidInParts(2 * HOUR), inParts],
      [{ ...offered, at }, hands],
      [{ ...away, at: at + HOUR }, hands],
      [held(-1)],
    ],
    'it is past': [[held(1), { person: caller }]],
  });
  test('what came by check is listed, and what bounced is not', () => {
    for (const name of ['check-in-two-parts', 'check-bounces'] as const) {
      const listed = (cameIn: string): string => {
        const shown = { ...story().shown, row: { ...ROW, 'Came in (USD)': cameIn } };
        return problemsOf({
          ...living(name, [at, at, at, at]),
          paid: [],
          tries: 0,
          charges: [DEPOSIT],
          shown,
        });
      };
      assert.doesNotMatch(listed('1421'), /is listed with/);
      assert.match(listed('2121'), /listed with 212100 cents instead of 142100/);
    }
  });
  test('the books have to agree with Stripe and the checks, to the cent', () => {
    const usual = { Registration: 'pi_1', What: 'balance', Way: 'card' };
    const row = (gross: string, changes = {}) => ({ ...usual, 'Gross (USD)': gross, ...changes });
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
    assert.match(wrong(row('1447.25'), row('1.00', { Registration: 'pi_9' })), /row of nobody: pi_9/);
  });
  test('a charge of who took the place needs a notice to her', () => {
    assert.match(problemsOf(hands), /without a notice/);
  });
  test('what somebody agreed to on the phone is on record so', () => {
    assert.match(problemsOf({ person: caller }), /agreed another way than the evidence tells/);
    const spoken = { row: ROW, agreed: { version: terms.version, digest: terms.digest } };
    assert.equal(problemsOf({ person: caller, shown: spoken, mails: [...LETTERS, held(-MINUTE)] }), '');
  });
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
  findsEach(
    {
      'got 0 cents back instead of 70000': [{ refunds: [] }],
      'got 70001 cents back': [{ refunds: [{ ...refund, cents: 70_001 }] }],
      '2 refunds of one cancellation': [{ refunds: [refund, refund] }],
      'too late to come': [{ refunds: [{ ...refund, at: cancelAt + 23 * HOUR }] }],
      'cents back, and comes': [undone],
      'while it was disputed': [living('cancels-disputes', [0, cancelAt, cancelAt + HOUR])],
      'was not worked off': [{ shown: { row: { ...row, 'Stands at': 'Cancelled, refund not made yet' } } }],
      'tells 70001 cents instead of 70000': [
        { mails: [...letters.slice(0, -1), mail('cancelled', at + 1, 'Comes back to you: $700.01')] },
      ],
    },
    base,
  );
  test('the right sum depends on the moment: all but the fee in time, nothing too late, all if charged afterwards', () => {
    const backFor = (cancelledAt: number, cents: number): string =>
      problemsOf({
        ...base,
        ...living('cancels-at-charge', [cancelledAt]),
        refunds: cents > 0 ? [{ ...refund, cents, at: cancelledAt + 25 * HOUR }] : [],
      });
    assert.doesNotMatch(backFor(moments.refundsEnd - 1, 70_000), /cents back/);
    assert.doesNotMatch(backFor(moments.refundsEnd, 0), /cents back/);
    assert.doesNotMatch(backFor(moments.charge - 1, 72_625), /cents back/);
    assert.match(backFor(moments.refundsEnd, 70_000), /cents back instead of 0/);
  });
  const received = (after: number, text = told) => mail('cancel-received', cancelAt + after, text);
  const answered = mail('office-cancel', cancelAt + 1, told, { ...toOffice, replyTo: 'office@x.example' });
  findsLies({
    'it comes before its time': [
      [received(-1), base],
      [mail('cancelled', cancelAt + HOUR, told), base],
      [mail('cancel-undone', cancelAt + 1), undone],
    ],
    'it is worked off': [[received(25 * HOUR + 2), base]],
    'it is past': [[received(2 * HOUR), undone]],
    'it tells 700 cents instead of 70000': [[received(1, 'Comes back: $7'), base]],
    'its answer goes to somebody else': [[answered, base]],
    'it tells another sum': [
      [mail('refund-failed', at, '$700'), base],
      [mail('refund-made', at, '$50'), base],
    ],
  });
});

describe('the oracle on letters', () => {
  const without = (kind: string): DatedMail[] => LETTERS.filter(({ messageId }) => !messageId.includes(kind));
  const twice = { ...PAID, at: PAID.at + MINUTE, atMs: PAID.atMs + 9_000 };
  const another = { ...PAID, messageId: PAID.messageId.replace('0a1b', 'ffff') };
  findsEach({
    'did not get 1 × paid': [{ mails: without('balance-paid') }],
    'did not get 1 × office-paid': [{ mails: without('office-paid') }],
    'got place-link unasked': [{ mails: [...LETTERS, mail('place-link', 0)] }],
    'got paid twice without a cause': [{ mails: [...LETTERS, twice] }],
    'got paid unasked': [{ mails: [...LETTERS, another] }],
  });

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

  const EXPIRES = mail('card-expires', REMINDER.at, NOTICE.text);
  const after = { ...REMINDER, at: PAID.at, underWaySince: PAID.at };
  const just = [REMINDER.at - 1];
  findsLies({
    nothing: [
      [NOTICE],
      [REMINDER],
      [PAID],
      [mail('part-paid', PAID.at, 'pi_2 $726.25')],
      [EXPIRES, { person: lives('card-expires-changes') }],
    ],
    'it is paid': [[after]],
    'it is past': [
      [after, { paid: [] }],
      [mail('registration-received', moments.opens + 1)],
      [EXPIRES, living('card-expires-changes', just)],
    ],
    'it comes before its time': [
      [{ ...REMINDER, at: moments.reminder - MINUTE }],
      [mail('balance-paid', REMINDER.at, PAID.text)],
      [mail('balance-failed', PAID.at, '$726.25')],
      [mail('welcome', moments.opens - 1)],
      [EXPIRES],
    ],
    'it tells another sum': [
      [{ ...REMINDER, text: 'December 21, 2025: $726.26' }],
      [mail('balance-paid', PAID.at, '$721 $726.25 $1,447')],
      [mail('welcome', moments.opens + 1, '$720')],
    ],
    'another day is due': [[{ ...REMINDER, text: 'December 22, 2025: $726.25' }]],
    'it went to somebody else': [[REMINDER, living('new-address', just)]],
    'she cancelled': [[REMINDER, living('cancels-told', just)]],
    'she pays by check': [[REMINDER, { ...living('check-promised', just), paid: [] }]],
    'she disputes it': [[REMINDER, { ...living('disputed', just), paid: [] }]],
    'it comes too late for the charge': [[mail('balance-notice', REMINDER.at, NOTICE.text)]],
    'it is about another edition': [[{ ...REMINDER, subject: nextEdition.title }]],
    'it is another plan': [[mail('payment-plan', PAID.at)]],
    'that payment was not made': [[mail('part-paid', REMINDER.at, 'pi_2 $726.25')]],
    'she is charged all the same': [[mail('please-pay', REMINDER.at)]],
  });

  test('a letter and a first charge that come an hour early or late are found, where nothing goes wrong', () => {
    const late = (changes: Partial<Story>): string => {
      const verdict = new Verdict();
      judgePunctuality(story(changes), verdict);
      return verdict.problems.join();
    };
    assert.equal(late({}), '');
    for (const wrong of [-HOUR, HOUR]) {
      assert.match(late({ mails: [{ ...NOTICE, at: NOTICE.at + wrong }] }), /got the notice at/);
      assert.match(late({ mails: [{ ...REMINDER, at: REMINDER.at + wrong }] }), /got the reminder at/);
      assert.match(late({ refusedAt: [moments.charge + wrong] }), /got the first charge at/);
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
  const said = (from: number) => ({ from, until: from + MINUTE });
  const back = (letter: DatedMail, changes: Partial<Returned> = {}): Returned => ({
    address: person.email,
    messageId: letter.messageId,
    type: 'hard',
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

  test('none is owed where the clock did not stop, before the welcome, or after she cancelled', () => {
    assert.equal(getting([], [testSession.until, firstDay.until]), '');
    assert.doesNotMatch(problemsOf({ mails: [] }, steps), /way-in/);
    assert.doesNotMatch(getting([], steps, living('cancels-told', [moments.notice + DAY])), /way-in/);
  });

  const owes: Partial<Story> = { paid: [] };
  const asking = { ...WAY_IN, text: wayInWords.owing };
  findsLies({
    'it comes before its time': [
      [{ ...WAY_IN, at: firstDay.from - 1 }],
      [{ ...WAY_IN, subject: onSale.title }],
    ],
    'it is past': [[{ ...WAY_IN, at: firstDay.until, underWaySince: firstDay.until }]],
    'it says open, and she owes the balance': [[WAY_IN, owes]],
    'it asks for the balance, and it is paid': [[asking]],
    'it asks for the balance, and she disputes it': [
      [asking, { ...owes, ...living('disputed', [moments.charge]) }],
    ],
    'it does not say whether the room is open to her': [[{ ...WAY_IN, text: '' }]],
    'she cancelled': [[TEST, living('cancels-told', [testSession.from - DAY])]],
    'her address takes no letters': [[WAY_IN, { returned: [back(TEST)] }]],
  });

  test('a new schedule is owed to everybody once', () => {
    const at = moments.charge + 2 * DAY;
    const announced = said(at);
    const changed = mail('schedule-changed', at + HOUR + MINUTE);
    assert.equal(getting([changed], [at + HOUR], { announced }), '');
    assert.match(getting([], [at + HOUR], { announced }), /did not get 1 × schedule-changed/);
    assert.match(getting([changed], []), /untrue schedule-changed .*before its time/);
  });

  test('a new schedule is owed to her who had the place when it was announced, not to who took it since', () => {
    const taken = moments.charge + DAY;
    const hands = living('hands-over', [taken - 2 * DAY, taken - DAY, taken]);
    const handedOver = { ...mail('handed-over', taken + MINUTE), recipients: [`sister-${person.email}`] };
    const announcedAt = (at: number): string =>
      getting([handedOver], [taken + 3 * DAY], { ...hands, announced: said(at) });
    assert.doesNotMatch(announcedAt(taken - HOUR), /schedule-changed/);
    assert.match(announcedAt(taken + HOUR), /did not get 1 × schedule-changed {2}to sister-/);
  });

  test('an address that takes no letters is owed none, until the office says that they arrive again', () => {
    const returned = [back(TEST)];
    const over = testSession.from + HOUR;
    const mended = [{ address: person.email, from: over, until: over }];
    const at = [firstDay.from];
    assert.equal(getting([], at, { mails: [...LETTERS, TEST], returned }), '');
    assert.match(getting([], at, { mails: [...LETTERS, TEST], returned, mended }), /did not get 1 × way-in/);
    const soft = back(TEST, { type: 'soft' });
    assert.equal(getting([TEST, WAY_IN], [], { returned: [soft] }), '');
    const again = { ...soft, askedAt: soft.askedAt + HOUR, knownAt: soft.knownAt + HOUR };
    assert.match(getting([TEST, WAY_IN], [], { returned: [soft, again] }), /takes no letters/);
    assert.equal(getting([TEST, WAY_IN], [], { returned: [back(TEST, { type: 'complaint' })] }), '');
  });

  test('a charge after the notice came back is one without notice, unless nobody knew, or she was told again', () => {
    const charged = (changes: Partial<Story>) => Number(/without a notice/.test(problemsOf(changes)));
    assert.equal(charged({ returned: [back(NOTICE)] }), 1);
    assert.equal(charged({ returned: [back(NOTICE, { type: 'soft' })] }), 1);
    assert.equal(charged({ returned: [back(REMINDER)] }), 1, 'whichever letter came back');
    const late = { askedAt: moments.charge + DAY, knownAt: moments.charge + DAY };
    assert.equal(charged({ returned: [back(NOTICE, late)] }), 0);
    assert.equal(charged({ returned: [back(NOTICE, { type: 'complaint' })] }), 0);
    const over = moments.notice + DAY;
    const again = { ...NOTICE, at: over + HOUR, messageId: NOTICE.messageId.replace('0a1b', '9a9b') };
    const mended = [{ address: person.email, from: over, until: over }];
    assert.equal(charged({ returned: [back(NOTICE)], mended }), 1);
    assert.equal(charged({ returned: [back(NOTICE)], mended, mails: [...LETTERS, again] }), 0);
  });
});

test('the oracle takes a letter that came back for another one when it comes again once letters arrive', () => {
  const over = moments.notice + 3 * DAY;
  const life = living('bounces-arrives-again', [over]);
  const { email } = life.person;
  const toHer = { recipients: [email], replyTo: email };
  const first = { ...NOTICE, ...toHer, cut: true };
  const others = LETTERS.slice(0, 2)
    .concat(REMINDER, PAID)
    .map((one) => ({ ...one, ...(one.recipients !== toOffice.recipients && toHer) }));
  const heard = (at: number): string =>
    problemsOf({
      ...life,
      mails: [...others, first, { ...first, at, atMs: at }],
      mended: [{ address: email, from: over, until: over }],
    });
  assert.doesNotMatch(heard(over + HOUR), /did not get/);
  assert.match(heard(over - HOUR), /did not get 1 × notice/);
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
    { steps = [at], faults = [] as Circumstances['faults'] } = {},
  ): string => {
    const count = new Verdict();
    judgeDigests(onSale, { mails, steps, repeats: repeatsOf({ faults, lines: [] }) }, count);
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
