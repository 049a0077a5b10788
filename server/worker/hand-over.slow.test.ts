import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import { act } from '#server/office/terminal/act-command.ts';
import { HERSELF, nextInstallment, stateOf } from '#server/registration/registration.ts';
import { openCheckout, openTakersCheckout, readSession, takeSession } from '#server/stripe/checkout.ts';
import { decide } from '#server/stripe/decide.ts';
import { acceptHandOver } from '#server/stripe/hand-over.ts';
import { giveCard, openCardPage, WAYS } from '#server/testing/test-cards.ts';
import { DUE, daysAfter, killedAt } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const MARY = {
  firstName: 'Mary',
  lastName: 'Hart',
  email: 'mary@example.org',
  phoneNumber: '+1 (555) 555-0177',
};
const { balanceCents } = edition.facts.prices;
const EARLY = new Date('2025-12-04T20:00:00Z');
const NOTICE = new Date(edition.facts.balance.noticeAt);

/** Wilma's registration, the worker, and the steps by which her place is handed over. */
async function startHandOver(t: TestContext, options: SandboxOptions = {}) {
  const site = await startMailing(t, options);
  const { register, find, payments, stripe, now, context, moveTo } = site;
  const id = await register();
  moveTo(EARLY);
  const offer = async (to = MARY) => {
    const fields = Object.entries(to).map((field) => field.join('='));
    await act(context, id, { kind: 'hand-over', fields, by: 'Anna', isTried: false });
    const of = (await find(id)).decisions.handOver?.at ?? assert.fail();
    await payments.ask(decide, await find(id), 'handOverAgreed', { at: now(), by: HERSELF, of });
    return of;
  };
  /** Without a card, it is only begun. */
  const storeCard = async (card?: string) => {
    const session = await payments.ask(openTakersCheckout, await find(id), WAYS, now());
    if (card) site.sandbox.bank.enterCard(session, card);
    return session;
  };
  const { version, digest } = edition.terms;
  const shown = { version, digest, timeZone: 'Europe/Berlin' };
  const accept = (decidedAt: Date, session?: string, cents = balanceCents) =>
    payments.ask(acceptHandOver, id, { ...shown, decidedAt, cents, session }, now());
  /** The same in a process that is killed at its n-th request. */
  const acceptAndBeKilled = async (decidedAt: Date, session: string, step: number, isSent: boolean) => {
    const killed = { ...site, stripe: killedAt(step, isSent, site.sandbox) };
    const accepted = { ...shown, decidedAt, cents: balanceCents, session };
    await assert.rejects(acceptHandOver(killed, id, accepted, now()), { type: 'StripeConnectionError' });
  };
  /** Who has the place begins to give another card. */
  const beginCard = async () => openCardPage(site, await find(id), now());
  return {
    ...site,
    id,
    offer,
    storeCard,
    accept,
    acceptAndBeKilled,
    beginCard,
    async give(card = 'pm_card_mastercard', to = MARY) {
      const of = await offer(to);
      await accept(of, await storeCard(card));
    },
    cards: async () => {
      const { customerId = '' } = await find(id);
      const { data } = await stripe.customers.listPaymentMethods(customerId);
      return data.map(({ card }) => card?.brand);
    },
  };
}

