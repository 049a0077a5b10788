import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OfficeItem } from '#server/letters/office-digest-words.ts';
import { addressDigest } from '#server/registration/registration.ts';
import { openBalance } from '#server/stripe/balance.ts';
import { decide } from '#server/stripe/decide.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import { recordReceived, takeBackReceived } from '#server/testing/test-charges.ts';
import { readings } from '#server/testing/test-letters.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import {
  BEGUN,
  balance,
  type Changes,
  card,
  checkOf,
  recordWith,
  refund,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { needsOf } from './office-needs.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const CHARGE = new Date(edition.facts.balance.chargeAt);
const NOTICE = new Date(edition.facts.balance.noticeAt);
const ENDS = new Date(edition.facts.endsAt);
const { testSession } = edition.timetable.letters;
const after = (date: Date, days: number) => new Date(date.getTime() + days * DAY_MS);
const by = { at: BEGUN, by: 'Anna' };
const cancel = { ...by, writtenAt: BEGUN };
const { version, digest } = edition.terms;
const agreed: Changes = { card, agreement: { version, digest, agreedAt: BEGUN } };
const decline = { try: 1, at: CHARGE, code: 'insufficient_funds', card: 'pm_1', step: 1 };
const settled = { ...agreed, balances: [balance({ status: 'paid', paidAt: CHARGE })] };
const paidRest = balance({ status: 'paid', paidAt: CHARGE, beforeFeeCents: 60_000 });
const returned = { payment: checkOf(10_000, NOTICE), why: 'bounced', at: CHARGE, by: 'Anna' } as const;
const WORKED_OFF = new Date(BEGUN.getTime() + 25 * (DAY_MS / 24));
const paidEarly = { ...agreed, balances: [balance({ status: 'paid', paidAt: BEGUN })] };
const carriedOut = {
  ...paidEarly,
  decisions: { cancel },
  cancelled: { at: WORKED_OFF, cents: 70_000, checkCents: 0 },
};
const byCheck = {
  ...agreed,
  ...withCheck(70_000, BEGUN),
  decisions: { cancel },
  cancelled: { at: WORKED_OFF, cents: 0, checkCents: 70_000 },
};
const check = { ...by, cents: 70_000 };
const promised = { ...agreed, decisions: { check } };
const exception = { at: CHARGE, by: 'Anna', cents: 10_000, reason: 'illness' };
const excepted = { ...paidEarly, decisions: { refund: exception } };
const backBy = (orderedBy: string, changes: Parameters<typeof refund>[0]) => ({
  refunds: [refund({ orderedBy, ...changes })],
});
const dueAt = CHARGE.toISOString();
const workedOffAt = WORKED_OFF.toISOString();
const sum = { cents: 72_625 };
const parts = [CHARGE, after(CHARGE, 10)].map((day, index) => ({
  number: index + 1,
  cents: 35_000,
  dueAt: day,
}));
const plan = { ...by, parts };
const firstPart = { cents: 36_313, part: { position: 1, count: 2 } };
const told = { at: NOTICE, dueAt: CHARGE, to: addressDigest('wilma@example.org') };
const noticed = { ...told, ...sum };
const inPlan = {
  ...agreed,
  decisions: { plan, planAgreed: { ...by, parts } },
  notices: [{ ...told, cents: 36_313, number: 1 }],
  balances: [balance({ number: 1, tries: 1, decline })],
};
const begun = { ...agreed, notices: [noticed], balances: [balance({ tries: 1 })] };
const checkSent = { ...by, at: WORKED_OFF, cents: 70_000, sentAt: WORKED_OFF };
const failed = { reason: 'insufficient-funds', since: dueAt } as const;
const twice = { ...settled, ...withCheck(70_000, after(CHARGE, 0.5)) };
const [orderOfCancel, _orderOfRefund] = [actName('cancel', cancel), actName('refund', exception)];

