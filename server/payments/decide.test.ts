import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import {
  type Fault,
  SANDBOX_KEYS,
  type SandboxOptions,
  startTestSandbox,
} from '#scripts/stripe-sandbox/sandbox.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import { testDatabase } from '#server/testing/test-database.ts';
import { balance, recordWith, refund } from '#server/testing/test-registrations.ts';
import { contactStep } from '#server/testing/test-visitor.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { CARD_MARK } from './card-on-file.ts';
import { canWithdraw } from './decide.ts';
import { type Decision, type DecisionKind, decisionKinds } from './decisions.ts';
import { LINKS_MARK } from './deposit-letters.ts';
import { ADDRESS_HAS_PLACE } from './earlier-registrations.ts';
import { createPayments } from './payments.ts';
import { RECORD_MARKS } from './recognise-deposit.ts';
import { orderOf } from './registration-record.ts';
import { formatAgreement, TERMS_MARK } from './terms-mark.ts';

const NOW = new Date('2025-12-12T10:00:00Z');

async function startPaid(t: TestContext, options: SandboxOptions = {}) {
  const startsAt = new Date('2025-12-01T17:00:00Z');
  const { sandbox, stripe } = await startTestSandbox(t, { startsAt, ...options });
  const { database } = await testDatabase(t);
  const settings = { secretKey: SANDBOX_KEYS.secretKey, apiBase: sandbox.url };
  const payments = createPayments(settings, createLetterLog(database));
  const deposit = { contact: contactStep, facts, timeZone: 'Europe/Berlin', somebodyElse: true };
  const { id } = await payments.createDeposit(deposit, { value: 'registration-0123456789' });
  await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  const find = async () => {
    const record = await payments.findRegistration(id);
    assert.ok(record);
    return record;
  };
  return { stripe, payments, id, find };
}

