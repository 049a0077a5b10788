import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type LetterName, lettersNow } from '#server/letters/table.ts';
import { nextInstallment, owedByCheck } from '#server/registration/balance.ts';
import type { TAKEN_BACK } from '#server/registration/received.ts';
import { payBalance } from '#server/stripe/pay.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { toldText } from '#server/support/terminal-text.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { assertSaid } from '#server/testing/test-letters.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import type { Reduction } from '#shared/content/tuition.ts';
import type { ActContext, Asked, RefusalReason, Told } from './act.ts';
import { cancel, disputeOver, refund, refundByCheck, undoCancel } from './cancelling-acts.ts';
import { charge, payByCheck, postpone, type Withdrawable, waive, withdraw } from './decide-registration.ts';
import { resendMail } from './letter-acts.ts';
import { receive, takeBack } from './receive-payment.ts';
import { addressWorks } from './registrant-acts.ts';

type Act = (context: ActContext, id: string, asked: Asked) => Promise<Told>;

interface Runs<Given> {
  run(context: ActContext, id: string, given: Given, asked: Asked): Promise<Told>;
}

const acting =
  <Given>(act: Runs<Given>, given: NoInfer<Given>): Act =>
  (context, id, asked) =>
    act.run(context, id, given, asked);

/** The acts with what is given to them; sums are in cents. */
const acts = {
  cancel: (written: string) => acting(cancel, { written }),
  payByCheck: acting(payByCheck, {}),
  receive: (on: string, dollars = 70_000, number = '') =>
    acting(receive, { way: 'check', dollars, on, number }),
  takeBack: (payment: string, why: keyof typeof TAKEN_BACK = 'bounced') => acting(takeBack, { payment, why }),
  postpone: (day: string) => acting(postpone, { day }),
  refund: (dollars: number, reason = 'illness') => acting(refund, { dollars, reason }),
  sendCheck: (dollars: number, sent: string) => acting(refundByCheck, { dollars, sent }),
  waive: (dollars: number, as: Reduction['as'] = 'reduction') =>
    acting(waive, { dollars, as, reason: 'low income' }),
  withdraw: (decision: Withdrawable) => acting(withdraw, { decision }),
  charge: acting(charge, {}),
  undoCancel: acting(undoCancel, {}),
  disputeOver: acting(disputeOver, {}),
  addressWorks: acting(addressWorks, {}),
  resend:
    (kind: LetterName): Act =>
    (context, id, asked) =>
      resendMail(context, id, kind, asked),
};

/** Before the last day for refunds is over. */
const IN_TIME = new Date('2025-12-20T20:00:00Z');

