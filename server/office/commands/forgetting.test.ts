import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Intercept } from '#scripts/stripe-sandbox/sandbox.ts';
import { answerQuestions, askForAddress, correctDetails } from '#server/stripe/her-details.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { findAllDue } from '#server/testing/test-charges.ts';
import { textOf } from '#server/testing/test-database.ts';
import { testQuestions } from '#server/testing/test-editions.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { startSupport } from '#server/testing/test-mailing.ts';
import { heldIn } from '#server/testing/test-redis.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const BEGINS = new Date('2025-12-01T17:00:00Z');
const OVER = new Date(edition.facts.endsAt);
const OLD = {
  firstName: 'Wilma',
  lastName: 'Ohara',
  email: 'wilma@hers.example',
  phoneNumber: '+1 555 555 0142',
};
/** All her personal data, in any form in which it may be stored. */
const HERS = /wilma|ohara|hers\.example|555\D*0142|Wilhelmina|America\/Denver/i;

interface Given {
  intercept?: Intercept;
  pays?: boolean;
}

/** A registration with sent, failed and waiting mails, corrected details, and its own card. */
async function startKnown(t: TestContext, { intercept, pays = true }: Given = {}) {
  const support = await startSupport(t, { startsAt: BEGINS, ...(intercept && { intercept }) });
  const { stripe, connection } = support;
  const { id, payment, letters } = await support.begin({ ...OLD, timeZone: 'America/Denver' });
  if (pays) await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
  await support.sync(id);
  const find = () => support.find(id);
  return {
    ...support,
    id,
    payment,
    letters,
    find,
    runFor: (kind: string, ...words: string[]) => support.run('act', id, kind, ...words, '--by', 'Anna'),
    show: () => support.run('show', id),
    held: () => heldIn(connection),
    /** All tables of the register. */
    registerText: () => textOf(support.database),
    /** What Stripe stores and this site can change. */
    async changeable(): Promise<string> {
      const [customers, intents, charges, setups, refunds] = await Promise.all([
        stripe.customers.list({ limit: 100 }),
        stripe.paymentIntents.list({ limit: 100 }),
        stripe.charges.list({ limit: 100 }),
        stripe.setupIntents.list({ limit: 100 }),
        stripe.refunds.list({ limit: 100 }),
      ]);
      const bare = charges.data.map(({ billing_details: _, receipt_email: __, ...charge }) => charge);
      return JSON.stringify([customers.data, intents.data, bare, setups.data, refunds.data]);
    },
  };
}

