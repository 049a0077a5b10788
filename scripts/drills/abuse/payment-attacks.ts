import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { CreatePaymentRequest } from '#shared/registration.ts';
import type { KnownAttack } from './ordinary-site.ts';
import { type Answered, agree, intentOf, somebody, visit, visitForLetters } from './visit.ts';

const CARD = { payment_method: 'pm_card_visa' };
const ONE_PAYMENT = '1 customers, 1 payments';

/**
 * The client secret of another shop's payment gives no access: nothing is changed, and nobody gets a letter.
 */
export const paymentsOfOthers: KnownAttack = {
  name: 'payments of others',
  async run({ siteUrl, stripe, inbox }) {
    const { email } = somebody();
    const customer = await stripe.customers.create({ name: 'Somebody', email });
    const order = { amount: 100, currency: 'usd', receipt_email: email, metadata: { order: 'mug' } };
    const { id, client_secret } = await stripe.paymentIntents.create({ ...order, customer: customer.id });
    const read = async () => [
      await stripe.paymentIntents.retrieve(id),
      await stripe.customers.retrieve(customer.id),
    ];
    const before = JSON.stringify(await read());
    const thief = somebody({ paymentIntentClientSecret: client_secret ?? '' });
    expectRefusal(await visit(siteUrl, thief), 'registration_not_found');
    assert.equal(JSON.stringify(await read()), before, 'Payment or customer were changed');
    await stripe.paymentIntents.confirm(id, CARD);

    // Her letters are queued later than the ones that must not be sent: those would have arrived before hers.
    const witness = somebody();
    const { secret } = await visitForLetters(siteUrl, witness);
    await inbox.waitForLetters(witness.email, 1);
    await stripe.paymentIntents.confirm(intentOf(secret), CARD);
    await inbox.waitForLetters(witness.email, 2);
    const letters = [email, thief.email].flatMap(inbox.lettersTo);
    assert.equal(letters.length, 0, `${letters.length} letters went out`);
    return '409; payment and customer as they were, no letter';
  },
};

/**
 * A visitor who has paid is asked before she pays again, in another browser too; another person at her e-mail address
 * does not learn that she has paid.
 */
export const theSamePerson: KnownAttack = {
  name: 'the same person again',
  async run({ siteUrl, stripe }) {
    const wilma = somebody();
    const first = await visit(siteUrl, wilma);
    await stripe.paymentIntents.confirm(intentOf(first.secret), CARD);
    const otherwise = { ...wilma, email: wilma.email.toUpperCase() };
    expectRefusal(await visit(siteUrl, otherwise), 'registered_before');
    assert.equal(await countPayments(stripe, wilma), ONE_PAYMENT, 'Something was made');

    const another = await visit(siteUrl, { ...otherwise, somebodyElse: true });
    assert.equal(another.status, 200, `Somebody else of her name got ${another.status}`);
    const curious = await visit(siteUrl, { ...wilma, firstName: 'Curious' });
    const anonymous = ({ text, secret }: Answered): string =>
      text.replace(secret, '').replace('later', 'queued');
    assert.equal(curious.status, 200, `Another name got ${curious.status}`);
    assert.equal(anonymous(curious), anonymous(first), 'Another name is told something');
    for (const { secret } of [another, curious]) {
      const { status, code } = await agree(siteUrl, secret);
      assert.equal(status, 204, `The consent of another person got ${status} ${code}`);
    }

    const wanda = somebody();
    const browsers = [await visit(siteUrl, wanda), await visit(siteUrl, wanda)] as const;
    const agreeInSecond = () => agree(siteUrl, browsers[1].secret);
    assert.equal((await agreeInSecond()).status, 204);
    await stripe.paymentIntents.confirm(intentOf(browsers[0].secret), CARD);
    expectRefusal(await agreeInSecond(), 'registered_before');
    expectRefusal(await agreeInSecond(), 'registered_before');
    return '409, nothing made, in another browser too; 200 for somebody else and for another name';
  },
};

/** After a day Stripe forgets which requests it has answered. */
const DAY_HOURS = 24.5;

/**
 * Keys begin with the moment at which they were made, by the visitor's clock, and are sent again a day later.
 */
const CLOCKS = {
  right: hoursAgo(DAY_HOURS),
  ahead: hoursAgo(DAY_HOURS - 5),
  behind: hoursAgo(DAY_HOURS + 5),
  'in 1970': 0,
  'in 5138': 1e14,
};

function hoursAgo(hours: number): number {
  return Date.now() - hours * 60 * 60 * 1000;
}

/** Whatever her clock says, a visitor who comes back a day later, unpaid or paid, finds her payment. */
export const wrongClocks: KnownAttack = {
  name: 'wrong clocks',
  async run({ siteUrl, stripe, passHours }) {
    const visits = Object.entries(CLOCKS).map(([clock, madeAtMs]) => {
      const details = somebody();
      const key = `${madeAtMs.toString(36)}-${randomBytes(16).toString('hex')}`;
      return { clock, details, send: () => visit(siteUrl, details, { key }) };
    });
    for (const { clock, details, send } of visits) {
      const { secret } = await send();
      const expectSame = async (when: string): Promise<void> => {
        passHours(DAY_HOURS);
        const again = await send();
        assert.equal(again.secret, secret, `Clock ${clock}: ${when} it got ${again.text}`);
        assert.equal(await countPayments(stripe, details), ONE_PAYMENT, `Clock ${clock}: ${when}`);
      };
      await expectSame('a day later');
      await stripe.paymentIntents.confirm(intentOf(secret), CARD);
      await expectSame('a day after it was paid');
    }
    return `${visits.length} clocks: one customer and one payment each, unpaid and paid`;
  },
};

function expectRefusal({ status, code }: Pick<Answered, 'status' | 'code'>, expected: string): void {
  assert.ok(status === 409 && code === expected, `Answered ${status} ${code}`);
}

async function countPayments(stripe: Stripe, { email }: CreatePaymentRequest): Promise<string> {
  const { data: customers } = await stripe.customers.list({ email: email.toLowerCase() });
  const payments = customers.map(({ id }) => stripe.paymentIntents.list({ customer: id }));
  const intents = (await Promise.all(payments)).flatMap(({ data }) => data);
  return `${customers.length} customers, ${intents.length} payments`;
}
