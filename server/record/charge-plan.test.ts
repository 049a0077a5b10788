import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addressDigest } from '#server/mail/digests.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  card,
  recordWith,
  refund,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { chargeObstacle, chargeStop } from './charge-plan.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { chargeMomentOf } from './registration-state.ts';

/** How early a charge is announced, as the terms say. */
const NOTICE_MS = 3 * 24 * 60 * 60 * 1000;

const { version } = edition.terms;
const agreement = { version, digest: 'a'.repeat(64), agreedAt: BEGUN };
const to = addressDigest('wilma@example.org');

/** An edition of the same retreat whose balance is charged the day after clocks are put forward. */
const spring: Edition = {
  ...edition,
  facts: {
    ...edition.facts,
    id: 'spring-2026',
    endsAt: '2026-04-13T00:00:00-07:00',
    balance: {
      ...edition.facts.balance,
      noticeAt: '2026-02-26T17:00:00-08:00',
      reminderAt: '2026-03-06T17:00:00-08:00',
      chargeAt: '2026-03-09T17:00:00-07:00',
      refundsEndAt: '2026-03-10T00:00:00-07:00',
    },
  },
};

describe('the plan of a charge', () => {
  test('uses the clock of the retreat’s place across a daylight-saving change, even if another edition is on sale', () => {
    const begunAt = new Date('2026-02-01T10:00:00-08:00');
    const dueAt = new Date('2026-03-10T00:00:00Z');
    const changes = {
      edition: spring,
      begunAt,
      paidAt: begunAt,
      agreement,
      card: { ...card, since: begunAt },
    };
    const untold = recordWith(changes);
    const at = new Date(dueAt.getTime() - NOTICE_MS);
    const told = recordWith({ ...changes, noticed: { at, dueAt, cents: 72_625, to } });
    assert.deepEqual(chargeMomentOf(told), dueAt);
    assert.equal(chargeStop(told, new Date(dueAt.getTime() - 1)), 'not-due');
    assert.equal(chargeStop(told, dueAt), undefined);
    assert.equal(chargeStop(untold, dueAt), 'no-notice');
    // By local time that is three days before, but one hour too short.
    const anHourLate = { at: new Date(at.getTime() + 60 * 60 * 1000), dueAt, cents: 72_625, to };
    assert.equal(chargeStop(recordWith({ ...changes, noticed: anHourLate }), dueAt), 'no-notice');
  });

  test('never charges without consent and notice, before the due moment, after the retreat, or a sum that is not owed', () => {
    const facts = { agreement, card };
    let due = 0;
    fc.assert(
      fc.property(anyRecord, anyMoment, fc.boolean(), fc.boolean(), (any, now, isTold, isUsual) => {
        const { cancelled: _cancelled, ...others } = any;
        const { cancel: _cancel, check: _check, ...decided } = any.decisions;
        const usual = { deposit: 'paid', disputed: false, decisions: decided } as const;
        const record: RegistrationRecord = isUsual ? { ...others, ...usual } : any;
        const dueAt = chargeMomentOf(record);
        const noticed = { at: new Date(dueAt.getTime() - NOTICE_MS), dueAt, cents: 72_625, to };
        const whole = { ...record, ...facts, ...(isTold && { noticed }) };
        if (chargeStop(whole, now) !== undefined) return;
        due += 1;
        const { decisions } = whole;
        assert.ok(isTold || (whole.noticed && whole.noticed.at.getTime() <= dueAt.getTime() - NOTICE_MS));
        assert.ok(now >= dueAt && now < new Date(edition.facts.endsAt));
        assert.deepEqual([whole.deposit, whole.disputed], ['paid', false]);
        assert.deepEqual(
          [whole.cancelled, decisions.cancel, decisions.check],
          [undefined, undefined, undefined],
        );
        assert.notEqual(whole.balance?.status, 'paid');
        assert.ok((decisions.waived?.cents ?? 0) < 70_000);
        const { agreement: _, ...withoutConsent } = whole;
        assert.equal(chargeStop(withoutConsent, now), 'no-consent');
      }),
      { numRuns: 3_000 },
    );
    assert.ok(due > 50, `only ${due} were due`);
  });

  test('names each obstacle to a charge', () => {
    const dueAt = new Date(edition.facts.balance.chargeAt);
    const noticed = { at: new Date(dueAt.getTime() - NOTICE_MS), dueAt, cents: 72_625, to };
    const usual = { agreement, card, noticed };
    const act = { at: BEGUN, by: 'Anna' };
    const late = new Date('2026-01-20T10:00:00-08:00');
    for (const [expected, changes, now] of [
      [undefined, {}, dueAt],
      [undefined, { balance: balance({}) }, dueAt],
      ['over', {}, new Date(edition.facts.endsAt)],
      ['disputed', { disputed: true }, dueAt],
      ['deposit-refunded', { refunds: [refund({ of: 'deposit', cents: 72_100 })] }, dueAt],
      [undefined, { refunds: [refund({ of: 'deposit', cents: 10_000 })] }, dueAt],
      ['check', { decisions: { check: { ...act, cents: 70_000 } } }, dueAt],
      ['too-late', { begunAt: late, paidAt: late }, daysAfter(late, 1)],
      ['no-notice', { noticed: { ...noticed, cents: 72_624 } }, dueAt],
      ['no-notice', { noticed: { ...noticed, to: 'other' } }, dueAt],
      // There is still time to notify her.
      [undefined, { noticed: { ...noticed, to: 'other' } }, daysAfter(dueAt, -3.1)],
    ] as const) {
      assert.equal(chargeObstacle(recordWith({ ...usual, ...changes }), now), expected);
    }
    assert.equal(chargeObstacle(recordWith({ card, noticed }), dueAt), 'no-consent');
    // The obstacle is the same before the notice would have gone out and when it is too late for it.
    for (const days of [-30, -1, 1])
      assert.equal(chargeObstacle(recordWith({ agreement }), daysAfter(dueAt, days)), 'no-card');
  });
});
