import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { timelineOf } from '#server/office/timeline.ts';
import { addressDigest } from '#server/registration/seal.ts';
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
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { moneyLines, standingOf } from './summary-words.ts';

const at = new Date('2025-12-22T12:00:00-08:00');
const NOW = new Date('2025-12-29T12:00:00-08:00');
const act = { at, by: 'Anna' };
const paid = balance({ status: 'paid', paidAt: at });
const back = (...changes: Parameters<typeof recordWith>) =>
  moneyLines(recordWith(...changes), NOW)
    .filter(({ cents }) => cents <= 0)
    .map(({ what, how, cents }) => [what, how, cents]);

describe('the money on the page of a registration', () => {
  test('shows what her bank took back in a dispute', () => {
    const lost = { id: 'du_1', charge: 'ch_1', cents: 72_625, at, reason: 'fraudulent', status: 'lost' };
    const record = recordWith({ balances: [paid], disputes: [{ ...lost, of: 'balance', isOver: true }] });
    assert.deepEqual(back({ balances: [paid], disputes: record.disputes }), [
      ['Dispute of the balance', 'taken back by her bank on Dec 22, 2025, 12:00 PM PST', -72_625],
    ]);
    assert.match(standingOf(record, NOW).join(' '), /Her bank took \$726\.25 back in a dispute\./);
  });

  test('says until when her bank takes evidence', () => {
    const dispute = {
      id: 'du_1',
      charge: 'ch_1',
      of: 'deposit',
      cents: 72_100,
      at,
      reason: 'fraudulent',
    } as const;
    const due = (day: number) => new Date(Date.UTC(2026, 0, day, 20));
    const record = recordWith({
      disputed: true,
      disputes: [
        { ...dispute, status: 'won', isOver: true, evidenceDue: due(1) },
        { ...dispute, status: 'needs_response', isOver: false, evidenceDue: due(9) },
        { ...dispute, status: 'needs_response', isOver: false, evidenceDue: due(5) },
      ],
    });
    assert.match(
      standingOf(record, NOW).join(' '),
      /dashboard until Jan 5, 2026, 12:00 PM PST; this page, printed,/,
    );
  });

  test('counts a failed refund as no money that went back', () => {
    const refunds = [refund({ of: 'balance', cents: 70_000, status: 'failed', at })];
    assert.deepEqual(back({ balances: [paid], refunds }), [
      ['Refund of the balance', '$700 was not taken by her bank on Dec 22, 2025, 12:00 PM PST', 0],
      ['Check to her', 'owed, and not sent yet', -70_000],
    ]);
  });

  test('counts each check that was sent', () => {
    const came = new Date('2025-12-23T12:00:00-08:00');
    const checkSent = { ...act, at: NOW, cents: 60_000, sentAt: at };
    assert.deepEqual(back({ balances: [paid], ...withCheck(70_000, came), decisions: { checkSent } }), [
      ['Check to her', 'sent on Dec 22, 2025, 12:00 PM PST', -60_000],
      ['Check to her', 'owed, and not sent yet', -10_000],
    ]);
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
});

test('what went back to her card, and what is still to go by check, after a cancellation', () => {
  const cancel = { ...act, at: BEGUN, writtenAt: BEGUN };
  const record = recordWith({
    ...withCheck(30_000, BEGUN),
    balances: [balance({ cents: 41_500, beforeFeeCents: 40_000, status: 'paid', paidAt: BEGUN })],
    decisions: { cancel },
    cancelled: { at, cents: 40_000, checkCents: 30_000, refund: 'succeeded' },
    refunds: [refund({ cents: 40_000, at, orderedBy: actName('cancel', cancel) })],
  });
  assert.deepEqual(standingOf(record, NOW), [
    'She has cancelled. $400 went back to her card.',
    'A check of $300 is to be sent to her.',
  ]);
});

describe('how the balance stands, on the page of a registration', () => {
  const DUE = new Date('2025-12-21T17:00:00-08:00');
  const minutes = (count: number) => new Date(DUE.getTime() + count * 60_000);
  const noticed = { to: addressDigest('wilma@example.org'), at: BEGUN, dueAt: DUE, cents: 72_625 };
  const agreement = { version: edition.terms.version, digest: '', agreedAt: BEGUN };
  const stands = (changes: Changes, now: Date) =>
    standingOf(recordWith({ agreement, card, notices: [noticed], ...changes }), now).join(' ');

  test('while she pays on her page, it says until when her card is not charged', () => {
    const paying = { payingBegunAt: minutes(-10) };
    for (const minute of [-1, 5])
      assert.match(
        stands(paying, minutes(minute)),
        /automatically, on Dec 21, 2025, 5:20 PM PST, unless she ends paying on her page before\./,
      );
    const longBefore = { payingBegunAt: minutes(-40) };
    assert.match(stands(longBefore, minutes(-20)), /automatically, on Dec 21, 2025, 5:00 PM PST\./);
    assert.match(stands(paying, minutes(21)), /automatically, as soon as the site gets to it\./);
  });

  test('a try without an answer is not called declined', () => {
    assert.match(
      stands({ balances: [balance({ tries: 1 })] }, minutes(1)),
      /Her card is being charged for the balance/,
    );
    const decline = {
      try: 1,
      at: DUE,
      code: 'insufficient_funds',
      card: 'pm_1',
      step: 1,
      next: minutes(60),
    };
    assert.match(
      stands({ balances: [balance({ tries: 1, decline })] }, minutes(1)),
      /Her card was declined for the balance: /,
    );
  });
});

test('the timeline names no sum of what is to come by check: it follows from what else happens', () => {
  const happened = timelineOf(recordWith({ decisions: { check: act } })).map(({ what }) => what);
  assert.ok(happened.includes('Anna: she pays what is left by check or transfer'), happened.join('; '));
});