/** What the office has to do about a registration at a moment, without its name and payment ID. */
const cases: [why: string, needs: Omit<OfficeItem, 'name' | 'registration'>[], Changes, Date][] = [
  ['its balance is not due yet', [], agreed, after(CHARGE, -1)],
  ['she was asked to pay', [{ need: 'asked-to-pay', ...sum, obstacle: 'no-consent' }], { card }, NOTICE],
  [
    'she has not paid since',
    [{ need: 'asked-to-pay', ...sum, since: dueAt, obstacle: 'no-notice' }],
    agreed,
    after(CHARGE, 1),
  ],
  [
    'her card is not retried',
    [{ need: 'action-needed', ...sum, ...failed }],
    { ...begun, balances: [balance({ tries: 1, decline })] },
    after(CHARGE, 1),
  ],
  [
    'its charge was begun, and fails without a result for a day',
    [{ need: 'overdue', ...sum, since: dueAt }],
    begun,
    after(CHARGE, 1.1),
  ],
  [
    'she has not agreed to her payment plan',
    [{ need: 'asked-to-pay', ...firstPart, obstacle: 'plan-not-agreed' }],
    { ...agreed, decisions: { plan } },
    NOTICE,
  ],
  [
    'her card is not retried for a part of her plan',
    [{ need: 'action-needed', ...firstPart, ...failed }],
    inPlan,
    after(CHARGE, 1),
  ],
  ['her plan is paused', [], { ...agreed, decisions: { plan: { ...plan, paused: true } } }, NOTICE],
  ['the check has not come', [{ need: 'check-overdue', cents: 70_000, since: dueAt }], promised, CHARGE],
  [
    'a check bounced after her card had paid the rest',
    [{ need: 'asked-to-pay', cents: 10_375, since: dueAt, obstacle: 'no-consent' }],
    { ...agreed, balances: [paidRest], received: { counting: [], takenBack: [returned] } },
    after(CHARGE, 1),
  ],
  ['the retreat is over', [{ need: 'overdue', ...sum, since: dueAt }], agreed, ENDS],
  ['she disputes a charge', [{ need: 'disputed' }], { ...agreed, disputed: true }, NOTICE],
  [
    'her deposit was refunded at Stripe',
    [{ need: 'deposit-refunded' }],
    { ...agreed, refunds: [refund({ of: 'deposit', cents: 72_100 })] },
    after(CHARGE, 1),
  ],
  [
    'another place has her name and address',
    [{ need: 'paid-twice', since: BEGUN.toISOString() }],
    { ...agreed, paidTwice: { other: 'reg_0', isYounger: true } },
    after(CHARGE, 1),
  ],
  ['she cancelled, and can undo it', [], { ...settled, decisions: { cancel } }, BEGUN],
  [
    'her cancellation is not carried out a day later',
    [{ need: 'refund-overdue', since: workedOffAt, cents: 72_625 }],
    { ...settled, decisions: { cancel } },
    after(WORKED_OFF, 1),
  ],
  [
    'a dispute delays her cancellation',
    [{ need: 'disputed' }],
    { ...settled, decisions: { cancel, refund: exception }, disputed: true },
    after(WORKED_OFF, 9),
  ],
  ['her cancellation is carried out', [], { ...carriedOut, refunds: [refund()] }, after(WORKED_OFF, 9)],
  [
    'her bank rejected the refund',
    [{ need: 'check-to-send', since: workedOffAt, cents: 70_000 }],
    {
      ...carriedOut,
      cancelled: { ...carriedOut.cancelled, refund: 'failed' },
      ...backBy(orderOfCancel, { status: 'failed' }),
    },
    after(WORKED_OFF, 1),
  ],
  [
    'she paid by check, and cancelled',
    [{ need: 'check-to-send', since: workedOffAt, cents: 70_000 }],
    byCheck,
    after(WORKED_OFF, 1),
  ],
  [
    'her card and her check both paid the balance',
    [{ need: 'check-to-send', since: after(CHARGE, 0.5).toISOString(), cents: 70_000 }],
    twice,
    after(CHARGE, 1),
  ],
  ['the check was sent', [], { ...byCheck, decisions: { cancel, checkSent } }, after(WORKED_OFF, 1)],
  [
    'an exceptional refund is not made a day later',
    [{ need: 'refund-overdue', since: dueAt, cents: 10_000 }],
    excepted,
    after(CHARGE, 1),
  ],
];

describe('what needs the office', () => {
  for (const [why, needs, changes, now] of cases) {
    test(`${needs.map(({ need }) => need).join() || 'nothing'}: ${why}`, () => {
      const found = needsOf(recordWith(changes), now);
      assert.deepEqual(
        found,
        needs.map((need) => ({ registration: 'reg_1', name: 'Wilma', ...need })),
      );
    });
  }
});

