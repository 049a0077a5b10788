import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { registrations } from '#server/office/commands/subjects.ts';
import { officePaths } from '#server/office/paths.ts';
import { findRegistration } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { startOffice } from '#server/testing/test-office.ts';
import type { TestRedis } from '#server/testing/test-redis.ts';
import { contactStep } from '#server/testing/test-registrations.ts';

const WAIVER = { dollars: '100', as: 'reduction' };

/** An office whose requests to Stripe are counted, and fail while Stripe is away. */
async function startCounted(t: TestContext) {
  const asked: string[] = [];
  let isAway = false;
  const office = await startOffice(t, {
    intercept({ method, path }) {
      asked.push(`${method} ${path}`);
      return isAway ? { kind: 'reset', carryOut: false } : undefined;
    },
  });
  return {
    ...office,
    asked,
    setAway(is: boolean) {
      isAway = is;
    },
  };
}

describe('the page of one registration', () => {
  test('tells the state of her registration, her money, what can be done, and what happened', async (t) => {
    const { register, tell, moveTo, seeRegistration } = await startOffice(t);
    const id = await register();
    const { status, document, text } = await seeRegistration(id);
    assert.equal(status, 200);
    assert.equal(document.querySelector('h1')?.textContent, 'Wilma O’Hara');
    assert.match(text, /Deposit paid.*The site charges \$726\.25 to her Visa ending in 4242/);
    assert.match(text, /Depositpaid on Dec 1, 2025, 9:00 AM PST with her Visa ending in 4242\$721/);
    assert.match(text, /Balanceto be paid by card, due on Dec 21, 2025, 5:00 PM PST\$726\.25/);
    const times = [...document.querySelectorAll('.timeline time')].map((one) => one.getAttribute('datetime'));
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.match(text, /Not possible now.*Charge her card nowA card is charged once the balance is due/);
    const links = [...document.querySelectorAll('.command-list a')].map((one) => one.getAttribute('href'));
    assert.ok(
      links.includes(officePaths.act(id, 'cancel')) && !links.includes(officePaths.act(id, 'charge')),
    );
    await tell(id);
    moveTo(daysAfter(DUE, 0.1));
    const due = await seeRegistration(id);
    assert.match(due.text, /Balance due.*Charge her card now.*Not possible now/);
  });

  test('an address that names no registration, or no command, gets 404 with an explanation', async (t) => {
    const { see, depositOf, register } = await startOffice(t);
    const id = await register();
    for (const [path, says] of [
      [officePaths.registration(await depositOf(id)), /There is no (such )?registration/],
      [officePaths.registration('reg_*'), /There is no (such )?registration/],
      [officePaths.act('reg_none', 'cancel'), /There is no (such )?registration/],
      [officePaths.act(id, 'constructor'), /There is no such command/],
    ] as const) {
      const { status, text } = await see(path);
      assert.equal(status, 404, path);
      assert.match(text, says);
    }
  });

  test('opening any of its pages changes nothing, neither at Stripe nor on the queue', async (t) => {
    const { register, see, payments, find, now, held, signIn, mailQueue } = await startOffice(t);
    const [id, cancelled] = [await register(), await register({ email: 'olga@example.org' })];
    await payments.ask(decide, await find(cancelled), 'cancel', { at: now(), by: 'Anna', writtenAt: now() });
    await mailQueue.add((await findMail(payments, id, 'welcome', now())) ?? assert.fail());
    signIn({ name: 'Sol', role: 'support' });
    const heldBefore = await held();
    for (const one of [id, cancelled]) {
      await see(officePaths.registration(one));
      for (const command of registrations.commands) {
        const { status } = await see(`${officePaths.act(one, command.id)}?step=confirm&seen=x`);
        assert.ok([200, 409].includes(status), `${command.id} ${status}`);
      }
    }
    assert.deepEqual(await held(), heldBefore);
  });

  test('shows her and records a waiver while Stripe is away, which is asked for nothing', async (t) => {
    const office = await startCounted(t);
    const { register, seeRegistration, preview, auditedFacts, asked, setAway } = office;
    const id = await register();
    asked.length = 0;
    setAway(true);
    assert.match((await seeRegistration(id)).text, /^Wilma O’HaraDeposit paid/);
    const shown = await preview(id, 'waive', WAIVER);
    const waived = await shown.confirm({ more: 'wilma@example.org' });
    assert.match(waived.led?.text ?? '', /\$622\.50.*took off \$100 of the tuition/s);
    assert.equal((await findRegistration(office.payments, id))?.decisions.waived?.cents, 10_000);
    assert.deepEqual(auditedFacts, [{ registration: id, outcome: 'done' }]);
    assert.deepEqual(asked, []);
  });

  test('when Stripe fails in the middle of a command, it says that it is not known whether it was done', async (t) => {
    const { register, preview, audited, setAway } = await startCounted(t);
    const id = await register();
    const { firstName, email, phoneNumber } = contactStep;
    const shown = await preview(id, 'edit', { firstName, lastName: 'Hart', email, phoneNumber });
    setAway(true);
    const { status, text } = await shown.confirm();
    assert.equal(status, 502);
    assert.match(text, /it is not known whether this was done\. Look before you try again/);
    assert.deepEqual(audited, ['Anna edit: failed']);
  });

  for (const [state, takeAway] of [
    ['is away', (redis: TestRedis) => redis.stop()],
    ['hangs', async (redis: TestRedis) => process.kill(redis.pid(), 'SIGSTOP')],
  ] as const)
    test(`while Redis ${state}, her registration is shown without messages, a decision is recorded, and no request waits for long`, async (t) => {
      const office = await startOffice(t, { redisHangs: state === 'hangs' });
      const { register, preview, previewAt, find, redis, see, audited, payments, letterLog, now } = office;
      const id = await register();
      await letterLog.owe([(await findMail(payments, id, 'welcome', now())) ?? assert.fail()], now());
      const shown = await preview(id, 'waive', WAIVER);
      await takeAway(redis);
      if (state === 'hangs') cleanUp(t, async () => process.kill(redis.pid(), 'SIGCONT'));
      const { status, text } = await shown.confirm();
      assert.equal(status, 200, text);
      assert.match(text, /Done.*took off \$100 of the tuition\./);
      assert.deepEqual(audited, ['Anna waive: done']);
      assert.equal((await find(id)).decisions.waived?.cents, 10_000);

      const told = await see(officePaths.registration(id));
      assert.equal(told.status, 200);
      assert.match(told.text, /Deposit paid.*The queue of messages does not answer/s);
      const [letter] = await letterLog.about(id);
      const dismissed = await previewAt(officePaths.letterAct(letter?.id ?? '', 'dismiss'));
      assert.equal(dismissed.status, 503);
      assert.match(dismissed.text, /The queue of messages does not answer now/);
    });
});
