import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEGUN, balance, recordWith, refund, withCheck } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { isPayment, isRepayment } from '#shared/content/tuition.ts';
import { statement } from './registration.ts';

const { depositCents, depositBeforeFeeCents, balanceCents, balanceBeforeFeeCents } = edition.facts.prices;
const DUE = new Date(edition.facts.balance.chargeAt);
const LATER = new Date(DUE.getTime() + 60 * 60 * 1000);
const paid = balance({ status: 'paid', paidAt: DUE });
const act = { at: BEGUN, by: 'Anna' };
const linesOf = (...changes: Parameters<typeof recordWith>) => statement(recordWith(...changes));

test('each payment with its fee and reference, and each refund, in the order of their moments', () => {
  const refunds = [
    refund({ cents: 5_000, at: LATER }),
    refund({ id: 're_2', cents: 5_000, status: 'pending', at: DUE }),
  ];
  const byCard = { status: 'paid', way: 'card', card: undefined, part: undefined } as const;
  const back = { what: 'refund', of: 'balance', way: 'card', cents: -5_000, feeCents: 0 } as const;
  assert.deepEqual(linesOf({ balances: [paid], refunds }), [
    {
      ...byCard,
      what: 'deposit',
      cents: depositCents,
      feeCents: depositCents - depositBeforeFeeCents,
      at: BEGUN,
      reference: 'pi_1',
    },
    {
      ...byCard,
      what: 'balance',
      cents: balanceCents,
      feeCents: balanceCents - balanceBeforeFeeCents,
      at: DUE,
      reference: 'pi_2',
    },
    { ...back, status: 'pending', at: DUE },
    { ...back, status: 'paid', at: LATER },
  ]);
});

test('a check that paid the deposit and a part of the balance, and what is still due', () => {
  const cents = depositBeforeFeeCents + 10_000;
  const held = { ...act, way: 'check', until: DUE, cents: depositBeforeFeeCents } as const;
  const lines = linesOf({
    ...withCheck(cents, LATER),
    depositDueCents: depositBeforeFeeCents,
    depositCents: depositBeforeFeeCents,
    depositPayment: undefined,
    decisions: { held },
  });
  assert.deepEqual(
    lines.map(({ what, cents: ofLine, ...line }) => [what, 'status' in line && line.status, ofLine]),
    [
      ['deposit', 'paid', depositBeforeFeeCents],
      ['balance', 'paid', 10_000],
      ['balance', 'due', 62_250],
    ],
  );
});

test('her payment of a part is named by it, also once all is paid', () => {
  const parts = [30_000, 40_000].map((cents, index) => ({ number: index + 4, cents, dueAt: DUE }));
  const first = balance({
    id: 'pi_4',
    number: 4,
    cents: 31_125,
    beforeFeeCents: 30_000,
    status: 'paid',
    paidAt: DUE,
  });
  const plan = { ...act, parts };
  for (const decisions of [{ plan }, { plan, waived: { ...act, at: DUE, cents: 40_000 } }]) {
    const payments = linesOf({ balances: [first], decisions }).filter(isPayment);
    assert.deepEqual(
      payments.map(({ part }) => part?.position),
      [undefined, 1],
    );
  }
});

test('a refund that her bank did not take gave nothing back; the check that was sent for it did', () => {
  const cancel = { at: DUE, by: 'Anna', writtenAt: DUE };
  const checkSent = { at: LATER, by: 'Anna', cents: balanceBeforeFeeCents, sentAt: LATER };
  const lines = linesOf({
    balances: [paid],
    decisions: { cancel, checkSent },
    cancelled: { at: DUE, cents: balanceBeforeFeeCents, checkCents: 0, refund: 'failed' },
    refunds: [refund({ status: 'failed', at: DUE })],
  });
  assert.deepEqual(
    lines.filter(isRepayment).map(({ what, cents, at }) => [what, cents, at]),
    [['check', -balanceBeforeFeeCents, LATER]],
  );
});