/** A registration with its deposit paid on December 1, and the acts of Anna for it. */
async function startActs(t: TestContext, { card = 'pm_card_visa', consents = true } = {}) {
  const charges = await startMailing(t);
  const { payments, stripe, sandbox, now, moveTo } = charges;
  const id = await charges.register({ card, consents });
  const act = (one: Act, isTried = false) => one(charges.context, id, { by: 'Anna', 'dry-run': isTried });
  const find = () => charges.find(id);
  return {
    ...charges,
    id,
    find,
    state: () => charges.state(id),
    /** Carries out an act; returns what it says. */
    says: async (one: Act) => toldText(await act(one)),
    /** The letters about payments that are sent now. */
    told: async () =>
      (await charges.at(now())).filter((kind) => /^(?:payment-|balance-paid|tuition-)/.test(kind)),
    /** What an act would say; nothing is changed. */
    async tries(one: Act): Promise<string> {
      const before = await find();
      const text = toldText(await act(one, true));
      assert.deepEqual(await find(), before);
      return text;
    },
    async refuses(one: Act, message: RegExp, reason: RefusalReason = 'wrongState') {
      await assert.rejects(act(one), { message, reason });
    },
    /** She pays the balance on December 10, and ten days pass. */
    async settle(): Promise<void> {
      moveTo(new Date('2025-12-10T17:00:00Z'));
      const { clientSecret } = await payments.ask(payBalance, await find(), 72_625, now());
      const [balance = ''] = clientSecret.split('_secret_');
      await stripe.paymentIntents.confirm(balance, { payment_method: card });
      await charges.sync(id);
      moveTo(IN_TIME);
    },
    async decline(code: string): Promise<void> {
      sandbox.bank.declineNextCharge((await find()).card?.id ?? '', code);
      assert.equal((await charges.charge(id)).type, 'declined');
    },
    /** Makes the refunds that the worker makes now, or after some hours. */
    workOff(hours = 0) {
      if (hours > 0) moveTo(daysAfter(now(), hours / 24));
      return payments.ask(makeDueRefunds, id, now());
    },
    /** The bank does not accept the last refund after all. */
    async failRefund(): Promise<void> {
      const { data } = await stripe.refunds.list();
      sandbox.bank.settleRefund(data[0]?.id ?? '');
      await charges.sync(id);
    },
    /** She disputes a charge; returns how her bank decides. */
    async dispute(of: 'deposit' | 'balance') {
      const record = await find();
      const { depositPayment } = record;
      const payment = (of === 'deposit' ? depositPayment : nextInstallment(record).payment)?.id ?? '';
      const charge = String((await stripe.paymentIntents.retrieve(payment)).latest_charge);
      const dispute = sandbox.bank.openDispute(charge);
      await charges.sync(id);
      return async (outcome: 'won' | 'lost') => {
        sandbox.bank.closeDispute(dispute, outcome);
        await charges.sync(id);
      };
    },
  };
}

describe('what is impossible is refused with the reason', () => {
  test('for somebody who has paid the deposit', async (t) => {
    const { moveTo, refuses, find } = await startActs(t);
    moveTo(new Date('2025-12-10T20:00:00Z'));
    for (const [act, why] of [
      [acts.cancel('2025-12-11'), /She cannot have written in the future/],
      [acts.cancel('2025-11-30'), /She registered later, on Dec 1, 2025/],
      [acts.undoCancel, /^She has not cancelled/],
      [acts.receive('2025-12-11'), /It cannot have come in the future/],
      [acts.takeBack('payment-1'), /No check and no transfer has come/],
      [acts.receive('0025-12-01'), /She registered later, on Dec 1, 2025/],
      [acts.waive(139_501), /No more than the tuition of \$1,395 can be waived/],
      [acts.waive(69_970), /Less than 50 cents would be left/],
      [acts.postpone('2025-12-21'), /The balance is due Dec 21, 2025, 5:00 PM PST: name a later day/],
      [acts.postpone('2025-12-09'), /2025-12-09 is past/],
      [acts.postpone('2026-01-26'), /The retreat is over by then/],
      [acts.withdraw('waived'), /There is no waiver to be withdrawn/],
      [acts.refund(72_101), /No more than \$721 of what her card paid is left/],
      [acts.sendCheck(70_000, '2025-12-10'), /no check is owed to her/],
      [acts.charge, /is registered: a card is charged once the balance is due/],
      [acts.disputeOver, /No dispute holds anything up/],
      [acts.addressWorks, /No message to her present address came back/],
    ] as const)
      await refuses(act, why);
    await refuses(acts.refund(0), /The amount must be more than \$0/, 'wrongUsage');
    await assert.rejects(
      charge.run((await startMailing(t)).context, 'reg_none', {}, { by: 'Anna', 'dry-run': false }),
      { message: 'There is no registration reg_none.', reason: 'noSuchMail' },
    );
    assert.deepEqual((await find()).decisions, { withdrawn: [] });
  });

  test('while a cancellation waits', async (t) => {
    const { says, refuses } = await startActs(t);
    await says(acts.cancel('2025-12-01'));
    for (const [act, why] of [
      [acts.cancel('2025-12-01'), /is cancelling: only who has paid/],
      [acts.waive(20_000), /is cancelling: this is decided after/],
      [acts.receive('2025-12-01'), /is recorded while she has a place/],
      [acts.payByCheck, /is cancelling: this is decided after/],
      [acts.postpone('2026-01-05'), /is cancelling: this is decided after/],
      [acts.refund(500), /not while a cancellation waits to be carried out or undone/],
    ] as const)
      await refuses(act, why);
  });
});

