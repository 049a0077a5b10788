import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextInstallment, reasonOfDecline } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { payOnPage, payWith } from '#server/testing/test-cards.ts';
import {
  alwaysHeld,
  DUE,
  daysAfter,
  findAllDue,
  paymentIn,
  recordReceived,
  startCharges,
  startDue,
  takeBackReceived,
} from '#server/testing/test-charges.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { recordEarlierTerms } from '#server/testing/test-editions.ts';
import { contactStep, laterKindsDue } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import type { Terms } from '#shared/content/edition.ts';
import { fitPayments, openBalance } from './balance.ts';
import { createDeposit } from './deposit.ts';

const BALANCE = 72_625;
const stopped = (why: string) => ({ type: 'stopped', why });
const paid = (cents: number) => ({ type: 'charged', cents });

describe('a balance is charged', () => {
  test('at its moment, and not a second before: exactly what is left, and once', async (t) => {
    const { charge, charged, state, moveTo, register, tell, balances, find } = await startCharges(t);
    const id = await register();
    await tell(id);
    moveTo(new Date(DUE.getTime() - 1_000));
    assert.deepEqual(await charge(id), stopped('not-due'));
    moveTo(DUE);
    assert.deepEqual(await charge(id), paid(BALANCE));
    assert.deepEqual([await charged(id), await state(id)], [[BALANCE], 'settled']);
    assert.deepEqual([nextInstallment(await find(id)).tries, (await balances(id)).length], [1, 1]);
    assert.deepEqual(await charge(id), stopped('not-due'));
    assert.deepEqual(await charged(id), [BALANCE]);
  });
});

test('a decline of her own attempt is not taken for the result of a try that Stripe did not make', async (t) => {
  let failing = 0;
  const { charge, charged, payments, sandbox, find, now, moveTo, id } = await startDue(t, {
    intercept({ path }) {
      if (!path.endsWith('/confirm') || failing === 0) return undefined;
      failing -= 1;
      return { kind: 'answer-500', carryOut: false };
    },
  });
  const { card } = await find(id);
  assert.ok(card);
  sandbox.bank.declineNextCharge(card.id, 'stolen_card');
  const paying = await payOnPage({ payments }, await find(id), now());
  assert.deepEqual(paying, { outcome: 'declined', reason: 'card-blocked' });
  moveTo(daysAfter(DUE, 1 / 24));
  failing = 1;
  assert.deepEqual(await charge(id), paid(BALANCE));
  assert.deepEqual(
    [failing, await charged(id), nextInstallment(await find(id)).tries],
    [0, [BALANCE, -BALANCE], 1],
  );
});

describe('nothing is charged', () => {
  test('seven days after the deposit under terms of an earlier version, unless they say the same about it as the current ones', async (t) => {
    t.after(recordEarlierTerms());
    const { charge, register, tell, moveTo, database, charged } = await startCharges(t);
    const paidAt = new Date('2025-12-29T12:00:00-08:00');
    moveTo(paidAt);
    const idOf = async ({ version, digest }: Terms) => {
      const id = await register({ email: `${version}@example.org`, consents: false });
      await recordAct(database, id, 'consent', { at: paidAt, version, digest });
      await tell(id);
      return id;
    };
    const ids = await Promise.all(edition.agreed.map(idOf));
    moveTo(daysAfter(paidAt, 8));
    for (const id of ids) await charge(id);
    const sums = await Promise.all(ids.map(charged));
    assert.deepEqual(sums, [[], [72_625]]);
  });

  test('to a card that was detached from her at Stripe: that counts as a permanent decline', async (t) => {
    const { charge, stripe, find, state, id } = await startDue(t);
    const { card } = await find(id);
    await stripe.paymentMethods.detach(card?.id ?? '');
    assert.equal((await charge(id)).type, 'declined');
    assert.equal(await state(id), 'action-needed');
    assert.deepEqual(await charge(id), stopped('no-card'));
  });
});

