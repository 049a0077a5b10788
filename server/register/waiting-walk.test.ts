import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { offerPlace, removeWaiting, withdrawOffer } from '#server/acts/waiting-acts.ts';
import { tellWaitingList } from '#server/acts/waiting-list.ts';
import { capacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import { mailJobId } from '#server/mail/queued-job.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { waitingLettersDue } from '#server/payments/waiting-letters.ts';
import { waitingStateOf } from '#server/payments/waiting-record.ts';
import { startFullSite } from '#server/testing/test-waiting.ts';
import { summaryOf } from './last-whole-walk.ts';
import { waitingNeeds } from './waiting-needs.ts';
import { walkWaiting } from './waiting-walk.ts';

/** A full site with one entry, and functions for what the worker and the office do. */
async function startWaiting(t: TestContext) {
  const site = await startFullSite(t);
  await site.join();
  const { connection, payments, mailQueue, log, waitingModel, now, askForWalk } = {
    askForWalk: async () => {},
    ...site,
  };
  const entry = await site.onlyEntry();
  const capacity = capacityInRedis(connection, now);
  const queue = mailQueue.bullQueue;
  const walk = (registrations: readonly RegistrationRecord[] = [], isOver = false, at = now()) =>
    walkWaiting({ since: new Date(0), now: at, isOver: () => isOver }, registrations, {
      ...{ register: payments, model: waitingModel, capacity, queue, logger: log.logger },
    });
  const context = {
    ...{ queue, redis: connection, askForWalk },
    openRecord: async () => payments,
    now: async () => now(),
  };
  const look = () => capacity.look(entry.edition.facts);
  const shown = async () => (await waitingModel.list(entry.edition)).map(({ id }) => id);
  const needs = () =>
    waitingNeeds(entry.edition, now(), { queue, waiting: waitingModel, look: capacity.look });
  return { ...site, entry, walk, context, look, shown, needs, queue };
}

const done = { by: 'Olga', 'dry-run': false, 'without-place': false };

describe('the walk through the waiting list', () => {
  test('restores what Redis lost: who waits, which place is offered, which letters are owed', async (t) => {
    const { walk, connection, offer, entry, shown, look, queue } = await startWaiting(t);
    await offer(entry.id);
    await connection.flushall();
    await walk();
    assert.deepEqual(await shown(), [entry.id]);
    assert.equal((await look()).offered, 1);
    const jobs = (await queue.getWaiting()).map(({ name }) => name);
    assert.deepEqual(jobs, ['place-offered']);
    await walk();
    assert.equal(await queue.getWaitingCount(), 1);
  });

  test('runs when an offer ends: from then on its place is free for others', async (t) => {
    const { walk, offer, entry, onlyEntry, now } = await startWaiting(t);
    assert.equal(await walk(), undefined);
    await offer(entry.id, new Date(now().getTime() + 1_000));
    const until = (await onlyEntry()).offer?.until;
    assert.ok(until);
    assert.deepEqual(await walk(), until);
    const outcome = { queued: 0, recorded: 0, closed: 0, fitted: 0, attention: 0, failed: 0 };
    const walked = { outcome, registrations: [], toCharge: [], toRefund: [] };
    assert.equal(summaryOf(walked, [], now(), until).nextAt, until.getTime());
    assert.equal(summaryOf(walked, [], now()).nextAt, undefined);
    assert.equal(await walk([], false, until), undefined);
  });

  test('hides people who have left the list, and deletes everybody once registration is over', async (t) => {
    const { walk, entry, shown, stripe, payments, join } = await startWaiting(t);
    await stripe.customers.del(entry.id);
    await walk();
    assert.deepEqual(await shown(), []);
    await join({ email: 'carla@example.org' });
    assert.equal((await shown()).length, 1);
    await walk([], true);
    assert.deepEqual(await shown(), []);
    for await (const left of payments.waiting.findAll(new Date(0))) assert.fail(left.id);
  });

  test('closes the entry of a person who took a place, if the webhook was lost', async (t) => {
    const { walk, entry, shown, payments, offer, registerWith, stripe, app } = await startWaiting(t);
    const path = await offer(entry.id);
    const { default: request } = await import('supertest');
    const [cookie = ''] = (await request(app).get(path)).get('set-cookie') ?? [];
    const { body } = await registerWith(cookie).expect(200);
    const [intent = ''] = String(body.paymentIntentClientSecret).split('_secret_');
    await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' });
    const registration = await payments.findRegistration(intent);
    assert.ok(registration);
    await walk([registration]);
    assert.equal((await payments.waiting.find(entry.id))?.took, intent);
    assert.deepEqual(await shown(), []);
  });

  test('finds a sent letter no longer due, but due again if she joins again after an expired offer', async (t) => {
    const { entry, payments, offer, join, now, onlyEntry } = await startWaiting(t);
    for (const letter of waitingLettersDue(entry, now())) await payments.markSent(letter, now());
    assert.deepEqual(waitingLettersDue(await onlyEntry(), now()), []);
    await offer(entry.id, new Date(now().getTime() - 1));
    assert.equal(waitingStateOf(await onlyEntry(), now()), 'lapsed');
    assert.deepEqual(waitingLettersDue(await onlyEntry(), now()), []);
    await join();
    const again = await onlyEntry();
    assert.equal(waitingStateOf(again, now()), 'waiting');
    assert.equal(new Set(waitingLettersDue({ ...again, letterMarks: {} }, now()).map(mailJobId)).size, 2);
  });
});

describe('what the office does with an entry', () => {
  test('offers a place that is not free only if the office says so, first as a dry run, and only as it was shown', async (t) => {
    const { context, entry, look, queue, onlyEntry } = await startWaiting(t);
    await assert.rejects(offerPlace(context, entry.id, done), /No place is free/);
    const asked = { ...done, 'without-place': true };
    const tried = await offerPlace(context, entry.id, { ...asked, 'dry-run': true });
    assert.equal(tried.outcome, 'tried');
    assert.equal((await look()).offered, 0);
    assert.equal((await offerPlace(context, entry.id, { ...asked, seen: 'other' })).outcome, 'changed');
    assert.equal((await offerPlace(context, entry.id, { ...asked, seen: tried.seen })).outcome, 'done');
    assert.equal((await onlyEntry()).offer?.by, 'Olga');
    assert.equal((await look()).offered, 1);
    assert.ok((await queue.getWaiting()).some(({ name }) => name === 'place-offered'));
    await assert.rejects(offerPlace(context, entry.id, asked), /already offered/);
    await withdrawOffer(context, entry.id, done);
    assert.deepEqual([(await look()).offered, (await onlyEntry()).offer], [0, undefined]);
    await removeWaiting(context, entry.id, done);
    await assert.rejects(offerPlace(context, entry.id, asked), /There is no entry/);
  });

  test('holds no place for an offer that could not be recorded', async (t) => {
    const { context, entry, look, payments } = await startWaiting(t);
    const offer = () => Promise.reject(new Error('Stripe is down'));
    const failing = {
      ...context,
      openRecord: async () => ({ ...payments, waiting: { ...payments.waiting, offer } }),
    };
    const asked = { ...done, 'without-place': true };
    await assert.rejects(offerPlace(failing, entry.id, asked), /Stripe is down/);
    assert.equal((await look()).offered, 0);
  });

  test('reports letters that bounce, sends no more to that address, and shows that in the list', async (t) => {
    const { needs, entry, offer, payments, waitingModel, onlyEntry, now, context } = await startWaiting(t);
    await offer(entry.id);
    const { email } = entry.registrant;
    const lost = { type: 'bounce', permanent: false, address: email, customerId: entry.id } as const;
    await payments.recordBounce({ ...lost, at: now() }, now());
    await waitingModel.patch(await onlyEntry());
    const since = (await onlyEntry()).bounced?.at.toISOString();
    const cameBack = { need: 'waiting-bounced', name: 'Wilma O’Hara', since };
    assert.deepEqual(await needs(), [cameBack]);
    const later = new Date(now().getTime() + 1_000);
    const dead = { type: 'bounce', permanent: true, address: email.toUpperCase(), at: later } as const;
    assert.deepEqual((await payments.recordBounce(dead, later)).marked, [entry.id]);
    const record = await onlyEntry();
    await waitingModel.patch(record);
    assert.deepEqual(
      waitingLettersDue({ ...record, letterMarks: {} }, now()).map(({ kind }) => kind),
      [],
    );
    const told = await tellWaitingList(context, entry.edition);
    assert.match(told?.entries[0]?.words ?? '', /A place is offered until .* \(letters to her come back\)/);
  });

  test('includes a reminder when a place is free and somebody waits, and only then', async (t) => {
    const { needs, connection, entry } = await startWaiting(t);
    assert.deepEqual(await needs(), []);
    const key = `capacity:{${entry.edition.facts.id}}`;
    const [paid = ''] = await connection.zrange(key, '-1', '-1');
    await connection.zrem(key, paid);
    assert.deepEqual(await needs(), [{ need: 'place-free', count: 1 }]);
  });
});