describe('the office charges a balance', () => {
  test('again, before the retry planned after a decline; the worker charges it', async (t) => {
    const { says, tries, refuses, tell, moveTo, decline, charge: tryCard, charged, id } = await startActs(t);
    await tell(id);
    moveTo(DUE);
    await decline('insufficient_funds');
    const charges = /The site charges \$726\.25 to her Visa ending in 4242 now\./;
    assert.match(await tries(acts.charge), charges);
    assert.deepEqual(await tryCard(id), { type: 'stopped', why: 'declined' });
    assert.match(await says(acts.charge), charges);
    assert.deepEqual(await charged(id), [-72_625]);
    assert.deepEqual(await tryCard(id), { type: 'charged', cents: 72_625 });
    await refuses(acts.charge, /while something is left to pay/);
  });

  test('never without her consent, without a notice, or with a card that was permanently declined', async (t) => {
    const unconsenting = await startActs(t, { consents: false });
    const { refuses, says, tell, moveTo, decline, id, find } = await startActs(t);
    await unconsenting.tell(unconsenting.id);
    for (const one of [unconsenting, { moveTo }]) one.moveTo(DUE);
    await unconsenting.refuses(acts.charge, /cannot be charged: it is not on record that she agreed/);
    await refuses(acts.charge, /cannot be charged: she was not told of it three days before/);
    await tell(id);
    await decline('stolen_card');
    await refuses(acts.charge, /Her card was refused for good \(stolen_card\)/);
    assert.equal((await find()).decisions.charge, undefined);
    assert.match(
      await says(acts.postpone('2025-12-31')),
      /^Charged automatically: no: her card was refused \(her bank does not allow it\); she can pay/m,
    );
  });

  test('on another day only if a letter can notify her three days before', async (t) => {
    const { says, refuses, moveTo, state } = await startActs(t);
    moveTo(daysAfter(DUE, -0.5));
    await refuses(
      acts.postpone('2025-12-24'),
      /She is told three days before she is charged: name a day after Dec 25, 2025, 5:00 AM PST/,
    );
    const told = await says(acts.postpone('2025-12-26'));
    assert.match(told, /is due Dec 26, 2025, 5:00 PM PST/);
    assert.match(told, /^Charged automatically: \$726\.25 on Dec 26, .* to her Visa .*, once she was told/m);
    moveTo(daysAfter(DUE, 4.9));
    assert.equal(await state(), 'postponed');
    moveTo(daysAfter(DUE, 5));
    assert.equal(await state(), 'due');
  });

  test('not because a promised check is withdrawn: the act first says what follows', async (t) => {
    const { says, tries, tell, moveTo, charge: tryCard, id } = await startActs(t);
    await tell(id);
    await says(acts.payByCheck);
    moveTo(daysAfter(DUE, 2));
    for (const say of [tries, says]) {
      const told = await say(acts.withdraw('check'));
      assert.match(told, /^The balance of \$726\.25 is due Dec 21, 2025, 5:00 PM PST\.$/m);
      assert.match(told, /^Charged automatically: no: she was not told of it three days before\.$/m);
    }
    assert.deepEqual(await tryCard(id), { type: 'stopped', why: 'no-notice' });
  });

  test('less a waived sum, until the waiver is withdrawn', async (t) => {
    const { says, find, state } = await startActs(t);
    assert.match(
      await says(acts.waive(20_000)),
      /-\$200 +waived\n +\$18\.75 +card fee of 3\.75% on the rest\n +\$518\.75 +in all/,
    );
    assert.match(await says(acts.withdraw('waived')), /^The balance of \$726\.25 is due/m);
    assert.equal((await find()).decisions.waived, undefined);
    await says(acts.waive(70_000));
    assert.equal(await state(), 'settled');
  });

  test('less a scholarship, of which a letter tells; of what she has paid beyond it a check is owed', async (t) => {
    const { says, find, settle, told, workOff, now } = await startActs(t);
    await settle();
    await told();
    assert.match(
      await says(acts.waive(80_000, 'scholarship')),
      /^Nothing is left to pay\.\nShe has paid \$800 more than she owes: give it back to her card/m,
    );
    assert.deepEqual(await told(), ['tuition-reduced']);
    assertSaid(lettersNow('tuition-reduced', await find(), now())[0] ?? assert.fail(), [
      'Nothing is left to pay',
    ]);
    assert.equal(owedByCheck(await find()), 80_000);
    await says(acts.refund(80_000));
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 80_000 });
    assert.equal(owedByCheck(await find()), 0);
    // The deposit of $695 less its part of the scholarship is not refunded.
    assert.match(await says(acts.cancel('2025-12-20')), /Nothing comes back\./);
  });
});

