import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { officeActs } from '#server/acts/office-acts.ts';
import { officePaths } from '#server/office/paths.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startOffice } from '#server/testing/test-office.ts';
import type { TestRedis } from '#server/testing/test-redis.ts';
import { contactStep } from '#server/testing/test-registrations.ts';

/** A registration whose welcome is owed. */
async function registerOwing(office: Awaited<ReturnType<typeof startOffice>>) {
  const { register, payments, letterLog, now } = office;
  const id = await register();
  await letterLog.owe([(await payments.findMail(id, 'welcome', now())) ?? assert.fail()], now());
  return id;
}

describe('the page of one registration', () => {
  test('tells the state of her registration, her money, what can be done, and what happened', async (t) => {
    const { register, tell, moveTo, seeRegistration } = await startOffice(t);
    const id = await register();
    const { status, document, text } = await seeRegistration(id);
    assert.equal(status, 200);
    assert.equal(document.querySelector('h1')?.textContent, 'Wilma O’Hara');
    assert.match(
      text,
      /She has a place: her deposit is paid\.The site charges \$726\.25 to her Visa ending in 4242/,
    );
    assert.match(text, /Depositpaid on Dec 1, 2025, 9:00 AM PST with her Visa ending in 4242\$721/);
    assert.match(text, /Balanceto be paid by card, due on Dec 21, 2025, 5:00 PM PST\$726\.25/);
    const times = [...document.querySelectorAll('.timeline time')].map((one) => one.getAttribute('datetime'));
    assert.deepEqual(times, times.toSorted());
    assert.match(text, /Not possible now.*Charge her card nowA card is charged once the balance is due/);
    const links = [...document.querySelectorAll('.act-list a')].map((one) => one.getAttribute('href'));
    assert.ok(
      links.includes(officePaths.act(id, 'cancel')) && !links.includes(officePaths.act(id, 'charge')),
    );
    await tell(id);
    moveTo(daysAfter(DUE, 0.1));
    const due = await seeRegistration(id);
    assert.match(due.text, /Her balance is due and not paid\..*Charge her card nowTries/);
  });

  test('says when a cancellation was not carried out in time', async (t) => {
    const { register, moveTo, find, payments, now, seeRegistration } = await startOffice(t);
    const id = await register();
    await payments.decide(await find(id), 'cancel', { at: now(), by: 'Anna', writtenAt: now() });
    assert.match((await seeRegistration(id)).text, /Nothing goes back: it is carried out after Dec 2, 2025/);
    moveTo(DUE);
    assert.match(
      (await seeRegistration(id)).text,
      /Nothing goes back: it was to be carried out after Dec 2, 2025, .*, and is not yet\./,
    );
  });

  test('an address that names no registration, or no act, gets 404 with an explanation', async (t) => {
    const { see, stripe, register } = await startOffice(t);
    const id = await register();
    const { id: foreign } = await stripe.paymentIntents.create({ amount: 500, currency: 'usd' });
    for (const path of [
      officePaths.registration('pi_none'),
      officePaths.registration(foreign),
      officePaths.registration('pi_*'),
      officePaths.registration('%2E%2E'),
      officePaths.act('pi_none', 'cancel'),
    ]) {
      const { status, text } = await see(path);
      assert.equal(status, 404, path);
      assert.match(text, /There is no such registration/);
    }
    for (const act of ['constructor', 'delete']) {
      const { status, text } = await see(officePaths.act(id, act));
      assert.equal(status, 404);
      assert.match(text, /There is no such act/);
    }
  });

  test('the payment of a balance leads to its registration', async (t) => {
    const { register, tell, moveTo, charge, balances, app } = await startOffice(t);
    const id = await register();
    await tell(id);
    moveTo(DUE);
    await charge(id);
    const [balance] = await balances(id);
    const answer = await request(app).get(officePaths.registration(balance?.id ?? ''));
    assert.deepEqual([answer.status, answer.headers.location], [302, officePaths.registration(id)]);
  });

  test('opening any of its pages changes nothing, neither at Stripe nor on the queue', async (t) => {
    const { register, see, payments, find, now, held, signIn, mailQueue } = await startOffice(t);
    const [id, cancelled] = [await register(), await register({ email: 'olga@example.org' })];
    await payments.decide(await find(cancelled), 'cancel', { at: now(), by: 'Anna', writtenAt: now() });
    await mailQueue.add((await payments.findMail(id, 'welcome', now())) ?? assert.fail());
    signIn({ name: 'Sol', role: 'support' });
    const heldBefore = await held();
    for (const one of [id, cancelled]) {
      await see(`${officePaths.registration(one)}?told=0123456789012345678901`);
      for (const act of officeActs) {
        const { status } = await see(`${officePaths.act(one, act.id)}?step=confirm&seen=x`);
        assert.ok([200, 409].includes(status), `${act.id} ${status}`);
      }
    }
    assert.deepEqual(await held(), heldBefore);
  });

  test('while Stripe is away it shows what is on record, how old that is, and offers no act; it denies no other', async (t) => {
    let isAway = false;
    const office = await startOffice(t, {
      intercept: () => (isAway ? { kind: 'reset', carryOut: false } : undefined),
    });
    const { register, find, seeRegistration, seeForm, preview, audited } = office;
    const id = await register();
    const shown = await preview(id, 'waive', { dollars: '100', as: 'reduction' });
    isAway = true;
    const { status, text, document } = await seeRegistration(id);
    assert.equal(status, 200);
    assert.match(
      text,
      /Stripe does not answer\. This is her registration as it is on record, with what Stripe said of her payments last, on /,
    );
    assert.match(text, /She has a place: her deposit is paid\./);
    assert.deepEqual([...document.querySelectorAll('main form, .act-list')], []);
    const away = [
      await seeForm(id, 'waive'),
      await preview(id, 'waive', { dollars: '100', as: 'reduction' }),
      await shown.confirm(),
    ];
    for (const one of away) {
      assert.equal(one.status, 502);
      assert.match(one.text, /Stripe does not answer.*Nothing was done/);
    }
    const lost = await seeRegistration('pi_lost');
    assert.equal(lost.status, 502);
    assert.match(lost.text, /Stripe does not answer now, and this registration is not on record/);
    isAway = false;
    assert.equal((await find(id)).decisions.waived, undefined);
    assert.deepEqual(audited, []);
  });

  test('when Stripe fails in the middle of an act, it says that it is not known whether the act was done', async (t) => {
    let isAway = false;
    const office = await startOffice(t, {
      intercept: ({ method }) =>
        isAway && method === 'POST' ? { kind: 'reset', carryOut: false } : undefined,
    });
    const { register, preview, audited } = office;
    const id = await register();
    const { firstName, email, phoneNumber } = contactStep;
    const shown = await preview(id, 'edit', { firstName, lastName: 'Hart', email, phoneNumber });
    isAway = true;
    const { status, text } = await shown.confirm();
    assert.equal(status, 502);
    assert.match(text, /it is not known whether this was done\. Look before you try again/);
    assert.deepEqual(audited, ['Anna edit: failed']);
  });

  test('the audit contains no additional text that a form sends', async (t) => {
    const { register, preview, auditedFacts } = await startOffice(t);
    const id = await register();
    const shown = await preview(id, 'waive', { dollars: '100', as: 'reduction' });
    await shown.confirm({ letter: 'wilma@example.org' });
    assert.deepEqual(auditedFacts, [{ registration: id, outcome: 'done' }]);
  });

  for (const [state, takeAway] of [
    ['is away', (redis: TestRedis) => redis.stop()],
    ['hangs', async (redis: TestRedis) => process.kill(redis.pid(), 'SIGSTOP')],
  ] as const)
    test(`while Redis ${state}, her registration is shown without messages, a decision is recorded, and no request waits for long`, async (t) => {
      const office = await startOffice(t, { redisHangs: state === 'hangs' });
      const { preview, find, redis, see, audited } = office;
      const id = await registerOwing(office);
      const shown = await preview(id, 'waive', { dollars: '100', as: 'reduction' });
      await takeAway(redis);
      if (state === 'hangs') cleanUp(t, async () => process.kill(redis.pid(), 'SIGCONT'));
      const { status, text } = await shown.confirm();
      assert.equal(status, 200, text);
      assert.match(text, /Done.*The balance is \$622\.50 by card\..*Recorded for Anna\./);
      assert.deepEqual(audited, ['Anna waive: done']);
      assert.equal((await find(id)).decisions.waived?.cents, 10_000);

      const told = await see(`${officePaths.registration(id)}?told=0123456789012345678901`);
      assert.equal(told.status, 200);
      assert.match(
        told.text,
        /She has a place: her deposit is paid\..*The queue of messages does not answer/s,
      );
      const resent = await preview(id, 'resend', { kind: 'welcome' });
      assert.ok([409, 502, 503].includes(resent.status), `${resent.status}`);
    });
});
