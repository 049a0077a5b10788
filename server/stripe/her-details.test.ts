import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import { HERSELF, isProof, NOBODY, postalCodeOf, secondFactorOf } from '#server/registration/registration.ts';
import { daysAfter, startCharges } from '#server/testing/test-charges.ts';
import { askForAddress, confirmAddress, correctDetails, dropAddress } from './her-details.ts';

const OLD = { firstName: 'Wilma', lastName: 'O’Hara', phoneNumber: '+1 (555) 555-0142' };
const AT = new Date('2025-12-02T09:30:00.123Z');
const RIGHT = 'Wilma@Correct.example';

/** A paid registration of Wilma O’Hara, and what Stripe has of her. */
async function startPaid(t: TestContext, options: SandboxOptions = {}) {
  const charges = await startCharges(t, options);
  const id = await charges.register();
  const { stripe, payments, find, depositOf } = charges;
  return {
    ...charges,
    id,
    record: () => find(id),
    /** Her customer's name, address and phone. */
    async customer() {
      const { customer } = await stripe.paymentIntents.retrieve(await depositOf(id), {
        expand: ['customer'],
      });
      assert.ok(customer && typeof customer !== 'string' && !customer.deleted);
      return [customer.name, customer.email, customer.phone];
    },
    rename: (lastName: string, by = 'Anna') =>
      payments.ask(correctDetails, { id }, { ...OLD, lastName }, by, AT),
    readdress: (email: string, by = 'Anna') => payments.ask(correctDetails, { id }, { email }, by, AT),
    ask: (email: string) => askForAddress(payments, { id }, email, AT),
    confirm: (email: string, at = AT) => payments.ask(confirmAddress, { id }, email, at),
  };
}

describe('a correction', () => {
  test('of name and phone is stored, also with the customer, with the former value, when, and by whom', async (t) => {
    const { record, customer, payments, id } = await startPaid(t);
    const details = { firstName: 'Wilhelmina', lastName: 'Hart', phoneNumber: '+49 30 1234567' };
    assert.equal(await payments.ask(correctDetails, { id }, details, 'Anna', AT), true);
    const { registrant, corrections, linksEpoch } = await record();
    assert.deepEqual({ ...registrant, ...details }, registrant);
    assert.deepEqual(corrections, {
      name: { was: 'Wilma O’Hara', at: AT, by: 'Anna' },
      phoneNumber: { was: OLD.phoneNumber, at: AT, by: 'Anna' },
    });
    assert.deepEqual(await customer(), ['Wilhelmina Hart', 'wilma@example.org', '+49301234567']);
    assert.equal(linksEpoch, 0);
  });

  test('of the address ends all earlier links, and the customer gets it in lower case', async (t) => {
    const { record, customer, readdress } = await startPaid(t);
    await readdress(RIGHT);
    const { registrant, corrections, linksEpoch } = await record();
    assert.equal(registrant.email, RIGHT);
    assert.deepEqual(corrections, { email: { was: 'wilma@example.org', at: AT, by: 'Anna' } });
    assert.equal(linksEpoch, 1);
    assert.deepEqual((await customer())[1], 'wilma@correct.example');
    await readdress('WILMA@Correct.example');
    const again = await record();
    assert.equal(again.registrant.email, 'WILMA@Correct.example');
    assert.deepEqual([again.corrections, again.linksEpoch], [corrections, 1]);
  });

  test('whose answer is lost at any step has the same result when it is repeated', async (t) => {
    for (const fault of [
      { kind: 'answer-500', carryOut: true },
      { kind: 'answer-500', carryOut: false },
      { kind: 'reset', carryOut: true },
      { kind: 'rate-limit' },
    ] as const)
      for (const step of [1, 2]) {
        let posts = Number.NEGATIVE_INFINITY;
        const { payments, id, record, customer } = await startPaid(t, {
          intercept({ method }) {
            if (method !== 'POST') return undefined;
            posts += 1;
            return posts === step ? fault : undefined;
          },
        });
        posts = 0;
        await payments.ask(correctDetails, { id }, { email: RIGHT }, 'Anna', AT).catch(() => undefined);
        await payments.ask(correctDetails, { id }, { email: RIGHT }, 'Anna', daysAfter(AT, 0.1));
        const { registrant, corrections, linksEpoch } = await record();
        assert.deepEqual([registrant.email, corrections.email?.was], [RIGHT, 'wilma@example.org']);
        assert.deepEqual([linksEpoch, (await customer())[1]], [1, 'wilma@correct.example']);
      }
  });
});

