import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import { confirmableUntil } from '#server/record/waiting-record.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
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
  await site.placesShown.look();
  assert.equal(site.placesShown.isFull(), true);
  const links = createWaitingLinks(site.config.linkSecrets, site.config.publicUrl);
  const { waitingList } = site.admission;
  /** The office offers a place, by default for 48 hours. */
  const offer = async (waitingId: string, until = new Date(site.now().getTime() + OFFER_MS)) => {
    const record = await waitingList.find(waitingId);
    assert.ok(record);
    await waitingList.offer(record, { at: site.now(), until, by: 'Olga' }, true);
    return new URL(links.offerUrl({ waitingId, expiresAt: until })).pathname;
  };
  const onlyEntry = async () => {
    const all = await waitingList.list(edition);
    assert.equal(all.length, 1);
    assert.ok(all[0]);
    return all[0];
  };
  const join = (changes: object = {}, key = newKey()) =>
    request(site.app)
      .post(JOIN_WAITING_PATH)
      .set(IDEMPOTENCY_KEY_HEADER, key)
      .send({ ...contact, ...changes });
  const confirm = async () => {
    const { id, joinedAt } = await onlyEntry();
    const url = links.confirmUrl({ waitingId: id, expiresAt: confirmableUntil({ joinedAt }) });
    await request(site.app).post(new URL(url).pathname).expect(200);
  };
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
  return { ...site, links, offer, onlyEntry, join, confirm, registerWith, pay };
}
