import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { HERSELF, nextInstallment, readActs } from '#server/registration/registration.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { hiddenIn, newsCookieOf, newsOf, startOwnPage, wordsOf } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formPaths, OWN_PAGE_PATH } from '#shared/own-page.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PROOF = '0142';
const { balanceBeforeFeeCents } = edition.facts.prices;
/** Of all parts by card: their fees add up. */
const SUM = edition.facts.prices.balanceCents;
const CHARGE_AT = Date.parse(edition.facts.balance.chargeAt);
/** The first two parts have the same sum, with their card fees too. */
const ONE = 20_000;
const parts = [ONE, ONE, balanceBeforeFeeCents - 2 * ONE].map((cents, index) => ({
  number: index + 1,
  cents,
  dueAt: new Date(CHARGE_AT + index * 7 * DAY_MS),
}));

/** A paid registration whose balance the office has divided into three parts. */
async function startPlan(t: TestContext) {
  const ownPage = await startOwnPage(t);
  const { database, registration, clock, enter, press, find } = ownPage;
  const decidePlan = async (changes: object = {}) => {
    clock.now = new Date(clock.now.getTime() + 60_000);
    await recordAct(database, registration, 'plan', { at: clock.now, parts, ...changes });
    return clock.now.toISOString();
  };
  const decided = await decidePlan();
  const agree = async (input: object = {}, cookie?: string) =>
    press(cookie ?? (await enter()), formPaths.plan, { decided, cents: SUM, proof: PROOF, ...input });
  const agreement = async () => (await find()).decisions.planAgreed;
  return { ...ownPage, decided, decidePlan, agree, agreement };
}

describe('she agrees to her payment plan', () => {
  test('by the form and her proof: exactly the parts that were shown, once, and the worker is notified', async (t) => {
    const { enter, see, agree, agreement, decided, clock, timesAsked, database, registration } =
      await startPlan(t);
    const cookie = await enter();
    const form = await see(cookie, formPaths.plan).expect(200);
    assert.ok(form.text.includes(`name="decided" value="${decided}"`));
    assert.ok(form.text.includes(`name="cents" value="${SUM}"`));
    await timesAsked();

    const [sent, other] = await Promise.all([agree({}, cookie), agree({}, cookie)]);
    assert.deepEqual([sent.status, sent.headers.location, newsOf(sent)], [303, OWN_PAGE_PATH, 'plan-agreed']);
    assert.equal(newsOf(other), 'plan-agreed', 'two presses at the same time agree once');
    const acts = await database.read((transaction) => readActs(transaction, registration));
    assert.equal(acts.filter(({ kind }) => kind === 'planAgreed').length, 1);
    const { at, by } = (await agreement()) ?? assert.fail();
    assert.deepEqual([at, by], [clock.now, HERSELF]);
    assert.equal(await timesAsked(), 1);
    const told = await see(`${cookie}; ${newsCookieOf(sent)}`).expect(200);
    assert.match(
      wordsOf(told.text),
      /You have agreed to your payment plan.*Part 1 of 3 of your payment plan/,
    );

    clock.now = new Date(clock.now.getTime() + 1_000);
    assert.equal(newsOf(await agree({}, cookie)), 'plan-agreed');
    assert.deepEqual((await agreement())?.at, at, 'a second press changes nothing');
    assert.equal(await timesAsked(), 0);
  });

  type Plan = Awaited<ReturnType<typeof startPlan>>;
  for (const [what, change, leadsTo] of [
    [
      'the plan',
      async ({ decidePlan }: Plan) =>
        void (await decidePlan({ parts: parts.slice(1).map((part) => ({ ...part, cents: 35_000 })) })),
      formPaths.plan,
    ],
    [
      'its sums, by a check',
      ({ database, registration, clock: { now: at } }: Plan) =>
        recordAct(database, registration, 'received', { at, way: 'check', cents: ONE / 2, on: at }),
      formPaths.plan,
    ],
    [
      'that it goes on: it is paused',
      async ({ decidePlan }: Plan) => ({ decided: await decidePlan({ paused: true }) }),
      formPaths.plan,
    ],
    [
      'that there is one: it has ended',
      async ({ database, registration, clock: { now: at } }: Plan) => {
        const undoes = await recordAct(database, registration, 'plan', { at, parts });
        await recordAct(database, registration, 'withdrawal', { at, undoes });
      },
      OWN_PAGE_PATH,
    ],
  ] as const)
    test(`not where this has changed since: ${what}`, async (t) => {
      const plan = await startPlan(t);
      const changed = await change(plan);
      const sent = await plan.agree(typeof changed === 'object' ? changed : {});
      assert.deepEqual([sent.headers.location, newsOf(sent)], [leadsTo, 'changed']);
      assert.equal(await plan.agreement(), undefined);
    });
});

test('she pays the next part ahead of its date: the one after it is next, and the third one stays as it is', async (t) => {
  const { enter, press, agree, see, find } = await startPlan(t);
  await agree();
  const cookie = await enter();
  const next = async () => nextInstallment(await find()).part?.position;
  for (const [position, rest] of [
    [1, /Part 2 of 3 \$[\d.]+ next, .*Part 3 of 3/],
    [2, /Part 3 of 3 \$[\d.]+ next, /],
  ] as const) {
    assert.equal(await next(), position);
    const { text: page } = await see(cookie).expect(200);
    assert.match(wordsOf(page), new RegExp(`Pay part ${position} of 3 now`));
    const hidden = hiddenIn((await see(cookie, formPaths.pay)).text, formPaths.pay);
    assert.equal(hidden.part, String(position));
    const shown = { ...hidden, proof: PROOF };
    const other = await press(cookie, formPaths.pay, { ...shown, part: String(position + 1) }).expect(303);
    assert.equal(newsOf(other), 'changed');
    const paying = await press(cookie, formPaths.pay, shown).expect(303);
    assert.equal(newsOf(paying), 'paid');
    // A second press of the same form does not pay the part after it.
    assert.equal(newsOf(await press(cookie, formPaths.pay, shown).expect(303)), 'paid');
    const { text } = await see(`${cookie}; ${newsCookieOf(paying)}`).expect(200);
    assert.match(wordsOf(text), new RegExp(`Part ${position} of 3 of your payment plan has arrived`));
    assert.match(wordsOf(text), rest);
  }
  const record = await find();
  assert.deepEqual(record.decisions.plan?.parts, parts);
  const { part, dueAt, left } = nextInstallment(record);
  assert.deepEqual([part?.position, dueAt, left.beforeFeeCents], [3, parts[2]?.dueAt, parts[2]?.cents]);
});