describe('the digest to the office', () => {
  test('is sent once a day from eight o’clock on, while something needs the office', async (t) => {
    const { at, register, mailServer, work, moveTo, sendAll, payments, find, now } = await startMailing(t);
    const id = await register({ consents: false });
    await at(now());
    assert.deepEqual(await at(NOTICE), ['office-digest', 'please-pay']);
    assert.deepEqual(await at(new Date('2025-12-11T07:59:00-08:00')), []);
    assert.deepEqual(await at(new Date('2025-12-11T08:00:00-08:00')), ['office-digest']);
    const { text = '', to, subject } = mailServer.parsed.at(-1) ?? {};
    assert.deepEqual(
      [to?.[0]?.address, subject],
      ['office@retreat.example', 'One thing needs you: The Doorway Retreat'],
    );
    assert.match(text, /Wilma O’Hara[\s\S]*\$726\.25[\s\S]*no consent to a charge is on record/);
    assert.ok(text.includes(`support show ${id}`));
    for (const hour of ['12', '23'])
      assert.deepEqual(await at(new Date(`2025-12-11T${hour}:00:00-08:00`)), []);

    // An item that is settled between queueing and sending is left out.
    moveTo(new Date('2025-12-12T09:00:00-08:00'));
    await work();
    await payments.ask(decide, await find(id), 'check', { at: now(), by: 'Anna', cents: 70_000 });
    await work();
    assert.deepEqual(await sendAll(), []);
    assert.deepEqual(await at(new Date('2025-12-13T09:00:00-08:00')), []);
  });

  test('promise 2: waits for catch-up, leaves out who has paid since the list was made, names who needs the office since, and reads nothing at Stripe', async (t) => {
    const requests: string[] = [];
    let isAway = false;
    const mailing = await startMailing(t, {
      log: (line) => requests.push(line),
      intercept: ({ path }) => (isAway && path === '/v1/events' ? { kind: 'rate-limit' } : undefined),
    });
    const { at, register, find, stripe, moveTo, work, payments, now, letterLog, outbox } = mailing;
    const [paid, owing] = [await register({ consents: false }), await register({ consents: false })];
    const refunded = await register({ email: 'refunded@example.org', consents: false });
    const received = { at: now(), by: 'Anna', way: 'check', cents: 70_000, on: now() } as const;
    await payments.ask(recordReceived, await find(refunded), received);
    await at(new Date('2025-12-22T09:00:00-08:00'));
    moveTo(new Date('2025-12-23T07:59:00-08:00'));
    await work();
    const { id: balance } = await openBalance(mailing, await find(paid), now());
    await stripe.paymentIntents.confirm(balance, { payment_method: 'pm_card_visa' });
    moveTo(new Date('2025-12-23T08:01:00-08:00'));
    isAway = true;
    await assert.rejects(work());
    const digest = (await letterLog.about(edition.facts.id)).find(({ version }) => version === '2025-12-23');
    assert.ok(digest);
    assert.equal(await outbox.findDue(digest.id), 'held');
    isAway = false;
    await work({ catchesUp: false });
    const [payment] = (await find(refunded)).received.counting;
    assert.ok(payment);
    const mistake = { at: now(), by: 'Anna', why: 'mistake' } as const;
    await payments.ask(takeBackReceived, await find(refunded), payment, mistake);
    await stripe.refunds.create({ payment_intent: await mailing.depositOf(refunded) });
    await find(refunded);
    requests.length = 0;
    const due = await outbox.findDue(digest.id);
    assert.ok(typeof due === 'object' && due.kind === 'office-digest');
    const [text] = readings(due);
    const named = [owing, refunded, paid].map((id) => text.includes(id));
    assert.deepEqual(named, [true, true, false]);
    assert.deepEqual(requests, []);
  });

  test('names a letter that failed, and never sends yesterday’s digest', async (t) => {
    const { at, register, mailServer, now } = await startMailing(t);
    await register();
    mailServer.refuse({ responseCode: 550, message: 'No such mailbox' });
    assert.deepEqual(await at(now()), []);
    mailServer.refuse(undefined);
    assert.deepEqual(await at(new Date('2025-12-02T09:00:00-08:00')), ['office-digest']);
    assert.match(mailServer.parsed.at(-1)?.text ?? '', /E-mail: welcome-reg_/);
    mailServer.refuse({ responseCode: 451, message: 'Busy' });
    assert.deepEqual(await at(new Date('2025-12-03T09:00:00-08:00')), []);
    mailServer.refuse(undefined);
    assert.deepEqual(await at(new Date('2025-12-04T09:00:00-08:00')), ['office-digest']);
    assert.match(mailServer.parsed.at(-1)?.text ?? '', /What needs you, December 4, 2025/);
  });

  test('R5.1 is told of a missing room, and the letters about it come in their time', async (t) => {
    const { register, at, mailServer } = await startMailing(t);
    await register();
    for (const moment of [NOTICE, CHARGE]) await at(moment);
    const weekBefore = new Date(Date.parse(testSession) - 7 * DAY_MS);
    assert.deepEqual(await at(new Date(weekBefore.getTime() - 2 * DAY_MS)), []);
    assert.deepEqual(await at(new Date(weekBefore.getTime() + DAY_MS / 4)), ['office-digest']);
    const digest = mailServer.parsed.at(-1)?.text ?? '';
    assert.match(digest, /The address of the video room is missing/);
    assert.match(digest, /support act january-2026 announce-room url=URL --by NAME/);
    assert.deepEqual(await at(new Date(testSession)), ['test-session']);
  });
});