describe('the office records checks and transfers', () => {
  test('of a part: the rest is charged to her card, and the receipt names both', async (t) => {
    const { says, tries, find, tell, moveTo, charge: tryCard, id, state, told } = await startActs(t);
    moveTo(new Date('2025-12-09T20:00:00Z'));
    for (const say of [tries, says])
      assert.match(
        await say(acts.receive('2025-12-08', 20_000, '1042')),
        /^Her check 1042 of \$200 came on Dec 8.*\n +\$700 .*\n +-\$200 +came of it\n +\$500 .*\n\$500 is left by check, or \$518\.75 by card, due Dec 21/m,
      );
    assert.deepEqual(await told(), ['payment-received']);
    await tell(id);
    moveTo(DUE);
    assert.deepEqual(await tryCard(id), { type: 'charged', cents: 51_875 });
    assert.equal(await state(), 'settled');
    const { payment } = nextInstallment(await find());
    assert.deepEqual([payment?.beforeFeeCents, payment?.cents], [50_000, 51_875]);
    assert.deepEqual(await told(), ['balance-paid']);
  });

  test('of two parts: nothing is left; one that bounced is owed again, and charged only after a notice', async (t) => {
    const { says, refuses, tell, moveTo, charge: tryCard, id, state, told } = await startActs(t);
    await tell(id);
    moveTo(new Date('2025-12-12T20:00:00Z'));
    await says(acts.receive('2025-12-10', 30_000));
    assert.match(await says(acts.receive('2025-12-11', 40_000)), /^Nothing is left to pay\.$/m);
    assert.equal(await state(), 'settled');
    assert.match(
      await says(acts.takeBack('payment-2')),
      /^\$400 is left by check, or \$415 by card.*\nCharged automatically: \$415 .*\nA message tells her\.$/m,
    );
    await refuses(acts.takeBack('payment-2'), /She has no payment payment-2/);
    assert.deepEqual(await told(), ['payment-received', 'payment-returned']);
    // A notice of the new sum went out beside it.
    moveTo(DUE);
    assert.deepEqual(await tryCard(id), { type: 'charged', cents: 41_500 });
  });

  test('that bounced after her card paid the rest is asked of her again: a letter tells her, no card is charged', async (t) => {
    const { says, tell, moveTo, charge: tryCard, id, find, now, state, told } = await startActs(t);
    await tell(id);
    moveTo(new Date('2025-12-12T20:00:00Z'));
    await says(acts.receive('2025-12-10', 10_000));
    moveTo(DUE);
    assert.deepEqual(await tryCard(id), { type: 'charged', cents: 62_250 });
    await told();
    assert.match(
      await says(acts.takeBack('payment-1')),
      /^\$100 is left by check, or \$103\.75 by card, due .*\nCharged automatically: no: .*\nA message tells her\.$/m,
    );
    assert.deepEqual(await told(), ['payment-returned']);
    const [letter] = lettersNow('payment-returned', await find(), now());
    assertSaid(letter ?? assert.fail(), ['$700 less $600 that has come', '$100']);
    const needs = async () => needsOf(await find(), now()).map(({ need, cents }) => [need, cents]);
    assert.deepEqual([await state(), await needs()], ['due', [['asked-to-pay', 10_375]]]);
    assert.equal((await tryCard(id)).type, 'stopped');
    assert.match(await says(acts.receive('2025-12-21', 10_000)), /^Nothing is left to pay\.$/m);
    assert.deepEqual([await state(), await needs()], ['settled', []]);
    assert.deepEqual(await told(), ['balance-paid']);
  });

  test('that leave less than a card can pay: nothing is charged, and the office takes it off', async (t) => {
    const { says, tell, moveTo, charge: tryCard, id, state, payments, find, now } = await startActs(t);
    await tell(id);
    moveTo(new Date('2025-12-12T20:00:00Z'));
    assert.match(
      await says(acts.receive('2025-12-11', 69_970)),
      /^\$0\.30 is left by check, due .*\nNo card can pay so little: take it off her tuition\.$/m,
    );
    await assert.rejects(payments.ask(payBalance, await find(), 31, now()));
    moveTo(DUE);
    assert.deepEqual(await tryCard(id), { type: 'stopped', why: 'check' });
    assert.deepEqual(
      needsOf(await find(), now()).map(({ need, cents }) => [need, cents]),
      [['check-overdue', 30]],
    );
    await says(acts.waive(30));
    assert.equal(await state(), 'settled');
  });

  test('beyond what is left: a check to her is owed until it is sent, and is asked of her again once hers bounces; the same check twice is pointed out', async (t) => {
    const { says, find, moveTo, state, told } = await startActs(t);
    moveTo(new Date('2025-12-12T20:00:00Z'));
    assert.match(await says(acts.receive('2025-12-11', 75_000, '7')), /She has paid \$50 more than she owes/);
    assert.equal(owedByCheck(await find()), 5_000);
    assert.match(
      await says(acts.receive('2025-12-11', 75_000, '7')),
      /^Please look: a check 7 of \$750 was recorded before, by Anna.*This is one more\.$/m,
    );
    await says(acts.takeBack('payment-2', 'mistake'));
    await says(acts.sendCheck(5_000, '2025-12-12'));
    assert.equal(owedByCheck(await find()), 0);
    await told();
    assert.match(
      await says(acts.takeBack('payment-1')),
      /^\$750 is left by check, or \$778\.13 by card, due .*\nCharged automatically: no: .*\nA message tells her\.$/m,
    );
    assert.deepEqual(await told(), ['payment-returned']);
    await says(acts.receive('2025-12-12', 75_000, '8'));
    assert.deepEqual([await state(), owedByCheck(await find())], ['settled', 0]);
  });
});