describe('a correction to another person', () => {
  const OTHER = { firstName: 'Berta', lastName: 'Fuchs', phoneNumber: '+49 30 1234567' };
  const refused = { code: 'handed_over', status: 409 };

  test('is refused once she has paid, in one step or in several, and nothing changes', async (t) => {
    const { payments, id, record, customer, readdress, rename, ask, confirm } = await startPaid(t);
    await payments.ask(correctDetails, { id }, OTHER, 'Anna', AT);
    // To ask for an address makes another version of the record, also where it is dropped.
    const stored = async () => [{ ...(await record()), version: 0 }, await customer()];
    const before = await stored();
    await assert.rejects(readdress(RIGHT), refused);
    await ask(RIGHT);
    assert.equal(await confirm(RIGHT), 'handed-over');
    await dropAddress(payments, { id });
    assert.deepEqual(await stored(), before);
    await rename('Hart');
    await readdress(RIGHT);
    for (const lastName of ['Hart', 'Fuchs'])
      await assert.rejects(payments.ask(correctDetails, { id }, { ...OTHER, lastName }, 'Anna', AT), refused);
    assert.deepEqual(await customer(), ['Wilma Hart', 'wilma@correct.example', '+15555550142']);
  });

  test('is possible before she pays, and what she then pays with counts', async (t) => {
    const { payments, begin, stripe, now, moveTo, find } = await startPaid(t);
    const { id, payment } = await begin({ email: 'olga@example.org' });
    await payments.ask(correctDetails, { id }, OTHER, 'Anna', now());
    await payments.ask(correctDetails, { id }, { email: RIGHT }, 'Anna', now());
    moveTo(daysAfter(now(), 1));
    await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
    const later = daysAfter(now(), 1);
    await payments.ask(correctDetails, { id }, { email: 'berta@example.org' }, 'Anna', later);
    assert.deepEqual((await find(id)).paidAs, { name: 'Berta Fuchs', email: RIGHT });
    await assert.rejects(payments.ask(correctDetails, { id }, OLD, 'Anna', later), refused);
  });
});

describe('an address that she asks for', () => {
  test('becomes hers once she confirms it, and stays hers', async (t) => {
    const { ask, confirm, record } = await startPaid(t);
    await ask(RIGHT);
    const asked = await record();
    assert.deepEqual(asked.addressAsked, { to: RIGHT, at: AT });
    assert.deepEqual([asked.registrant.email, asked.linksEpoch], ['wilma@example.org', 0]);
    for (let press = 1; press <= 2; press += 1) {
      assert.equal(await confirm(RIGHT), 'confirmed');
      const { registrant, corrections, addressAsked, linksEpoch } = await record();
      assert.deepEqual([registrant.email, addressAsked, linksEpoch], [RIGHT, undefined, 1]);
      assert.deepEqual(corrections.email, { was: 'wilma@example.org', at: AT, by: HERSELF });
    }
  });

  test('cannot be confirmed after three days, after she asks for another one, or after the office corrects it', async (t) => {
    const { ask, confirm, record, readdress } = await startPaid(t);
    await ask(RIGHT);
    assert.equal(await confirm('else@example.org'), 'gone');
    assert.equal(await confirm(RIGHT, daysAfter(AT, 3)), 'gone');
    await ask('third@example.org');
    assert.equal(await confirm(RIGHT), 'gone');
    assert.equal((await record()).registrant.email, 'wilma@example.org');
    await readdress('office@example.org');
    assert.equal(await confirm('third@example.org'), 'gone');
    await ask('third@example.org');
    assert.equal(await confirm('third@example.org', new Date(daysAfter(AT, 3).getTime() - 1)), 'confirmed');
  });
});

describe('the proof that she is the registrant', () => {
  const US = '+1 555 555 0142';
  for (const [what, phoneNumber, address, right, wrong] of [
    [
      'the last four digits of her phone number, not of its extension',
      '+971 4 555 0142 ext. 77',
      null,
      ['0142', '+971 4 555 0142', '+971 4 555 0142 ext. 77'],
      ['4277', '77', ''],
    ],
    [
      'these digits in any script',
      '+98 ۹۱۲ ۳۴۵ ۵۶۷۸',
      null,
      ['5678', '５６７８', '٥٦٧٨', '\u202a5678\u202c'],
      ['1234'],
    ],
    [
      'the postal code of the card that paid, in the United States by its first five digits',
      US,
      { postal_code: '95060-1234', country: 'US' },
      ['95060', '95060-1234', '950601234'],
      ['9506', '1234', '0142', ''],
    ],
    [
      'it however it is spaced',
      US,
      { postal_code: 'k1a 0b1', country: 'CA' },
      ['K1A0B1', 'k1a-0b1'],
      ['K1A'],
    ],
    [
      'it in any script',
      US,
      { postal_code: '１０６－００３２', country: 'JP' },
      ['106-0032', '1060032', '１０６００３２', '\u200b106ー0032'],
      ['１０６', '0032'],
    ],
    ['nothing where nothing is on record', '', { postal_code: ' ', country: null }, [], ['', ' ', '0142']],
  ] as const)
    test(`is ${what}`, () => {
      const postalCode = postalCodeOf(address) ?? undefined;
      const factor = secondFactorOf({ postalCode, registrant: { ...NOBODY, phoneNumber } });
      for (const typed of right) assert.ok(isProof(factor, typed), typed);
      for (const typed of wrong) assert.ok(!isProof(factor, typed), typed);
    });
});
