import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { createPlaceLinks } from '#server/links/place-links.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startPaid, startSupport } from '#server/testing/test-support.ts';

const BEGINS = new Date('2025-12-01T17:00:00Z');

/** A registration with its deposit paid, by default with a recorded consent to the terms. */
async function startAgreed(t: TestContext, { consents = true } = {}) {
  const paid = await startPaid(t, { consents });
  const { id, find, payments, sandbox, now } = paid;
  return {
    ...paid,
    tell: () => paid.tell(id),
    async decline(code: string) {
      sandbox.bank.declineNextCharge((await find()).card?.id ?? '', code);
      assert.equal((await payments.chargeBalance(id, now())).type, 'declined');
    },
  };
}

describe('the office charges a balance', () => {
  test('again, before the retry planned after a decline; the worker charges it', async (t) => {
    const { run, tell, moveTo, decline, find, payments, now, id } = await startAgreed(t);
    await tell();
    moveTo(daysAfter(DUE, -1));
    const early = await run('charge');
    assert.deepEqual([early.code, early.out], [4, '']);
    assert.match(early.err, /is noticed: a card is charged once the balance is due/);
    moveTo(DUE);
    await decline('insufficient_funds');
    const shown = await run('show');
    assert.match(shown.out, /^Card {2,}Visa ending in 4242$/m);
    assert.match(shown.out, /^Told of the charge {2,}\$726\.25 on Dec 21, 2025, 5:00 PM PST$/m);
    assert.match(
      shown.out,
      /^Tries {2,}1, the last one declined: insufficient_funds; tried again Dec 22, 2025, 5:00 PM PST/m,
    );
    assert.match(shown.out, /^Dec 21, 2025, 5:00 PM PST {2,}try 1 of her card was declined/m);
    const tried = await run('charge', '--dry-run');
    assert.match(tried.out, /The site charges \$726\.25 to her Visa ending in 4242 now\.\nOnly tried/);
    assert.equal((await find()).decisions.charge, undefined);
    const asked = await run('charge');
    assert.deepEqual([asked.code, asked.err], [0, '']);
    const outcome = await payments.chargeBalance(id, now());
    assert.deepEqual(outcome, { type: 'charged', cents: 72_625 });
    const settled = await run('charge');
    assert.deepEqual([settled.code, settled.out], [4, '']);
  });

  test('never without her consent, without a notice, or with a card that was permanently declined', async (t) => {
    const [withoutConsent, untold, refused] = await Promise.all([
      startAgreed(t, { consents: false }),
      startAgreed(t),
      startAgreed(t),
    ]);
    await withoutConsent.tell();
    await refused.tell();
    for (const { moveTo } of [withoutConsent, untold, refused]) moveTo(DUE);
    await refused.decline('lost_card');
    for (const [{ run, find }, words] of [
      [withoutConsent, /cannot be charged: it is not on record that she agreed/],
      [untold, /cannot be charged: she was not told of it three days before/],
      [refused, /Her card was refused for good \(lost_card\)/],
    ] as const) {
      const { code, err } = await run('charge');
      assert.equal(code, 4);
      assert.match(err, words);
      assert.equal((await find()).decisions.charge, undefined);
    }
    assert.match((await untold.run('show')).out, /^Charged automatically {2,}no: she was not told of it/m);
  });

  test('on another day only if a letter can notify her three days before', async (t) => {
    const { run, moveTo } = await startAgreed(t);
    moveTo(daysAfter(DUE, -0.5));
    const { code, err } = await run('postpone', '2025-12-24');
    assert.equal(code, 4);
    assert.match(
      err,
      /She is told three days before she is charged: name a day after Dec 25, 2025, 5:00 AM PST/,
    );
    const { out } = await run('postpone', '2025-12-26');
    assert.match(out, /is due Dec 26, 2025, 5:00 PM PST/);
    assert.match(
      out,
      /^Charged automatically: \$726\.25 Dec 26, 2025, 5:00 PM PST, to her Visa .*, once she was told/m,
    );
  });

  test('not on another day either, if her card was permanently declined; the command says so', async (t) => {
    const { run, tell, moveTo, decline } = await startAgreed(t);
    await tell();
    moveTo(DUE);
    await decline('stolen_card');
    const { out } = await run('postpone', '2025-12-31');
    assert.match(
      out,
      /^Charged automatically: no: her card was refused \(her bank does not allow it\); she can pay/m,
    );
  });

  test('not because a promised check is withdrawn: the command first says what follows', async (t) => {
    const { run, tell, moveTo, payments, find, id } = await startAgreed(t);
    await tell();
    assert.equal((await run('pay-by-check')).code, 0);
    moveTo(daysAfter(DUE, 2));
    for (const words of [['--dry-run'], []]) {
      const { out } = await run('withdraw', 'check', ...words);
      assert.match(out, /^The balance of \$726\.25 is due Dec 21, 2025, 5:00 PM PST\.$/m);
      assert.match(out, /^Charged automatically: no: she was not told of it three days before\.$/m);
    }
    assert.equal((await find()).decisions.check, undefined);
    const outcome = await payments.chargeBalance(id, daysAfter(DUE, 2));
    assert.deepEqual(outcome, { type: 'stopped', why: 'no-notice' });
  });

  test('only of at least fifty cents, as Stripe charges no less: a waiver that leaves less is refused', async (t) => {
    const { run } = await startAgreed(t);
    const { code, err } = await run('waive', '699.70');
    assert.equal(code, 4);
    assert.match(err, /Stripe charges no less than \$0\.50/);
  });
});

describe('the link to her page', () => {
  const links = createPlaceLinks([leastEnvironment.LINK_SECRET], leastEnvironment.PUBLIC_URL);
  const tokenIn = (text: string) => /\/place\/(\S+)/.exec(text)?.[1] ?? '';

  test('is printed, and renewed: then older ones contain an outdated number', async (t) => {
    const { run, find, id } = await startAgreed(t);
    const first = await run('link');
    assert.deepEqual([first.code, first.err], [0, '']);
    const token = links.read(tokenIn(first.out), BEGINS);
    assert.deepEqual([token?.deposit, token?.epoch, token?.scope], [id, 0, 'place']);
    const renewed = await run('link', '--renew');
    assert.equal(links.read(tokenIn(renewed.out), BEGINS)?.epoch, 1);
    assert.match(renewed.out, /Older links no longer work\./);
    assert.equal((await find()).linksEpoch, 1);
  });

  test('opens nothing before the deposit is paid', async (t) => {
    const { run, begin } = await startSupport(t, { startsAt: BEGINS });
    const { id } = await begin();
    const { code, err } = await run('link', id);
    assert.deepEqual([code, err], [4, 'She has a page once her deposit is paid.\n']);
  });
});