describe('the office records a cancellation', () => {
  test('of a balance paid by check: until the last minute of the last day for refunds a check is owed', async (t) => {
    const { says, tries, refuses, state, moveTo } = await startActs(t);
    moveTo(new Date('2025-12-12T20:00:00Z'));
    await says(acts.receive('2025-12-11'));
    assert.equal(await state(), 'settled');
    moveTo(new Date('2025-12-23T20:00:00Z'));
    assert.match(
      await tries(acts.cancel('2025-12-21T23:59')),
      /\$700 is owed by check, after Dec 24, 2025, 1:00 PM PST: send it then/,
    );
    assert.match(await tries(acts.cancel('2025-12-22')), /Nothing comes back\./);
    const sameDay = /was paid on that day, .*: add the time at which she wrote/;
    await refuses(acts.cancel('2025-12-11'), sameDay, 'wrongUsage');
  });

  test('and undoes it within a day; sums and times are shown first, and letters can be sent again', async (t) => {
    const { says, tries, refuses, settle, workOff, moveTo, now, find } = await startActs(t);
    await settle();
    const told = await says(acts.cancel('2025-12-19'));
    for (const words of [
      /^ +\$700 +balance by card: cancelled in time$/m,
      /^ +\$0 +its card fee of \$26\.25: not refunded$/m,
      /^\$700 goes back to her card automatically, after Dec 21, 2025, 1:00 PM PST\.$/m,
      /^Until Dec 21, 2025, 12:00 PM PST it can be taken back\.$/m,
    ])
      assert.match(told, words);
    for (const say of [tries, says])
      assert.match(await say(acts.undoCancel), /her place is hers again\.\nNothing is left to pay\./);
    assert.equal((await find()).decisions.cancel, undefined);

    await says(acts.cancel('2025-12-19'));
    await says(acts.resend('cancel-received'));
    moveTo(daysAfter(now(), 1));
    await refuses(acts.undoCancel, /It could be taken back until Dec 21, 2025, 12:00 PM PST/);
    assert.deepEqual(await workOff(1), { type: 'given-back', cents: 70_000 });
    await refuses(acts.undoCancel, /It was carried out on Dec 21, 2025/);
    await says(acts.resend('cancelled'));
    await refuses(acts.resend('cancel-undone'), /it no longer applies/, 'noSuchMail');
  });

  test('and undoes it before the balance is paid: it is charged only after another notice', async (t) => {
    const { says, tell, moveTo, now, charge: tryCard, id } = await startActs(t);
    await tell(id, now());
    await says(acts.cancel('2025-12-01'));
    moveTo(daysAfter(now(), 0.9));
    const told = await says(acts.undoCancel);
    assert.match(told, /^The balance of \$726\.25 is to be paid again\.$/m);
    assert.match(told, /^Charged automatically: \$726\.25 on Dec 21, .* to her Visa .*, once she was told/m);
    assert.match(told, /a new message has to reach her first/);
    moveTo(DUE);
    assert.deepEqual(await tryCard(id), { type: 'stopped', why: 'no-notice' });
    await tell(id);
    assert.deepEqual(await tryCard(id), { type: 'charged', cents: 72_625 });
  });
});