describe('every answer of Stripe to a try has a name:', () => {
  test('a payment that her bank has yet to answer is processing, and is paid or declined by that answer', async (t) => {
    for (const [code, expected] of [
      [undefined, stopped('not-due')],
      ['insufficient_funds', 'declined'],
    ] as const) {
      const { charge, charged, find, sandbox, balances, id } = await startDue(t);
      sandbox.bank.delayNextCharge((await find(id)).card?.id ?? '');
      assert.deepEqual(await charge(id), stopped('processing'));
      assert.deepEqual(await charge(id), stopped('processing'));
      sandbox.bank.settlePayment((await balances(id))[0]?.id ?? '', code);
      await find(id);
      const outcome = await charge(id);
      if (outcome.type === 'declined') assert.deepEqual([outcome.decline.code, expected], [code, 'declined']);
      else assert.deepEqual(outcome, expected);
      assert.equal((await charged(id)).length, 1);
    }
  });

  test('a payment that Stripe cancels after a decline is declined, and the next try makes another one', async (t) => {
    const due = await startDue(t);
    const { charge, charged, find, sandbox, balances, now, moveTo, id } = due;
    const { id: open } = await openBalance(due, await find(id), now());
    sandbox.bank.endAttempts(open);
    sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', 'insufficient_funds');
    assert.equal((await charge(id)).type, 'declined');
    moveTo(daysAfter(now(), 1));
    assert.deepEqual(await charge(id), paid(BALANCE));
    assert.deepEqual([await charged(id), (await balances(id)).length], [[BALANCE, -BALANCE], 2]);
  });

  test('a payment that was cancelled at Stripe while its answer was lost is cancelled', async (t) => {
    let lost = false;
    const due = await startDue(t, {
      intercept: ({ path }) =>
        path.endsWith('/confirm') && lost ? { kind: 'answer-500', carryOut: false } : undefined,
    });
    lost = true;
    const { charge, find, stripe, now, id } = due;
    const { id: open } = await openBalance(due, await find(id), now());
    await assert.rejects(charge(id), { code: 'payment_provider_error' });
    lost = false;
    await stripe.paymentIntents.cancel(open);
    assert.deepEqual(await charge(id), stopped('cancelled'));
    assert.deepEqual(await charge(id), paid(BALANCE));
  });

  test('one that Stripe fails to carry out for a day is not tried for now, and its payment is paid later', async (t) => {
    let fails = false;
    const due = await startDue(t, {
      intercept: ({ path }) =>
        path.endsWith('/confirm') && fails ? { kind: 'answer-500', carryOut: false } : undefined,
    });
    const { charge, charged, moveTo, now, id } = due;
    fails = true;
    await assert.rejects(charge(id), { code: 'payment_provider_error' });
    // The clock runs: a day after the try, not after its due moment.
    moveTo(daysAfter(now(), 1));
    const outcome = await charge(id);
    assert.ok(outcome.type === 'declined');
    assert.deepEqual(reasonOfDecline(outcome.decline.code), 'not-tried');
    fails = false;
    moveTo(daysAfter(now(), 1));
    assert.deepEqual([await charge(id), await charged(id)], [paid(BALANCE), [BALANCE]]);
  });

  test('a customer who was deleted has no card; she is asked, and gets a new customer when she pays or gives a card', async (t) => {
    for (const isOpened of [false, true]) {
      const due = await startDue(t);
      const { charge, charged, sandbox, find, state, now, id } = due;
      if (isOpened) await openBalance(due, await find(id), now());
      const { customerId = '' } = await find(id);
      sandbox.bank.deleteCustomer(customerId);
      assert.equal((await charge(id)).type, 'declined');
      assert.deepEqual([await state(id), (await find(id)).card], ['action-needed', undefined]);
      assert.deepEqual(laterKindsDue(await find(id), now()), ['please-pay']);
      assert.equal((await payWith(due, await find(id), now(), 'pm_card_visa')).outcome, 'paid');
      assert.deepEqual([await state(id), await charged(id)], ['settled', [BALANCE]]);
      assert.notEqual((await find(id)).customerId, customerId);
    }
  });
});

// https://docs.stripe.com/get-started/account/statement-descriptors
test('deposit and balance end their name on statements as the edition says', async (t) => {
  const due = await startDue(t);
  const { payments, stripe, database, now, find, id } = due;
  const facts = { ...edition.facts, statementSuffix: 'MAY RETREAT' };
  const { package: _, ...contact } = contactStep;
  const details = { contact, facts, timeZone: '', admitLetter: async () => true };
  const key = { value: 'a key of a browser' };
  const { clientSecret } = await payments.ask(createDeposit, details, key, alwaysHeld(database, now));
  const record = await find(id);
  const balance = await openBalance(due, { ...record, edition: { ...record.edition, facts } }, now());
  for (const payment of [paymentIn(clientSecret), balance.id]) {
    const { statement_descriptor_suffix: suffix } = await stripe.paymentIntents.retrieve(payment);
    assert.equal(suffix, 'MAY RETREAT');
  }
});

describe('an open payment of a balance', () => {
  test('is cancelled when a check comes, and a new one is made if she owes the balance again', async (t) => {
    const due = await startDue(t);
    const { charge, charged, payments, stripe, find, now, balances, tell, moveTo, id } = due;
    const first = await openBalance(due, await find(id), now());
    const check = { at: now(), by: 'Anna', way: 'check', cents: 70_000, on: now() } as const;
    await payments.ask(recordReceived, await find(id), check);
    assert.equal((await stripe.paymentIntents.retrieve(first.id)).status, 'canceled');
    const { received } = await find(id);
    const [payment] = received.counting;
    assert.ok(payment);
    await payments.ask(takeBackReceived, await find(id), payment, { at: now(), by: 'Britt', why: 'bounced' });
    assert.deepEqual(await charge(id), stopped('no-notice'));
    const until = daysAfter(DUE, 5);
    await payments.ask(decide, await find(id), 'postponed', { at: now(), by: 'Anna', until });
    await tell(id);
    moveTo(until);
    assert.deepEqual(await charge(id), paid(BALANCE));
    assert.deepEqual([await charged(id), (await balances(id)).length], [[BALANCE], 2]);
  });

  test('that Stripe could not cancel is an error, and the worker cancels it', async (t) => {
    let broken = false;
    const due = await startDue(t, {
      intercept: ({ path }) => (broken && path.endsWith('/cancel') ? { kind: 'rate-limit' } : undefined),
    });
    const { payments, stripe, find, now, id } = due;
    const { id: open } = await openBalance(due, await find(id), now());
    broken = true;
    const cancel = payments.ask(decide, await find(id), 'cancel', {
      at: now(),
      by: 'Anna',
      writtenAt: now(),
    });
    await assert.rejects(cancel, { code: 'decided_not_fitted' });
    assert.ok((await find(id)).decisions.cancel);
    broken = false;
    const [undone] = await findAllDue(due, now());
    assert.ok(undone?.deeds.includes('fit-balance'));
    assert.equal(await payments.ask(fitPayments, id, now()), true);
    assert.equal((await stripe.paymentIntents.retrieve(open)).status, 'canceled');
    assert.equal(await payments.ask(fitPayments, id, now()), false);
  });
});