describe('a person’s data are removed', () => {
  test('wherever this site can remove them: Stripe, queue and list; the command says what remains', async (t) => {
    const known = await startKnown(t);
    const { runFor, id, find, stripe, payments, mailQueue, held, changeable } = known;
    const { now, moveTo } = known;
    const welcome = await findMail(payments, id, 'welcome', now());
    assert.ok(welcome);
    const refused = { responseCode: 550, message: `No mailbox ${OLD.email} here` };
    await known.failToSend(refused, welcome);
    await known.find();
    await payments.ask(correctDetails, await find(), { ...OLD, firstName: 'Wilhelmina' }, 'Anna', now());
    await payments.ask(correctDetails, { id }, { email: 'w@hers.example' }, 'Anna', now());
    await askForAddress(payments, { id }, 'wo@hers.example', now());
    const given = [{ question: testQuestions.name, answer: 'Wilma O.' }];
    await answerQuestions(payments, await find(), given, now());
    const { out } = await known.show();
    assert.match(out, /Wilma O\./);
    await runFor('waive', 'dollars=700', 'as=scholarship', 'reason=Wilma was ill');
    await runFor('refund', 'dollars=5', 'reason=Wilma was ill');
    const told = (await findMail(payments, id, 'tuition-reduced', now())) ?? assert.fail();
    await known.letterLog.owe([told], now());
    await known.letterLog.markSent(told, now(), told.id, 'Dear Wilma,');
    await payments.ask(makeDueRefunds, id, now());
    const setup = await stripe.setupIntents.create({ customer: (await find()).customerId ?? '' });
    await stripe.setupIntents.confirm(setup.id, { payment_method: 'pm_card_mastercard' });
    const waiting = await findMail(payments, id, 'welcome', now());
    assert.ok(waiting);
    await mailQueue.add(waiting);
    moveTo(OVER);

    const everything = async () => [await changeable(), await held()].join('\n');
    const before = await everything();
    const tried = await runFor('forget', '--dry-run');
    assert.deepEqual([tried.code, tried.err], [0, '']);
    assert.match(tried.out, /^Her messages are taken off the queue/m);
    assert.match(tried.out, /^At Stripe stay her charges, with billing details/m);
    assert.match(tried.out, /redaction of cus_\w+, from 90 days/);
    assert.ok((await everything()) === before, 'A dry run changes nothing');

    const { linksEpoch } = await find();
    const done = await runFor('forget');
    assert.deepEqual([done.code, done.err], [0, '']);
    assert.match(done.out, /^At Stripe stay her charges/m);
    assert.match(done.out, /^Her messages are taken off the queue/m);
    assert.doesNotMatch(await changeable(), HERS);
    assert.doesNotMatch(await held(), HERS);
    const { registrant, forgottenAt, corrections, depositCents, refunds, ...after } = await find();
    assert.deepEqual(Object.values(registrant), ['', '', '', '', '']);
    assert.deepEqual([corrections, depositCents, refunds.length], [{}, 72_100, 1]);
    assert.deepEqual([after.linksEpoch, after.decisions.refund?.reason], [linksEpoch + 1, 'forgotten']);
    assert.ok(forgottenAt);
    assert.doesNotMatch(await known.registerText(), HERS);
    const cards = await stripe.customers.listPaymentMethods(after.customerId ?? '');
    assert.deepEqual(cards.data, []);

    const [due] = await findAllDue(known, now(), () => true);
    assert.deepEqual([due?.letters, due?.deeds, due?.attention], [[], [], null]);

    assert.match((await known.show()).out, /^Her personal data were removed on Jan 26, 2026/m);
    assert.equal((await runFor('edit', 'firstName=Wilma')).code, 4);
    assert.match((await runFor('forget')).out, /^It was forgotten on Jan 26, 2026/m);
    const { linksEpoch: epoch, forgottenAt: at } = await find();
    assert.deepEqual([epoch, at], [linksEpoch + 1, forgottenAt]);
  });

  test('if she never paid, once her payment is cancelled; the command names the payment that keeps her details', async (t) => {
    const known = await startKnown(t, { pays: false });
    const { runFor, find, stripe, payment, held, now } = known;
    assert.match((await runFor('forget')).err, /it can still be paid/);
    await stripe.paymentIntents.cancel(payment);
    await find();
    const { code, out } = await runFor('forget');
    assert.equal(code, 0);
    assert.match(
      out,
      new RegExp(`^So does the cancelled payment ${payment}, which may have her address`, 'm'),
    );
    const { registrant, forgottenAt } = await find();
    assert.deepEqual([registrant.firstName, registrant.email], ['', '']);
    assert.ok(forgottenAt);
    assert.doesNotMatch(await held(), HERS);
    const customers = await stripe.customers.list({ limit: 100 });
    assert.doesNotMatch(JSON.stringify(customers.data), HERS);
    const [due] = await findAllDue(known, now(), () => true);
    assert.deepEqual([due?.letters, due?.deeds], [[], []]);
  });

  test('even if a run stops at any request: the next run finishes it', async (t) => {
    for (let step = 1; step <= 7; step += 1) {
      let posts = Number.NEGATIVE_INFINITY;
      const intercept: Intercept = ({ method }) => {
        if (method !== 'POST') return undefined;
        posts += 1;
        return posts === step ? { kind: 'answer-500', carryOut: false } : undefined;
      };
      const known = await startKnown(t, { intercept });
      const { runFor, changeable, held, moveTo, find, mailQueue, letters } = known;
      const [letter] = letters;
      if (letter) await mailQueue.add(letter);
      await known.find();
      moveTo(OVER);
      posts = 0;
      const first = await runFor('forget');
      const broke = posts >= step;
      posts = Number.NEGATIVE_INFINITY;
      assert.equal(first.code, broke ? 1 : 0, first.err);
      const { code, err } = await runFor('forget');
      assert.deepEqual([code, err], [0, '']);
      assert.ok(!HERS.test(await changeable()), String(step));
      assert.ok(!HERS.test(await held()), String(step));
      assert.equal((await find()).linksEpoch, 1);
      if (letter) assert.equal(await mailQueue.bullQueue.getJobState(letter.id), 'unknown');
      if (!broke) break;
    }
  });
});
