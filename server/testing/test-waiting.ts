import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { capacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';
import { JOIN_WAITING_PATH } from '#shared/waiting.ts';
import type { TestScope } from './clean-up.ts';
import { startSiteWithPlaces, tellOf } from './test-places.ts';
import type { SiteOptions } from './test-site.ts';
import { contactStep } from './test-visitor.ts';

const OFFER_MS = 48 * 60 * 60 * 1000;
const { package: packageId, ...contact } = contactStep;
const newKey = () => randomBytes(16).toString('hex');

/** A site with one place, which somebody has paid for. */
export async function startFullSite(t: TestScope, options: SiteOptions = {}) {
  const site = await startSiteWithPlaces(t, 1, options);
  const first = site.visit('first');
  await first.submit();
  await first.pay();
  await first.tell();
  await untilFull(site);
  const links = createWaitingLinks(site.config.linkSecrets, site.config.publicUrl);
  const holds = capacityInRedis(site.connection, site.now);
  /** The office offers a place, by default for 48 hours. */
  const offer = async (waitingId: string, until = new Date(site.now().getTime() + OFFER_MS)) => {
    const record = await site.payments.waiting.find(waitingId);
    assert.ok(record);
    await site.payments.waiting.offer(record, { at: site.now(), until, by: 'Olga' });
    await holds.offer(record.edition.facts, waitingId, until, true);
    return new URL(links.offerUrl({ waitingId, expiresAt: until })).pathname;
  };
  /** The only entry of the list. */
  const onlyEntry = async () => {
    const all = [];
    for await (const entry of site.payments.waiting.findAll(new Date(0))) all.push(entry);
    assert.equal(all.length, 1);
    assert.ok(all[0]);
    return all[0];
  };
  const join = (changes: object = {}, key = newKey()) =>
    request(site.app)
      .post(JOIN_WAITING_PATH)
      .set(IDEMPOTENCY_KEY_HEADER, key)
      .send({ ...contact, ...changes });
  /** Registers in a browser with a cookie. */
  const registerWith = (cookie: string, changes: object = {}) =>
    request(site.app)
      .post(CREATE_PAYMENT_PATH)
      .set(IDEMPOTENCY_KEY_HEADER, newKey())
      .set('Cookie', cookie)
      .send({ ...contactStep, ...changes });
  const pay = async (intent: string) => {
    await site.stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' });
    return tellOf(site, intent, 'payment_intent.succeeded');
  };
  return { ...site, links, offer, onlyEntry, join, registerWith, pay };
}

/** The page uses a cached reading of the places, which is refreshed after each submit. */
async function untilFull({
  capacity,
  visit,
}: Awaited<ReturnType<typeof startSiteWithPlaces>>): Promise<void> {
  assert.equal((await visit('refused').submit()).status, 409);
  const deadline = Date.now() + 60_000;
  while (!capacity.isFull()) {
    assert.ok(Date.now() < deadline, 'the page is not full');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
