import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { RegisterCounts } from '#server/register/register-counts.ts';
import { type Count, createHistory } from './history.tsx';
import { formatMoment, type InRedis, judge, type Look } from './look.ts';
import { type Advice, overdueAdvice, runBook } from './run-book.ts';

const at = new Date('2025-12-22T01:00:00Z');
const minutesAgo = (minutes: number) => new Date(at.getTime() - minutes * 60_000);

const inRedis: InRedis = {
  mails: { jobs: {}, oldestSeconds: 0, isPaused: false },
  workers: 1,
  dueWorkAt: minutesAgo(10),
  clockAheadSeconds: undefined,
  usedShare: 0.1,
};
const counts: RegisterCounts = { attention: 0, registrations: [], overdue: [], overbooked: [] };
const well: Look = {
  at,
  inRedis,
  counts,
  stripeAnswered: true,
  isRegisterWritable: true,
  hold: undefined,
  isRoomMissing: false,
  copiedAt: minutesAgo(60),
  uptimeSeconds: 60,
  memoryBytes: 100,
  memoryShare: 0.1,
  holdUpSeconds: 0.01,
};
const mails = (changes: Partial<NonNullable<InRedis['mails']>>): Look => ({
  ...well,
  inRedis: { ...inRedis, mails: { jobs: {}, oldestSeconds: 0, isPaused: false, ...changes } },
});
const redis = (changes: Partial<InRedis>): Look => ({ ...well, inRedis: { ...inRedis, ...changes } });

const found = (changes: Partial<RegisterCounts>): Look => ({ ...well, counts: { ...counts, ...changes } });
const late = (reason: RegisterCounts['overdue'][number]['reason'], count: number) => ({ reason, count });
const inState = (state: RegisterCounts['registrations'][number]['state']) => [
  { edition: 'january-2026', state, count: 2 },
];

/** The parts that are not fine, with what the page says of them. */
function troubles(look: Look, recent: Partial<Record<Count, number>> = {}): string[] {
  const findings = judge(look, (count) => recent[count] ?? 0);
  return findings
    .filter(({ verdict }) => verdict !== 'fine')
    .map(({ part, verdict, says }) => `${part}, ${verdict}: ${says}`);
}