describe('decisions about a registration', () => {
  test('a check that bounced and a waiver can be withdrawn, but nothing that her card paid or got back', () => {
    const act = { at: NOW, by: 'Anna' };
    const check = { ...act, cents: 70_000, receivedAt: NOW };
    const waived = { ...act, cents: 20_000 };
    const cancel = { ...act, writtenAt: NOW };
    const paid = balance({ status: 'paid', paidAt: NOW });
    const exception = { ...act, cents: 10_000, reason: 'illness' };
    const made = refund({ cents: 10_000, order: orderOf('refund', exception) });
    for (const [changes, kind, expected] of [
      [{ decisions: { check } }, 'check', true],
      [{ decisions: { waived: { ...act, cents: 70_000 } } }, 'waived', true],
      [
        { decisions: { waived }, noticed: { at: NOW, dueAt: NOW, cents: 72_625, to: 'wilma' } },
        'waived',
        true,
      ],
      [{ decisions: { waived }, balance: paid }, 'waived', false],
      [{ decisions: { check, cancel } }, 'check', false],
      [{ decisions: { refund: exception } }, 'refund', true],
      [{ decisions: { refund: exception }, refunds: [made] }, 'refund', false],
    ] as const) {
      assert.equal(canWithdraw(recordWith(changes), kind, NOW), expected);
    }
  });

  test('of two made at the same time the first is stored, and the second is refused', async (t) => {
    const { payments, find } = await startPaid(t);
    const record = await find();
    await payments.decide(record, 'waived', { at: NOW, by: 'Anna', cents: 10_000 });
    await assert.rejects(payments.decide(record, 'waived', { at: NOW, by: 'Britt', cents: 20_000 }), {
      code: 'decided_meanwhile',
    });
    const { waived } = (await find()).decisions;
    assert.deepEqual(waived, { at: NOW, by: 'Anna', cents: 10_000 });
    await payments.decide(await find(), 'waived', { at: NOW, by: 'Britt', cents: 20_000 });
    assert.equal((await find()).decisions.waived?.cents, 20_000);
  });

  test('the same decision sent again, after its answer was lost, is stored once', async (t) => {
    const { payments, find } = await startPaid(t);
    const record = await find();
    const cancel = { at: NOW, by: 'Anna', writtenAt: NOW };
    await payments.decide(record, 'cancel', cancel);
    await payments.decide(record, 'cancel', cancel);
    assert.deepEqual((await find()).decisions.cancel, { ...cancel, balanceOpen: true });
  });

  test('a failure that Stripe saved prevents nobody from deciding: the next attempt is stored', async (t) => {
    const faults: Fault[] = [];
    const { payments, find } = await startPaid(t, {
      intercept: ({ method }) => (method === 'POST' ? faults.shift() : undefined),
    });
    const record = await find();
    faults.push({ kind: 'answer-500', carryOut: false });
    const first = { at: NOW, by: 'Anna', cents: 10_000 };
    await assert.rejects(payments.decide(record, 'waived', first), { code: 'payment_provider_error' });
    assert.equal((await find()).decisions.waived, undefined);
    const second = { ...first, at: new Date(NOW.getTime() + 60_000) };
    await payments.decide(await find(), 'waived', second);
    assert.deepEqual((await find()).decisions.waived, second);
  });

  test('metadata that somebody else wrote in their place is an error that names payment and key', async (t) => {
    const { stripe, payments, id } = await startPaid(t);
    await stripe.paymentIntents.update(id, { metadata: { postponed: 'next week' } });
    await assert.rejects(payments.findRegistration(id), ({ cause }: Error) => {
      assert.ok(cause instanceof Error);
      assert.equal(cause.message, `${id} has metadata under postponed that cannot be read`);
      return true;
    });
  });

  test('all metadata of a deposit stays under forty keys, each within Stripe’s length limits', async (t) => {
    const { stripe, payments, id, find } = await startPaid(t);
    const act = { at: NOW, by: 'B'.repeat(80) };
    const cents = 70_000;
    const largest: { [Kind in DecisionKind]: Decision<Kind> } = {
      cancel: { ...act, writtenAt: NOW, onPage: true, balanceOpen: true },
      waived: { ...act, cents },
      check: { ...act, cents, receivedAt: NOW },
      postponed: { ...act, until: NOW },
      charge: act,
      refund: { ...act, cents, reason: 'r'.repeat(200) },
      checkSent: { ...act, cents, sentAt: NOW, sentBefore: cents },
      disputeOver: {
        ...{ ...act, charges: [id, id], disputes: [id, id] },
        lost: { deposit: 72_100, balance: 72_625 },
      },
    };
    for (const kind of decisionKinds) await payments.decide(await find(), kind, largest[kind]);
    const digest = 'a'.repeat(64);
    const terms = formatAgreement({ version: '2', digest, agreedAt: NOW });
    const { cancelled, corrected, addressAsked, forgotten } = RECORD_MARKS;
    const was = JSON.stringify({ ...act, was: 'w'.repeat(254) });
    const { metadata } = await stripe.paymentIntents.update(id, {
      metadata: {
        [TERMS_MARK]: terms,
        [cancelled]: JSON.stringify({ at: NOW, cents, checkCents: cents }),
        [corrected.name]: was,
        [corrected.email]: was,
        [corrected.phoneNumber]: was,
        [addressAsked]: JSON.stringify({ at: NOW, to: 'w'.repeat(254) }),
        [ADDRESS_HAS_PLACE]: 'yes',
        [forgotten]: NOW.toISOString(),
        [CARD_MARK]: JSON.stringify({
          id,
          brand: 'visa',
          last4: '4242',
          expMonth: 12,
          expYear: 2030,
          since: NOW,
        }),
        [LINKS_MARK]: '100',
      },
    });
    const texts = Object.values(metadata);
    assert.ok(texts.every((text) => text.length <= 500));
    // The marks of failed authentications are deleted once it is paid.
    assert.ok(texts.length < 40, `${texts.length} keys`);
  });
});