describe('the office gives back', () => {
  test('an exception from the balance first, then from the deposit, to the cent and never beyond', async (t) => {
    const { says, tries, refuses, settle, workOff } = await startActs(t);
    await settle();
    const told = await tries(acts.refund(72_626));
    for (const words of [
      /^\$726\.26 goes back to her card as soon as the site gets to it, as an exception\.$/m,
      /^ +\$726\.25 +of the balance, of which \$726\.25 is left$/m,
      /^ +\$0\.01 +of the deposit, of which \$721 is left$/m,
      /^ +\$726\.26 +in all$/m,
      /^What has gone back cannot be taken back\.$/m,
    ])
      assert.match(told, words);
    await refuses(acts.refund(144_726), /No more than \$1,447\.25 of what her card paid is left/);
    await says(acts.refund(72_626));
    await refuses(acts.refund(100), /the refund that was decided before is not carried out yet/);
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 72_626 });
    await refuses(acts.refund(72_100), /No more than \$720\.99/);
    await refuses(acts.withdraw('refund'), /It is carried out: what went back/);
  });

  test('by check exactly the sum that is owed, and a mistaken record can be withdrawn', async (t) => {
    const { says, tries, refuses, moveTo, workOff } = await startActs(t);
    moveTo(new Date('2025-12-12T20:00:00Z'));
    await says(acts.receive('2025-12-11'));
    moveTo(IN_TIME);
    await says(acts.cancel('2025-12-19'));
    assert.deepEqual(await workOff(26), { type: 'given-back', cents: 0 });
    const sent = acts.sendCheck(70_000, '2025-12-21');
    await refuses(acts.sendCheck(70_001, '2025-12-21'), /\$700 is owed to her by check, not \$700\.01/);
    await refuses(acts.sendCheck(70_000, '2025-12-22'), /cannot have been sent in the future/);
    await refuses(acts.sendCheck(70_000, '2025-12-20'), /It was not owed before Dec 21, 2025/);
    await tries(sent);
    await says(sent);
    await refuses(sent, /no check is owed to her/);
    assert.match(await says(acts.withdraw('checkSent')), /^\$700 is owed to her by check\.$/m);
    await says(sent);
  });

  test('with several checks: withdrawing a mistaken second one still counts the first', async (t) => {
    const { says, settle, workOff, failRefund } = await startActs(t, { card: 'pm_card_refundFail' });
    await settle();
    await says(acts.refund(10_000));
    await workOff();
    await failRefund();
    await says(acts.sendCheck(10_000, '2025-12-20'));
    await says(acts.cancel('2025-12-19'));
    await workOff(26);
    await failRefund();
    await says(acts.sendCheck(60_000, '2025-12-21'));
    assert.match(await says(acts.withdraw('checkSent')), /^\$600 is owed to her by check\.$/m);
  });
});