describe('a place that was handed over', () => {
  test('R8 its balance is charged to the new card only, and only after a notice to her', async (t) => {
    const { give, work, at, find, id, charged, cards, stripe, now } = await startHandOver(t);
    assert.ok((await at(NOTICE)).includes('balance-notice'));
    await give();
    assert.equal(stateOf(await find(id), now()), 'registered');
    assert.deepEqual((await at(daysAfter(NOTICE, 0.1))).toSorted(), [
      'balance-notice',
      'handed-away',
      'handed-over',
    ]);
    assert.deepEqual(await cards(), ['mastercard']);
    const { customerId = '' } = await find(id);
    const customer = await stripe.customers.retrieve(customerId);
    assert.ok(!customer.deleted);
    assert.deepEqual([customer.name, customer.email], ['Mary Hart', 'mary@example.org']);
    await at(DUE);
    assert.deepEqual(await charged(id), [balanceCents]);
    const { payment } = nextInstallment(await find(id));
    assert.equal(payment?.paidWith?.brand, 'mastercard');
    await work();
    assert.deepEqual(await charged(id), [balanceCents]);
  });

  test('R8 accepted while its balance is charged: one of the two happens, and never another card', async (t) => {
    let before: (() => Promise<unknown>) | undefined;
    const site = await startHandOver(t, {
      async intercept({ method, path }) {
        if (!before || method !== 'POST' || !path.endsWith('/confirm') || path.includes('setup'))
          return undefined;
        const act = before;
        before = undefined;
        await act();
        return undefined;
      },
    });
    const { at, offer, accept, charge, charged, find, id, moveTo } = site;
    await at(NOTICE);
    moveTo(daysAfter(DUE, -1));
    const of = await offer();
    moveTo(DUE);
    let refused: unknown;
    before = () =>
      accept(of).catch((error: unknown) => {
        refused = error;
      });
    assert.equal((await charge(id)).type, 'charged');
    assert.match(String(refused), /being paid at this very moment/);
    assert.deepEqual(await charged(id), [balanceCents]);
    assert.equal(nextInstallment(await find(id)).payment?.paidWith?.brand, 'visa');
    await assert.rejects(accept(of), { code: 'changed' });
    await accept(of, undefined, 0);
    assert.ok(!(await at(DUE)).includes('balance-paid'));
    assert.deepEqual([(await charge(id)).type, await charged(id)], ['stopped', [balanceCents]]);
  });

  test('a card that who had it before began to give is not hers, nor is what she decides at that moment', async (t) => {
    const handOver = await startHandOver(t);
    const { payments, find, id, now, sandbox, give, beginCard } = handOver;
    const setup = await beginCard();
    sandbox.bank.enterCard(setup, 'pm_card_amex');
    const before = await find(id);
    const late = await payments.ask(openCheckout, { ...before, atStripe: undefined }, WAYS, now());
    await give();
    const cancel = { at: now(), by: HERSELF, writtenAt: now() };
    await assert.rejects(payments.ask(decide, before, 'cancel', cancel), { code: 'decided_meanwhile' });
    assert.throws(() => sandbox.bank.enterCard(late, 'pm_card_amex'), /is expired/);
    const session = await payments.ask(readSession, setup);
    assert.ok(session && (await payments.ask(takeSession, session)) === undefined);
    assert.equal((await find(id)).card?.brand, 'mastercard');
    assert.equal((await giveCard(handOver, await find(id), now(), 'pm_card_amex')).card?.brand, 'amex');
  });

  test('a person has one place: who has one cannot get another', async (t) => {
    const { register, offer, accept, storeCard, find, id, cards } = await startHandOver(t);
    const of = await offer();
    await find(await register({ ...MARY }));
    await assert.rejects(accept(of, await storeCard('pm_card_mastercard')), { code: 'hand_over_has_place' });
    assert.equal((await find(id)).handedOver, undefined);
    assert.deepEqual(await cards(), ['visa']);
  });
});

describe('the card of somebody who is to take a place', () => {
  test('is hers by the next worker, at whatever request the first process was killed; what she gives meanwhile stays', async (t) => {
    // The first two read what she has stored.
    for (const isSent of [true, false])
      for (let step = 3; step <= 9; step += 1) {
        const { offer, storeCard, acceptAndBeKilled, beginCard, work, cards, find, id, stripe, sandbox } =
          await startHandOver(t);
        const open = await beginCard();
        const of = await offer();
        await acceptAndBeKilled(of, await storeCard('pm_card_mastercard'), step, isSent);
        if (step % 2 === 0) sandbox.bank.enterCard(await beginCard(), 'pm_card_discover');
        await work();
        const { card } = await find(id);
        assert.equal(card?.brand, step % 2 === 0 ? 'discover' : 'mastercard');
        const held = await cards();
        assert.ok(held.includes(card.brand) && !held.includes('visa'), held.join());
        assert.throws(() => sandbox.bank.enterCard(open, 'pm_card_amex'), /is expired/);
        const { customerId = '' } = await find(id);
        const customer = await stripe.customers.retrieve(customerId);
        assert.equal(!customer.deleted && customer.name, 'Mary Hart');
      }
  });
});
