import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LedgerLife } from '#server/testing/ledger-life.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import {
  allocate,
  byCardOf,
  inForce,
  isPaidByCard,
  LedgerRefusal,
  owedOf,
  surplusOf,
  withMovedMoney,
} from './registration.ts';

// Sums of this edition, in cents: a deposit of 69,500 + 2,600, a balance of 70,000 + 2,625.
const BALANCE = edition.facts.prices.balanceBeforeFeeCents;
const DUE = new Date(edition.facts.balance.chargeAt);
const LATE = new Date(edition.facts.balance.refundsEndAt);
const IN_TIME = new Date('2025-12-20T18:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const after = (at: Date, days: number) => new Date(at.getTime() + days * DAY_MS);
const DAYS = [DUE, after(DUE, 14), after(DUE, 28)] as const;

const life = () => new LedgerLife();
const paid = () => life().begin().card(1, BALANCE, 2_625, 'pi_1');
const charged = () => life().begin().on(DUE).card(1, BALANCE, 2_625, 'pi_1');
const twoParts = () => life().begin().plan(DAYS[0], DAYS[1]).agreeToPlan();
const [firstPart, secondPart] = [2, 3];

const rows = ({ ledger }: LedgerLife) => inForce(ledger).map(({ cents }) => cents);
const lefts = ({ ledger }: LedgerLife) => [...allocate(ledger).left.values()];
const back = (one: LedgerLife) =>
  one.payouts().map(({ way, payment, cents, feeCents }) => [way, payment, cents, feeCents]);
const sums = ({ ledger }: LedgerLife) => [owedOf(ledger), surplusOf(ledger)];
const refused = (step: () => unknown) => assert.throws(step, LedgerRefusal);

describe('the table of cases of the ledger', () => {
  test('a deposit by card leaves the balance, by card with its fee', () => {
    const one = life().begin();
    assert.deepEqual(
      [rows(one), sums(one)],
      [
        [69_500, 70_000],
        [70_000, 0],
      ],
    );
    assert.deepEqual(byCardOf(one.ledger, 1), { cents: 70_000, feeCents: 2_625 });
  });

  test('a scholarship lowers the last part of a plan first; the fees of the parts add up', () => {
    const one = life()
      .begin()
      .plan(...DAYS);
    const fees = [2, 3, 4].map((number) => byCardOf(one.ledger, number).feeCents);
    assert.equal(
      fees.reduce((sum, fee) => sum + fee, 0),
      2_625,
    );
    one.decide('waived', { cents: 20_000 });
    assert.deepEqual(
      [rows(one), sums(one)],
      [
        [69_500, 23_333, 23_333, 3_334],
        [50_000, 0],
      ],
    );
  });

  test('the second part charged while the first was declined: the first stays open', () => {
    assert.deepEqual(lefts(twoParts().card(secondPart, 35_000, 1_313, 'pi_2')), [0, 35_000, 0]);
  });

  test('a balance postponed moves what is open of it; the deposit and what is paid keep their days', () => {
    const days = (one: LedgerLife) => inForce(one.ledger).map(({ dueAt }) => +dueAt);
    const one = paid().decide('waived', { cents: 30_000 });
    one.decide('refund', { cents: 30_000, reason: 'scholarship' }).payAll().withdraw('waived');
    const [deposit, balance] = days(one);
    const until = after(DUE, 30);
    assert.deepEqual(days(one.decide('postponed', { until })), [deposit, balance, +until]);
  });

  for (const isSent of [false, true])
    test(`a check bounces after the cancellation, its payout ${isSent ? 'sent: it is owed' : 'ordered: it is withdrawn'}`, () => {
      const one = life().begin().check(BALANCE).on(IN_TIME).cancel().orderBack();
      assert.deepEqual(back(one), [['check', null, BALANCE, 0]]);
      if (isSent) one.payAll();
      one.bounce();
      assert.deepEqual([rows(one), sums(one)], [[69_500], [isSent ? BALANCE : 0, 0]]);
      assert.equal(one.payouts('ordered').length, 0);
    });

  test('a scholarship withdrawn after it was paid out is asked, and never charged', () => {
    const one = paid().decide('waived', { cents: 30_000 });
    assert.deepEqual(sums(one), [0, 30_000]);
    one.decide('refund', { cents: 30_000, reason: 'scholarship' }).payAll().withdraw('waived');
    const asked = inForce(one.ledger).map(({ number, cents, agreedIn }) => [
      number,
      cents,
      agreedIn !== null,
    ]);
    assert.deepEqual(asked, [
      [0, 69_500, true],
      [1, 40_000, true],
      [2, 30_000, false],
    ]);
    assert.deepEqual(sums(one), [30_000, 0]);
  });

  for (const [when, at, kept] of [
    ['in time: all of the balance goes back', IN_TIME, 69_500],
    ['too late: nothing goes back', LATE, 139_500],
  ] as const)
    test(`an exception that was ordered before she cancelled is withdrawn after it, ${when}`, () => {
      const one = paid().decide('refund', { cents: 20_000, reason: 'illness' }).on(at).cancel();
      one.withdraw('refund');
      assert.deepEqual(sums(one), [0, 139_500 - kept]);
    });

  test('paid by card and by check: the surplus goes back once', () => {
    const one = paid().check(BALANCE);
    assert.deepEqual(sums(one), [0, BALANCE]);
    one.decide('refund', { cents: BALANCE, reason: 'twice' });
    refused(() => one.decide('checkSent', { cents: BALANCE, sentAt: one.now }));
  });

  test('two parts paid, the second lost in a dispute, cancelled in time: the first goes back', () => {
    const one = twoParts().card(firstPart, 35_000, 1_313, 'pi_1').card(secondPart, 35_000, 1_312, 'pi_2');
    one.dispute('pi_2', -36_312).on(IN_TIME).cancel().orderBack();
    assert.deepEqual([rows(one), back(one)], [[69_500], [['card', 'pi_1', 35_000, 0]]]);
  });

  test('charged by a race after she cancelled: all of it goes back with its fee', () => {
    const one = life().begin().on(IN_TIME).cancel().on(after(IN_TIME, 0.01)).card(1, BALANCE, 2_625, 'pi_1');
    assert.deepEqual(back(one.orderBack()), [['card', 'pi_1', BALANCE, 2_625]]);
  });

  test('charged in time, recorded after she cancelled: the fee stays', () => {
    const one = life().begin().on(after(DUE, 0.05)).cancel().on(after(DUE, 0.1));
    assert.deepEqual(back(one.card(1, BALANCE, 2_625, 'pi_1', DUE).orderBack()), [
      ['card', 'pi_1', BALANCE, 0],
    ]);
  });

  test('a balance by check, cancelled in time: by check, and nothing from the deposit’s card', () => {
    const one = life().begin().check(BALANCE).on(IN_TIME).cancel().orderBack();
    assert.deepEqual(back(one), [['check', null, BALANCE, 0]]);
  });

  test('a scholarship withdrawn while its payout is ordered withdraws the payout', () => {
    const one = paid().decide('waived', { cents: 30_000 }).decide('refund', { cents: 30_000, reason: 'one' });
    one.withdraw('waived');
    assert.deepEqual([sums(one), back(one)], [[0, 0], []]);
  });

  test('handed over, then the new holder cancels: it goes to the first payer’s card', () => {
    const one = paid().act('handed-over').on(IN_TIME).cancel().orderBack();
    assert.deepEqual(
      one.payouts().map(({ payment, payer }) => [payment, payer]),
      [['pi_1', 'reg_1']],
    );
  });
});

describe('R8 what goes back of a cancellation, by the policy', () => {
  const cases: readonly [name: string, make: () => LedgerLife, writtenAt: Date, backCents: number][] = [
    ['deposit only, in time', () => life().begin(), IN_TIME, 0],
    ['deposit only, after the deadline', () => life().begin(), LATE, 0],
    ['balance paid early', paid, IN_TIME, 70_000],
    ['charged, a millisecond before the deadline', charged, new Date(LATE.getTime() - 1), 70_000],
    ['charged, at the deadline', charged, LATE, 0],
    ['balance by check', () => life().begin().check(BALANCE), IN_TIME, 70_000],
    [
      '20,000 waived',
      () => life().begin().decide('waived', { cents: 20_000 }).card(1, 50_000, 1_875, 'pi_1'),
      IN_TIME,
      50_000,
    ],
    ['10,000 refunded by hand before', () => paid().refundByHand('pi_1', 10_000), IN_TIME, 60_000],
  ];
  for (const [name, make, writtenAt, backCents] of cases)
    test(name, () => {
      const one = make().on(writtenAt).cancel().orderBack().payAll();
      const sent = one.payouts('sent').reduce((sum, { cents, feeCents }) => sum + cents + feeCents, 0);
      assert.deepEqual([sent, sums(one)], [backCents, [0, 0]]);
    });

  test('worked off two days later, by the day on which she wrote', () => {
    const one = charged()
      .on(after(LATE, 2))
      .cancel(new Date(LATE.getTime() - 2))
      .orderBack();
    assert.deepEqual(back(one), [['card', 'pi_1', BALANCE, 0]]);
  });

  test('undone within its day: all is asked as before, and nothing goes back', () => {
    const one = twoParts().on(IN_TIME);
    const before = inForce(one.ledger).map(({ number, cents, dueAt, agreedIn }) => [
      number,
      cents,
      +dueAt,
      agreedIn,
    ]);
    one.cancel().withdraw('cancel');
    assert.deepEqual(
      inForce(one.ledger).map(({ number, cents, dueAt, agreedIn }) => [number, cents, +dueAt, agreedIn]),
      before,
    );
    assert.deepEqual([sums(one), one.payouts()], [[70_000, 0], []]);
  });
});

describe('money that Stripe and the office report', () => {
  test('a part of three refunded by hand is not asked again: its own number first', () => {
    const one = life()
      .begin()
      .plan(...DAYS)
      .agreeToPlan()
      .card(2, 23_333, 875, 'pi_1')
      .refundByHand('pi_1', 24_208);
    assert.deepEqual(lefts(one), [0, 0, 23_333, 23_334]);
  });

  test('refunded by hand while our payout is claimed, and ours is refused: nothing is owed, nothing ordered', () => {
    const one = paid().on(IN_TIME).cancel().orderBack();
    const payout = one.payouts()[0]?.id ?? '';
    one.claim(payout).refundByHand('pi_1', BALANCE).fail(payout);
    assert.deepEqual([sums(one), back(one)], [[0, 0], []]);
  });

  test('what Stripe refuses for good leaves by check, and so does a refund that came back', () => {
    for (const isSent of [false, true]) {
      const one = paid().on(IN_TIME).cancel().orderBack();
      const payout = one.payouts()[0]?.id ?? '';
      one.claim(payout);
      if (isSent) one.sent(payout);
      assert.deepEqual(back(one.fail(payout)), [['check', null, BALANCE, 0]]);
    }
  });

  test('a check of ours that was never cashed is owed again', () => {
    const one = life().begin().check(BALANCE).on(IN_TIME).cancel().orderBack();
    one.decide('checkSent', { cents: BALANCE, sentAt: one.now }).withdraw('checkSent');
    assert.deepEqual(back(one), [['check', null, BALANCE, 0]]);
  });

  test('a check of ours for a part leaves the rest ordered', () => {
    const one = life().begin().check(BALANCE).on(IN_TIME).cancel().orderBack();
    one.decide('checkSent', { cents: 30_000, sentAt: one.now });
    assert.deepEqual(
      one.payouts().map(({ state, cents }) => [state, cents]),
      [
        ['sent', 30_000],
        ['ordered', 40_000],
      ],
    );
  });

  test('a dispute, a late cancellation, then she wins: all is kept', () => {
    const one = paid()
      .dispute('pi_1', -72_625)
      .on(LATE)
      .cancel()
      .orderBack()
      .payAll()
      .dispute('pi_1', 72_625);
    assert.deepEqual([rows(one), sums(one)], [[139_500], [0, 0]]);
  });

  test('a dispute lost, then won after all: nothing is owed', () => {
    const one = paid().dispute('pi_0', -72_100);
    assert.deepEqual(sums(one), [69_500, 0]);
    assert.deepEqual(sums(one.dispute('pi_0', 72_100)), [0, 0]);
  });

  test('two checks of two holders go back to each', () => {
    const one = life()
      .begin()
      .check(35_000)
      .act('handed-over')
      .check(35_000)
      .on(IN_TIME)
      .cancel()
      .orderBack();
    const byPayer = one.payouts().map(({ payer, cents }) => [payer.split('-')[0], cents]);
    assert.deepEqual(byPayer.toSorted(), [
      ['handed', 35_000],
      ['reg_1', 35_000],
    ]);
  });

  test('what comes after the cancellation was carried out goes back too, under what brought it', () => {
    const one = life().begin().on(IN_TIME).cancel().check(BALANCE).orderBack().payAll();
    one.on(LATE).check(20_000).orderBack();
    assert.deepEqual(back(one), [
      ['check', null, BALANCE, 0],
      ['check', null, 20_000, 0],
    ]);
  });

  test('what an act frees after the last that came goes back too, under that act', () => {
    const one = life().begin().on(IN_TIME).cancel().check(BALANCE).orderBack().check(50_000);
    one.decide('refund', { cents: 50_000, reason: 'kindness' }).check(20_000).orderBack();
    one.withdraw('refund').orderBack();
    assert.deepEqual(
      one.payouts().map(({ cents }) => cents),
      [BALANCE, 20_000, 50_000],
    );
  });

  test('an exception after she cancelled that is taken back is no relief: then her check bounces', () => {
    const one = life().begin().check(BALANCE).on(LATE).cancel().orderBack();
    one.decide('refund', { cents: 10_000, reason: 'kindness' }).withdraw('refund');
    assert.deepEqual(rows(one), [139_500]);
    assert.deepEqual([rows(one.bounce()), sums(one)], [[69_500], [0, 0]]);
  });

  test('two successes of one part: the second pays the next part, a third goes back with its fee', () => {
    const one = twoParts().card(firstPart, 35_000, 1_313, 'pi_1').card(firstPart, 35_000, 1_313, 'pi_2');
    assert.deepEqual([sums(one), back(one)], [[0, 0], []]);
    assert.deepEqual(back(one.card(firstPart, 35_000, 1_313, 'pi_3')), [['card', 'pi_3', 35_000, 1_313]]);
  });

  test('a number that a card has paid is never charged again, whatever goes back of it', () => {
    const one = paid().dispute('pi_1', -72_625);
    assert.deepEqual([isPaidByCard(one.ledger, 1), sums(one)], [true, [BALANCE, 0]]);
  });
});

describe('an act is refused', () => {
  test('that would replace what a card is being charged for; cancelling and its undo are not', () => {
    const one = life().begin().on(DUE);
    one.trying.push(1);
    refused(() => one.decide('waived', { cents: 100 }));
    refused(() => one.decide('postponed', { until: after(DUE, 7) }));
    assert.deepEqual(rows(one.cancel()), [69_500]);
    assert.deepEqual(rows(one.withdraw('cancel')), [69_500, BALANCE]);
  });

  test('that would leave claimed money above the surplus', () => {
    const one = paid().decide('waived', { cents: 30_000 }).decide('refund', { cents: 30_000, reason: 'one' });
    one.claim(one.payouts()[0]?.id ?? '');
    refused(() => one.withdraw('waived'));
  });

  test('that would leave less than a card can pay; a check may leave it', () => {
    refused(() =>
      life()
        .begin()
        .decide('waived', { cents: BALANCE - 30 }),
    );
    const one = life()
      .begin()
      .check(BALANCE - 30);
    assert.deepEqual(sums(one), [30, 0]);
    assert.deepEqual(sums(one.decide('waived', { cents: 30 })), [0, 0]);
  });

  test('that gives back what she still owes', () => {
    refused(() => life().begin().decide('refund', { cents: 10_000, reason: 'kindness' }));
  });
});

describe('what may be charged', () => {
  const agreed = ({ ledger }: LedgerLife) => inForce(ledger).map(({ agreedIn }) => agreedIn !== null);

  test('only what she agreed to: a plan not before she agrees to it', () => {
    const one = life().begin();
    assert.deepEqual(agreed(one), [true, true]);
    one.plan(DAYS[0], DAYS[1]);
    assert.deepEqual(agreed(one), [false, false, false]);
    assert.deepEqual(agreed(one.agreeToPlan()), [true, true, true]);
  });

  test('a part that is moved to an earlier day, or becomes more, is asked only', () => {
    const one = twoParts();
    const [, first, second] = inForce(one.ledger);
    const parts = [
      { number: 1, cents: first?.cents ?? 0, dueAt: after(DUE, -7) },
      { number: 2, cents: second?.cents ?? 0, dueAt: DAYS[1] },
    ];
    assert.deepEqual(agreed(one.decide('plan', { parts })), [true, false, true]);
  });

  test('whoever gets the place agrees anew', () => {
    const one = life().begin().act('handed-over');
    assert.deepEqual(agreed(one), [false, false]);
    assert.deepEqual(agreed(one.consent()), [true, true]);
  });

  test('a late deposit moves the day, and asks for nothing earlier', () => {
    const one = life().consent().on(after(DUE, -2)).card(0, 69_500, 2_600, 'pi_0');
    assert.deepEqual(inForce(one.ledger)[1]?.dueAt, after(DUE, 5));
  });

  test('a deposit that her bank took and gave back is no late one', () => {
    const one = life().begin().on(after(DUE, -2));
    one.dispute('pi_0', -72_100).dispute('pi_0', 72_100);
    assert.deepEqual(inForce(one.ledger)[1]?.dueAt, DUE);
    assert.deepEqual(agreed(one), [true, true]);
  });

  test('she is charged who registers late and pays at once, though Stripe tells whole seconds only', () => {
    const begunAt = new Date(after(DUE, -2).getTime() + 400);
    const wholeSecond = new Date(begunAt.getTime() - 400);
    const one = new LedgerLife(edition.facts, begunAt).consent().card(0, 69_500, 2_600, 'pi_0', wholeSecond);
    assert.deepEqual(agreed(one), [true, true]);
    one.decide('postponed', { until: after(DUE, 8) }).withdraw('postponed');
    assert.deepEqual(agreed(one), [true, true]);
  });
});

test('a deposit counts as it was announced, whatever the price is by then', () => {
  const { prices } = edition.facts;
  const before = {
    ...edition.facts,
    prices: { ...prices, depositBeforeFeeCents: 50_000, depositCents: 52_100 },
  };
  const { ledger } = new LedgerLife(before);
  const payment = {
    id: 'pi_0',
    number: 0,
    status: 'paid',
    asMade: 1,
    cents: 52_100,
    beforeFeeCents: null,
    charge: 'ch_0',
    paidAt: DUE,
  } as const;
  const context = life().context();
  const { entries } = withMovedMoney(ledger, { payment, refunds: [], moves: [] }, context);
  assert.deepEqual(
    entries.map(({ cents, feeCents }) => [cents, feeCents]),
    [[50_000, 2_100]],
  );
});
