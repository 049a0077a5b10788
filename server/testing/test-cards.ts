import assert from 'node:assert/strict';
import type { Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { findRegistration, type RegistrationRecord } from '#server/registration/registration.ts';
import { openCheckout, readSession, takeSession } from '#server/stripe/checkout.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { type Paying, pay, toPayByCard } from '#server/stripe/pay.ts';

interface Stage {
  payments: Payments;
  sandbox: Sandbox;
}

/** Where Stripe and her bank lead her back to. */
export const WAYS = {
  success_url: 'https://site.example/place/back?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://site.example/place',
};

const NO_CARD = { brand: '', last4: '' };

/** She opens Stripe's page for another card. @returns the id of the session */
export const openCardPage = ({ payments }: Pick<Stage, 'payments'>, record: RegistrationRecord, now: Date) =>
  payments.ask(openCheckout, record, WAYS, now);

/** She gives another card at Stripe, and returns. @returns the registration after that */
export async function giveCard(
  stage: Stage,
  record: RegistrationRecord,
  now: Date,
  card = 'pm_card_mastercard',
): Promise<RegistrationRecord> {
  const { payments, sandbox } = stage;
  const id = await openCardPage(stage, record, now);
  sandbox.bank.enterCard(id, card);
  const session = await payments.ask(readSession, id);
  assert.ok(session && (await payments.ask(takeSession, session)));
  return (await findRegistration(payments, record.id)) ?? assert.fail();
}

/** She presses the button that pays what her page shows. */
export const payOnPage = (
  { payments }: Pick<Stage, 'payments'>,
  record: RegistrationRecord,
  now: Date,
  cents = toPayByCard(record),
): Promise<Paying> =>
  payments.ask(pay, record, { cents, card: record.card ?? NO_CARD, returnUrl: WAYS.cancel_url }, now);

/** The same, and her bank asks her. @returns the payment that waits for her */
export async function goToBank(stage: Stage, record: RegistrationRecord, now: Date): Promise<string> {
  stage.sandbox.bank.askNext(record.customerId ?? assert.fail());
  const paying = await payOnPage(stage, record, now);
  assert.equal(paying.outcome, 'bank');
  return 'payment' in paying ? paying.payment : assert.fail();
}

/** She gives another card, and pays with it. */
export async function payWith(
  stage: Stage,
  record: RegistrationRecord,
  now: Date,
  card?: string,
): Promise<Paying> {
  return payOnPage(stage, await giveCard(stage, record, now, card), now);
}
