import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { readOnRecord } from '#server/record/on-record.ts';
import { occupy, openTestDatabase } from '#server/testing/test-database.ts';
import { startSiteWithPlaces, tellOf } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';

/** A site with a number of places, and a clock that the test moves. */
async function startWithClock(t: TestContext, places: number) {
  let at = Date.parse(edition.tryOutFrom);
  const site = await startSiteWithPlaces(t, places, {
    changes: { now: () => new Date(at) },
    clock: { now: () => at },
  });
  return {
    ...site,
    /** Lets a time pass in which nobody pays. */
    halfAnHourLater() {
      at += 30 * 60_000;
    },
  };
}

describe('a place is held while somebody pays', () => {
  test('a visitor who finds none left is refused before anything is created at Stripe', async (t) => {
    const { visit, stripe } = await startSiteWithPlaces(t, 1);
    assert.equal((await visit('anna').submit()).status, 200);
    const { status, body } = await visit('berta').submit();
    assert.equal(status, 409);
    assert.equal(body.error.code, 'retreat_full');
    assert.equal((await stripe.customers.list()).data.length, 1);
  });

  test('a visitor who holds the last one can submit, edit, pay and come back as often as she wants', async (t) => {
    const { visit } = await startSiteWithPlaces(t, 1);
    const anna = visit('anna');
    const edit = () => anna.edit({ lastName: 'Edited' });
    for (const press of [anna.submit, anna.submit, edit]) assert.equal((await press()).status, 200);
    for (const _again of [1, 2]) await anna.consent().expect(204);
    await anna.pay();
    for (const press of [anna.tell, edit]) assert.equal((await press()).status, 200);
    assert.equal((await visit('berta').submit()).status, 409);
  });

  test('her consent renews it; if others took it meanwhile she learns that before her card is charged', async (t) => {
    const { visit, halfAnHourLater, stripe, ...site } = await startWithClock(t, 1);
    const [anna, berta] = [visit('anna'), visit('berta')];
    await anna.submit();
    halfAnHourLater();
    await anna.consent().expect(204);
    assert.equal((await berta.submit()).status, 409);
    halfAnHourLater();
    assert.equal((await berta.submit()).status, 200);
    assert.equal((await stripe.paymentIntents.retrieve(anna.id())).status, 'canceled');
    const { body } = await anna.consent().expect(409);
    assert.equal(body.error.code, 'payment_canceled');
    assert.match(body.error.message, /you have not been charged/);
    assert.equal((await visit('anna').submit()).body.error.code, 'retreat_full');
    assert.equal((await readOnRecord(site, berta.id())).acts.length, 0);
  });

  test('a card that is approved long after that is not charged: the last place is sold once', async (t) => {
    const { visit, halfAnHourLater, stripe, admission } = await startWithClock(t, 1);
    const early = ['anna', 'berta', 'carla'].map(visit);
    for (const one of early) {
      await one.submit().then(({ status }) => assert.equal(status, 200));
      await one.consent().expect(204);
      halfAnHourLater();
    }
    const last = visit('dora');
    assert.equal((await last.submit()).status, 200);
    for (const one of early) await assert.rejects(one.pay(), /canceled/);
    await last.consent().expect(204);
    await last.pay();
    await last.tell();
    const { data } = await stripe.paymentIntents.list({ limit: 100 });
    assert.equal(data.filter(({ status }) => status === 'succeeded').length, 1);
    assert.equal((await admission.places.count(facts)).paid, 1);
  });

  test('who paid while nobody told the site keeps her place', async (t) => {
    const { visit, halfAnHourLater } = await startWithClock(t, 1);
    const anna = visit('anna');
    await anna.submit();
    await anna.pay();
    halfAnHourLater();
    halfAnHourLater();
    assert.equal((await visit('berta').submit()).body.error.code, 'retreat_full');
  });

  test('a paid place stays hers; once the deposit is refunded it is free', async (t) => {
    const site = await startWithClock(t, 1);
    const [anna, berta] = [site.visit('anna'), site.visit('berta')];
    await anna.submit();
    await anna.pay();
    await anna.tell();
    site.halfAnHourLater();
    assert.equal((await berta.submit()).status, 409);
    const { latest_charge: charge } = await site.stripe.paymentIntents.retrieve(anna.id());
    await site.stripe.refunds.create({ charge: String(charge) });
    await tellOf(site, anna.id(), 'payment_intent.succeeded');
    assert.equal((await berta.submit()).status, 200);
  });
});

test('while the register is locked a visitor is asked to come again, and nothing is made at Stripe', async (t) => {
  const { visit, stripe, databaseUrl, log } = await startSiteWithPlaces(t, 1);
  const unlock = await occupy(t, openTestDatabase(t, databaseUrl));
  const anna = visit('anna');
  const answer = await anna.submit();
  assert.deepEqual([answer.status, answer.body.error.code], [503, 'register_away']);
  assert.equal(answer.get('retry-after'), '5');
  assert.match(answer.body.error.message, /Nothing was charged/);
  assert.match(log.text(), /database is locked/);
  await unlock();
  assert.deepEqual((await stripe.customers.list()).data, []);
  assert.equal((await anna.submit()).status, 200);
});