describe('the verdict on each part', () => {
  test('all is fine', () => assert.deepEqual(troubles(well), []));

  for (const [what, look, wanted] of [
    [
      'a register that cannot be written',
      { ...well, isRegisterWritable: false },
      ['The register, down: It could not be written when it was last tried.'],
    ],
    [
      'a register that is held',
      { ...well, hold: { since: at, why: 'It is a copy of the register.', readAt: undefined } },
      [`The register, down: It is held since ${formatMoment(at)}. It is a copy of the register.`],
    ],
    [
      'no video room a week before its first letter',
      { ...well, isRoomMissing: true },
      ['The video room, look: Letters are to lead there, and nobody has said where it is.'],
    ],
    ['a copy of two hours', { ...well, copiedAt: minutesAgo(120) }, []],
    [
      'an older copy',
      { ...well, copiedAt: minutesAgo(121) },
      ['Copies of the register, look: The newest one was made 2 h 1 min ago.'],
    ],
    ['no copy', { ...well, copiedAt: 'never' }, ['Copies of the register, look: There are none.']],
    ['a register that its operator copies', { ...well, copiedAt: undefined }, []],
    ['Redis is nearly full', redis({ usedShare: 0.9 }), ['Redis, look: It is 90% full.']],
    ['Redis without a memory limit', redis({ usedShare: undefined }), []],
    [
      'Stripe away',
      { ...well, stripeAnswered: false },
      ['Stripe, down: It did not answer when it was last asked.'],
    ],
    [
      'Stripe not asked yet',
      { ...well, stripeAnswered: undefined },
      ['Stripe, unknown: This process has not asked it yet.'],
    ],
    [
      'sending paused, also when mails are old',
      mails({ isPaused: true, oldestSeconds: 5_000 }),
      ['Sending mails, down: It is paused: somebody did so on the queue’s page.'],
    ],
    ['a mail that waits a quarter of an hour', mails({ oldestSeconds: 900 }), []],
    [
      'a mail that waits for longer',
      mails({ oldestSeconds: 901, jobs: { waiting: 1 } }),
      ['Sending mails, down: The oldest mail waits for 15 min.'],
    ],
    [
      'a mail server that fails for a long time',
      mails({ oldestSeconds: 4_000, jobs: { delayed: 2 } }),
      [
        'Sending mails, down: The oldest mail waits for 1 h 6 min. 2 mails could not be sent, and will be tried again.',
      ],
    ],
    [
      'a mail that was delayed',
      mails({ oldestSeconds: 20, jobs: { delayed: 1 } }),
      ['Sending mails, look: 1 mail could not be sent, and will be tried again.'],
    ],
    ['failed mails', mails({ jobs: { failed: 2 } }), ['Failed mails, look: 2 mails: somebody has to act.']],
    ['no worker', redis({ workers: 0 }), ['The worker, down: No worker is connected.']],
    [
      'due work that is late',
      redis({ dueWorkAt: minutesAgo(46) }),
      ['What is due, look: It was last done 46 min ago.'],
    ],
    ['due work by a clock that is ahead', redis({ dueWorkAt: minutesAgo(-1) }), []],
    ...[-720, 720].map((clockAheadSeconds): [string, Look, string[]] => [
      'a worker whose clock is wrong',
      redis({ clockAheadSeconds }),
      [
        `What is due, down: No money moves: the worker’s clock is 12 min ${clockAheadSeconds > 0 ? 'ahead of' : 'behind'} Stripe’s.`,
      ],
    ]),
    ['before any due work', redis({ dueWorkAt: undefined }), ['What is due, look: It was not done yet.']],
    [
      'a register that cannot be read',
      { ...well, counts: undefined },
      ['Payments that need a person', 'Overdue balances', 'Refunds'].map(
        (part) => `${part}, unknown: It cannot be told while the register cannot be read.`,
      ),
    ],
    [
      'problems that the worker found',
      found({
        attention: 1,
        overdue: [late('declined', 3), late('check', 1)],
        registrations: inState('refund-failed'),
      }),
      [
        'Payments that need a person, look: There is 1.',
        'Overdue balances, look: There are 4.',
        'Refunds, look: 2 failed at the bank.',
      ],
    ],
    [
      'problems that end by themselves',
      found({ overdue: [late('paying', 1)], registrations: inState('refund-pending') }),
      [],
    ],
    ['memory near its limit', { ...well, memoryShare: 0.85 }, ['The app, look: It uses 85% of its memory.']],
    [
      'an event loop that stood still',
      { ...well, holdUpSeconds: 1.2 },
      ['The app, look: It was held up for 1.2 s.'],
    ],
  ] as const satisfies readonly (readonly [string, Look, readonly string[]])[])
    test(what, () => assert.deepEqual(troubles(look), wanted));

  test('each piece of advice comes with the number of overdue balances that it is about', () => {
    const look = found({ overdue: [late('no-notice', 2), late('check', 1), late('no-consent', 3)] });
    const finding = judge(look, () => 0).find(({ part }) => part === 'Overdue balances');
    assert.deepEqual(
      finding?.advice.map(({ count, means }) => [count, means]),
      [
        [5, 'it is not on record that she agreed, or that a letter told her in time'],
        [1, 'she pays by check, which has not come'],
      ],
    );
    assert.equal(finding?.listed, 'late');
  });

  test('Redis away: what it holds is not known', () => {
    const said = troubles({ ...well, inRedis: undefined });
    assert.equal(said[0], 'Redis, down: It does not answer.');
    assert.equal(
      said.filter((one) => one.endsWith('unknown: It cannot be told while Redis does not answer.')).length,
      4,
    );
    assert.equal(said.length, 5);
  });

  test('failures and refusals within 15 minutes', () => {
    assert.deepEqual(
      troubles(well, { stripeFailed: 2, requestsFailed: 1, signInsRefused: 1, registrationsRefused: 10 }),
      [
        'Stripe, look: It failed 2 calls within 15 minutes.',
        'Requests, look: 1 failed within 15 minutes.',
        'Signing in, look: 1 try refused within 15 minutes, after too many wrong passwords.',
        'Registering too often, look: 10 registrations refused within 15 minutes.',
      ],
    );
    assert.deepEqual(troubles(well, { registrationsRefused: 9 }), []);
  });

  test('a part that is not fine says what it means and what to do, unless its state is unknown', () => {
    const broken = [
      mails({ isPaused: true, jobs: { failed: 1 } }),
      redis({ workers: 0 }),
      redis({ usedShare: 1 }),
      { ...well, isRegisterWritable: false, copiedAt: 'never' as const },
    ];
    for (const look of broken)
      for (const { part, verdict, advice } of judge(look, () => 99))
        if (verdict === 'down' || verdict === 'look') assert.ok(advice.length > 0, part);
  });
});

