import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Database } from '#server/database/database.ts';
import { readRegistrations } from '#server/registration/registration.ts';
import { updateDeposit } from '#server/stripe/deposit.ts';
import { paymentIn } from '#server/testing/test-charges.ts';
import { startPost } from '#server/testing/test-mailing.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startSiteWithPlaces, submitContact } from '#server/testing/test-site.ts';
import { edition, facts } from '#shared/content/compiled/on-sale.ts';
import { messages } from '#shared/registration.ts';
import { dueOf } from './due.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A clock that a test moves, as the site's and the sandbox's. */
function movableClock() {
  const clock = { at: Date.parse(edition.tryOutFrom) };
  const now = () => new Date(clock.at);
  return { clock, now, options: { changes: { now }, clock: { now: () => clock.at } } };
}

async function readingOf({ database }: { database: Database }, id: string) {
  const read = await database.read((transaction) => readRegistrations(transaction, [id]));
  return read.get(id) ?? assert.fail(id);
}

/** A site with places, and whether the reminder of a visitor's registration is due once her first letter was sent. */
async function startPlaces(t: TestContext, places: number) {
  const { clock, now, options } = movableClock();
  const site = await startSiteWithPlaces(t, places, options);
  const isDue = async (id: string) => {
    for (const letter of await site.letterLog.about(id)) await site.letterLog.markSent(letter, now());
    const due = dueOf(await readingOf(site, id), { now: now(), isOver: () => false });
    return due.letters.some(({ kind }) => kind === 'unfinished');
  };
  return { ...site, clock, isDue };
}

describe('the reminder of an unfinished registration', () => {
  test('R5.3 goes out once, a day after her last submit', async (t) => {
    const { clock, now, options } = movableClock();
    const post = await startPost(t, options);
    await submitContact(post.app).expect(200);
    clock.at += HOUR_MS;
    await submitContact(post.app).expect(200);
    clock.at += DAY_MS - 1;
    post.startWorker({ now, registration: 'open' });
    const received = async (count: number) => {
      await post.askForDueWork();
      await post.untilWorked(clock.at / 1000);
      return post.untilSent(count);
    };
    const atOnce = ['office-notice', 'registration-received'];
    assert.deepEqual(await received(2), atOnce);
    for (const later of [1, DAY_MS]) {
      clock.at += later;
      assert.deepEqual(await received(3), [...atOnce, 'unfinished']);
    }
  });

  test('R5.3 is not due once the address has a place, or has begun again; then the newer one is due', async (t) => {
    const { visit, clock, isDue } = await startPlaces(t, 10);
    const [first, second, third] = ['a', 'b', 'c'].map(() => visit('wilma'));
    assert.ok(first && second && third);
    await first.submit();
    clock.at += 1000;
    await second.submit();
    clock.at += DAY_MS;
    assert.deepEqual([await isDue(first.id()), await isDue(second.id())], [false, true]);
    await third.submit({ firstName: 'Anna' });
    await third.pay();
    await third.tell();
    assert.deepEqual([await isDue(first.id()), await isDue(second.id())], [false, false]);
  });

  test('R5.3 is not due while the places that are left are for people who wait', async (t) => {
    const { visit, clock, isDue, admission, now } = await startPlaces(t, 2);
    const [unpaid, paid] = [visit('unpaid'), visit('paid')];
    await unpaid.submit();
    clock.at += DAY_MS;
    await paid.submit();
    await paid.pay();
    await paid.tell();
    assert.equal(await isDue(unpaid.id()), true);
    const { package: _, ...contact } = contactStep;
    const id = await admission.waitingList.join({ contact, timeZone: '', facts: edition.facts });
    assert.equal(await isDue(unpaid.id()), true);
    await admission.waitingList.confirm(id);
    assert.equal(await isDue(unpaid.id()), false, now().toISOString());
  });
});

describe('when registration is over', () => {
  const HOUR_MS = 60 * 60 * 1000;
  const after = (ms: number) => () => new Date(Date.parse(facts.registration.closes) + ms);

  test('a payment still unpaid an hour later loses its contact details and is cancelled, with the reason', async (t) => {
    const post = await startPost(t, { env: { REGISTRATION: 'auto' }, changes: { now: after(-HOUR_MS) } });
    const unpaid = await post.register();
    const { body } = await submitContact(post.app, { email: 'paid@example.org' }, 'b'.repeat(32)).expect(200);
    const paidId = paymentIn(body.paymentIntentClientSecret);
    await post.stripe.paymentIntents.confirm(paidId, { payment_method: 'pm_card_visa' });
    post.startWorker({ now: after(HOUR_MS), registration: 'auto' });
    await post.log.until('"due":"closing"');
    const { status, receipt_email } = await post.stripe.paymentIntents.retrieve(unpaid.payment);
    assert.equal(status, 'canceled');
    const { row } = await readingOf(post, unpaid.id);
    assert.ok(!JSON.stringify(row).includes(contactStep.email));
    assert.deepEqual([row.firstName, row.phoneNumber], ['', '']);
    assert.equal(receipt_email, null);
    const { data } = await post.stripe.customers.list({ email: contactStep.email });
    assert.deepEqual(data, []);
    const paid = await post.stripe.paymentIntents.retrieve(paidId);
    assert.deepEqual([paid.status, paid.receipt_email], ['succeeded', 'paid@example.org']);
    await post.untilSent(2);

    const { payments } = post;
    const admitLetter = async () => true;
    const deposit = { contact: contactStep, facts, timeZone: '', admitLetter };
    const edit = payments.ask(updateDeposit, unpaid.clientSecret, deposit, async () => {});
    await assert.rejects(edit, { code: 'payment_canceled', message: messages.paymentCanceled });
  });

  for (const [what, registration, now] of [
    ['within the hour', 'auto', after(HOUR_MS - 1)],
    ['before the end, closed for a while', 'closed', after(-HOUR_MS)],
    ['where registration is kept open', 'open', after(HOUR_MS)],
  ] as const) {
    test(`${what} nothing is cancelled, and a payment is welcomed`, async (t) => {
      // So late that no reminder is due yet.
      const post = await startPost(t, { changes: { now: after(-HOUR_MS) } });
      const { payment, payUnnoticed } = await post.register();
      post.startWorker({ now, registration });
      await post.untilSent(2);
      await post.untilWorked();
      assert.equal((await post.stripe.paymentIntents.retrieve(payment)).status, 'requires_payment_method');
      await payUnnoticed();
      await post.askForDueWork();
      assert.deepEqual((await post.untilSent(4)).slice(-2), ['registration-received', 'welcome']);
    });
  }
});
