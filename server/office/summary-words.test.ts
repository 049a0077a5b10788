import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressDigest } from '#server/registration/registration.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  type Changes,
  card,
  recordWith,
  refund,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { listedOf } from '#server/worker/registration-index.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { moneyLines, standingOf } from './summary-words.ts';

const at = new Date('2025-12-22T12:00:00-08:00');
const NOW = new Date('2025-12-29T12:00:00-08:00');
const DUE = new Date('2025-12-21T17:00:00-08:00');
const minutes = (count: number) => new Date(DUE.getTime() + count * 60_000);
const act = { at, by: 'Anna' };
const paid = balance({ status: 'paid', paidAt: at });
const checkSent = { ...act, at: NOW, cents: 60_000, sentAt: at };
const cancel = { ...act, at: BEGUN, writtenAt: BEGUN };
const dispute = {
  id: 'du_1',
  charge: 'ch_1',
  of: 'balance',
  cents: 72_625,
  at,
  reason: 'fraudulent',
} as const;
const evidenceDue = (day: number) => new Date(Date.UTC(2026, 0, day, 20));
const open = { ...dispute, status: 'needs_response', isOver: false };

/** What did not stay with the retreat. */
const backLines: readonly [name: string, Changes, ...lines: [what: string, how: string, cents: number][]][] =
  [
    [
      'what her bank took back in a dispute',
      { balances: [paid], disputes: [{ ...dispute, status: 'lost', isOver: true }] },
      ['Dispute of the balance', 'taken back by her bank on Dec 22, 2025, 12:00 PM PST', -72_625],
    ],
    [
      'a failed refund, which is no money that went back',
      { balances: [paid], refunds: [refund({ of: 'balance', cents: 70_000, status: 'failed', at })] },
      ['Refund of the balance', '$700 was not taken by her bank on Dec 22, 2025, 12:00 PM PST', 0],
      ['Check to her', 'owed, and not sent yet', -70_000],
    ],
    [
      'each check that was sent',
      {
        balances: [paid],
        ...withCheck(70_000, new Date('2025-12-23T12:00:00-08:00')),
        decisions: { checkSent },
      },
      ['Check to her', 'sent on Dec 22, 2025, 12:00 PM PST', -60_000],
      ['Check to her', 'owed, and not sent yet', -10_000],
    ],
  ];

for (const [name, changes, ...lines] of backLines)
  test(`the money of a registration shows ${name}`, () => {
    const back = moneyLines(recordWith(changes), NOW).filter(({ cents }) => cents <= 0);
    assert.deepEqual(
      back.map(({ what, how, cents }) => [what, how, cents]),
      lines,
    );
  });

test('shows the same sum of what went back as the list', () =>
  fc.assert(
    fc.property(anyRecord, anyMoment, (record, now) => {
      const lines = moneyLines(record, now).filter(
        ({ cents, how }) => cents < 0 && !/not (sent|carried)/.test(how),
      );
      const told = lines.reduce((sum, { cents }) => sum - cents, 0);
      assert.equal(told, listedOf(record, now).backCents);
    }),
  ));

const noticed = { to: addressDigest('wilma@example.org'), at: BEGUN, dueAt: DUE, cents: 72_625 };
const agreement = { version: edition.terms.version, digest: '', agreedAt: BEGUN };
const decline = { try: 1, at: DUE, code: 'insufficient_funds', card: 'pm_1', step: 1, next: minutes(60) };
const atStripeUntil = (until: Date) => ({ atStripe: { id: 'pi_1', until } });

type Standing = readonly [name: string, Changes, Date, RegExp];
const standings: readonly Standing[] = [
  [
    'until when her bank takes evidence',
    {
      disputed: true,
      disputes: [
        { ...dispute, status: 'won', isOver: true, evidenceDue: evidenceDue(1) },
        { ...open, evidenceDue: evidenceDue(9) },
        { ...open, evidenceDue: evidenceDue(5) },
      ],
    },
    NOW,
    /dashboard until Jan 5, 2026, 12:00 PM PST; this page, printed,/,
  ],
  [
    'what is still to go by check after a cancellation',
    {
      ...withCheck(30_000, BEGUN),
      balances: [balance({ cents: 41_500, beforeFeeCents: 40_000, status: 'paid', paidAt: BEGUN })],
      decisions: { cancel },
      cancelled: { at, cents: 40_000, checkCents: 30_000, refund: 'succeeded' },
      refunds: [refund({ cents: 40_000, at, orderedBy: actName('cancel', cancel) })],
    },
    NOW,
    /^She has cancelled: nothing more is charged\. A check of \$300 is to be sent to her\.$/,
  ],
  [
    'that a cancellation was not carried out in time',
    { decisions: { cancel } },
    NOW,
    /Nothing goes back: it was to be carried out after Dec 2, 2025, .*, and is not yet\./,
  ],
  ...[-1, 5].map(
    (minute): Standing => [
      `until when her card is not charged while she pays on her page, minute ${minute}`,
      atStripeUntil(minutes(20)),
      minutes(minute),
      /automatically, on Dec 21, 2025, 5:20 PM PST, unless she ends paying on her page before\./,
    ],
  ),
  [
    'that the day of the charge holds where she began to pay long before it',
    atStripeUntil(minutes(-10)),
    minutes(-20),
    /automatically, on Dec 21, 2025, 5:00 PM PST\./,
  ],
  [
    'that she is charged soon after she has left the payment',
    atStripeUntil(minutes(20)),
    minutes(21),
    /automatically, as soon as the site gets to it\./,
  ],
  [
    'no decline of a try without an answer',
    { balances: [balance({ tries: 1 })] },
    minutes(1),
    /Her card is being charged for the balance/,
  ],
  [
    'the decline of a try',
    { balances: [balance({ tries: 1, decline })] },
    minutes(1),
    /Her card was declined for the balance: /,
  ],
];

for (const [name, changes, now, says] of standings)
  test(`what comes next tells ${name}`, () => {
    const record = recordWith({ agreement, card, notices: [noticed], ...changes });
    assert.match(standingOf(record, now).join(' '), says);
  });