const documents = await Promise.all(
  ['run-book.md', 'registrants.md'].map((name) =>
    readFile(new URL(`../../ops/${name}`, import.meta.url), 'utf8'),
  ),
);

/** The text of each section on one line, by its heading: links become plain text, table rows `cell: cell`. */
const sections = new Map(
  documents
    .join('\n')
    .split(/^#+ /m)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const text = lines
        .map((line) => line.match(/^\| (.+) \|$/)?.[1]?.replaceAll(' | ', ': ') ?? line)
        .join(' ');
      const words = text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/\s+/g, ' ');
      return [heading, words.replaceAll("'", '’')] as const;
    }),
);

function assertQuoted({ section, means, act }: Advice): void {
  const text = sections.get(section);
  assert.ok(text, `The run-book has no section "${section}"`);
  for (const words of [means, ...act]) assert.ok(text.includes(words), `"${section}" does not say: ${words}`);
}

describe('what the status page says to do', () => {
  for (const [trouble, advice] of Object.entries(runBook))
    test(`is in the run-book: ${trouble}`, () => assertQuoted(advice));

  for (const [reason, advice] of Object.entries(overdueAdvice))
    test(`is in the run-book's row of overdue balances: ${reason}`, () => {
      assertQuoted(advice);
      // A balance that is `too-late` would be due after the retreat: the run-book has it in the row of `over`.
      const named = reason === 'too-late' ? 'over' : reason;
      const { section, means, act } = advice;
      const row = `: ${means}: ${act[0]}`;
      const text = sections.get(section) ?? '';
      const before = text.slice(0, text.indexOf(row));
      assert.match(before, new RegExp(`\`${named}\`(, \`[a-z-]+\`)*$`));
    });
});

const START = Date.parse('2025-12-21T00:00:00Z');
const minute = (count: number): Date => new Date(START + count * 60_000);
const requestsOf = (requests: number): ReadonlyMap<Count, number> => new Map([['requests', requests]]);

describe('the last 24 hours in memory', () => {
  test('adds up counts within a minute and keeps the highest level', () => {
    const history = createHistory();
    history.add(minute(0), requestsOf(2), { memoryBytes: 5 });
    history.add(minute(0.5), requestsOf(3), { memoryBytes: 4 });
    assert.equal(history.minutes('requests', minute(1)).at(-1), 5);
    assert.equal(history.minutes('memoryBytes', minute(1)).at(-1), 5);
    assert.equal(history.minutes('oldestMailSeconds', minute(1)).at(-1), undefined);
  });

  test('the current minute counts in sums, but is not in the list of minutes', () => {
    const history = createHistory();
    history.add(minute(0), requestsOf(2), {});
    history.add(minute(1), requestsOf(3), {});
    assert.deepEqual(history.minutes('requests', minute(1.5)).slice(-2), [undefined, 2]);
    assert.equal(history.sum('requests', 2, minute(1.5)), 5);
    assert.equal(history.sum('requests', 1, minute(1.5)), 3);
  });

  test('after three days it holds the last 1,440 minutes, in as much memory as at first', () => {
    const history = createHistory();
    const { bytes } = history;
    assert.ok(bytes < 100_000, `${bytes} bytes`);
    const last = 3 * 1_440;
    for (let at = 0; at <= last; at++) history.add(minute(at), requestsOf(at), { mailsWaiting: at });
    const kept = Array.from({ length: 1_440 }, (_, index) => last - 1_440 + index);
    assert.deepEqual(history.minutes('requests', minute(last)), kept);
    assert.deepEqual(history.minutes('mailsWaiting', minute(last)), kept);
    assert.equal(history.bytes, bytes);
  });

  test('after a jump of the clock the skipped minutes are empty, and old ones do not come back', () => {
    const history = createHistory();
    history.add(minute(0), requestsOf(1), {});
    history.add(minute(1_441), requestsOf(2), {});
    const minutes = history.minutes('requests', minute(1_442));
    assert.equal(minutes.at(-1), 2);
    assert.deepEqual(new Set(minutes.slice(0, -1)), new Set([undefined]));
    assert.equal(history.sum('requests', 1_440, minute(1_442)), 2);
  });
});