describe('a dispute', () => {
  test('is over only when her bank has decided, also a second one; until then nothing is given back', async (t) => {
    const { says, refuses, settle, dispute, workOff } = await startActs(t);
    await settle();
    const decides = await dispute('deposit');
    await refuses(acts.refund(500), /She disputes a charge: nothing is given back/);
    assert.match(
      await says(acts.cancel('2025-12-19')),
      /none of it happens before it is recorded that the dispute is over/,
    );
    assert.deepEqual(await workOff(26), { type: 'stopped', why: 'disputed' });
    await refuses(acts.disputeOver, /has not decided yet: The deposit: \$721 disputed on .*, needs response/);
    await decides('won');
    const over = await says(acts.disputeOver);
    assert.match(over, /^The deposit: \$721 disputed on Dec 20, 2025, .* as \w+, won \(du_\w+\)\.$/m);
    assert.match(over, /^What was decided to go back goes back as soon as the site gets to it\.$/m);
    await refuses(acts.disputeOver, /No dispute holds anything up/);
    const decidesAgain = await dispute('deposit');
    await refuses(acts.disputeOver, /has not decided yet/);
    await decidesAgain('won');
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
    await says(acts.disputeOver);
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 70_000 });
  });

  test('that she won closes her cancellation: nothing is refunded twice, and she is not asked to pay', async (t) => {
    const office = await startActs(t);
    const { says, refuses, settle, dispute, workOff, state, stripe, at, charge: tryCard, id } = office;
    await settle();
    await says(acts.cancel('2025-12-19'));
    await (await dispute('balance'))('lost');
    await says(acts.disputeOver);
    assert.deepEqual(await workOff(26), { type: 'given-back', cents: 0 });
    assert.deepEqual((await stripe.refunds.list()).data, []);
    assert.equal(await state(), 'nothing-back');
    assert.deepEqual(await at(daysAfter(DUE, 1)), ['cancelled', 'office-paid']);
    assert.deepEqual(await tryCard(id), { type: 'stopped', why: 'not-due' });
    await refuses(acts.refund(72_101), /No more than \$721 of what her card paid is left/);
  });

  test('delays a check for a failed refund; once she has won, no check is owed', async (t) => {
    const { says, refuses, settle, dispute, workOff, failRefund, state } = await startActs(t, {
      card: 'pm_card_refundFail',
    });
    await settle();
    await says(acts.cancel('2025-12-19'));
    await workOff(26);
    await failRefund();
    const decides = await dispute('balance');
    await refuses(acts.sendCheck(70_000, '2025-12-21'), /no check is owed to her/);
    await decides('lost');
    await says(acts.disputeOver);
    assert.equal(await state(), 'refunded');
    await refuses(acts.sendCheck(70_000, '2025-12-21'), /no check is owed to her/);
  });

  test('that she won before the balance was paid: the lost money is named, and that she is not charged', async (t) => {
    const { says, dispute } = await startActs(t);
    await (await dispute('deposit'))('lost');
    const over = await says(acts.disputeOver);
    assert.match(over, /lost: her bank took the money back/);
    assert.match(over, /^Charged automatically: no: her deposit was given back/m);
  });
});
