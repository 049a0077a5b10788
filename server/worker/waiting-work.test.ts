import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { waitingLettersDue } from '#server/letters/table.ts';
import { readWaitingList } from '#server/office/commands/waiting-commands.ts';
import { act } from '#server/office/terminal/act-command.ts';
import { recordBounce } from '#server/registration/registration.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { startFullSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { waitingNeeds, workOffWaiting } from './waiting-work.ts';

/** A full site with one entry, a clock that goes on, and functions for what the worker and the office do. */
async function startWaiting(t: TestContext) {
  let at = Date.parse(edition.tryOutFrom);
  const site = await startFullSite(t, { changes: { now: () => new Date(at) }, clock: { now: () => at } });
  await site.join();
  await site.confirm();
  const { admission, letterLog, mailQueue, log, now, context } = site;
  const { places, waitingList } = admission;
  const entry = await site.onlyEntry();
  const queue = mailQueue.bullQueue;
  const work = (isOver = false) =>
    workOffWaiting(
      { now: now(), isOver: () => isOver },
      { waitingList, letterLog, queue, logger: log.logger },
    );
  const count = () => places.count(edition.facts);
  const shown = async () => (await waitingList.list(edition)).map(({ id }) => id);
  const needs = () => waitingNeeds(edition, now(), admission);
  const later = (seconds: number) => {
    at += seconds * 1_000;
  };
  return { ...site, entry, later, work, context, count, shown, needs, queue, waitingList };
}

describe('what is due on the waiting list', () => {
  test('deletes everybody once registration is over', async (t) => {
    const { work, shown, join } = await startWaiting(t);
    await join({ email: 'carla@example.org' });
    assert.equal((await shown()).length, 2);
    await work();
    assert.equal((await shown()).length, 2);
    await work(true);
    assert.deepEqual(await shown(), []);
  });

  test('is looked for again an hour later, or once the entry has changed', async (t) => {
    const { work, later, entry, offer, waitingList, now } = await startWaiting(t);
    const isDue = async () => (await waitingList.due(now(), [])).length === 1;
    await work();
    assert.equal(await isDue(), false);
    later(60 * 60);
    assert.equal(await isDue(), true);
    const [read] = await waitingList.due(now(), []);
    await work();
    later(1);
    await offer(entry.id);
    await waitingList.lookAgain(read ?? assert.fail(), new Date('2999-01-01T00:00:00Z'));
    assert.equal(await isDue(), true, 'what was read before the change says nothing');
  });

  test('does what is due for the others when one entry fails', async (t) => {
    const { work, join, waitingList, queue, connection, log, entry } = await startWaiting(t);
    await join({ email: 'carla@example.org' });
    await connection.flushall();
    const [first, ...others] = await waitingList.list(edition);
    assert.equal(first?.id, entry.id);
    const broken = { ...first, edition: { ...edition, timetable: undefined } };
    t.mock.method(waitingList, 'due', async () => [broken, ...others]);
    await work();
    assert.equal(await queue.getWaitingCount(), 1);
    assert.match(log.text(), /Something that is due for an entry of the waiting list could not be done/);
  });

  test('deletes an entry that was not confirmed within two days, and no other', async (t) => {
    const { work, shown, join, later, entry } = await startWaiting(t);
    await join({ email: 'carla@example.org' });
    later(48 * 60 * 60 - 1);
    await work();
    assert.equal((await shown()).length, 2);
    later(1);
    await work();
    assert.deepEqual(await shown(), [entry.id]);
  });
});

describe('what the office does with an entry', () => {
  test('offers a place that is not free only if the office says so', async (t) => {
    const { context, entry, count, queue, onlyEntry } = await startWaiting(t);
    const offer = (exceed = '', isTried = false) =>
      act(context, entry.id, { kind: 'offer', fields: [`exceed=${exceed}`], by: 'Olga', isTried });
    await assert.rejects(offer(), /No place is free/);
    await offer('yes', true);
    assert.equal((await count()).offered, 0);
    await offer('yes');
    assert.equal((await onlyEntry()).offer?.by, 'Olga');
    assert.equal((await count()).offered, 1);
    assert.ok((await queue.getWaiting()).some(({ name }) => name === 'place-offered'));
    await assert.rejects(offer('yes'), /already offered/);
  });

  test('reports letters that bounce, sends no more to that address, and shows that in the list', async (t) => {
    const { needs, entry, offer, onlyEntry, now, context } = await startWaiting(t);
    await offer(entry.id);
    const { email } = entry.registrant;
    const dead = { address: email.toUpperCase(), at: now() };
    assert.deepEqual((await recordBounce(context.payments, dead, now())).marked, [entry.id]);
    assert.deepEqual((await recordBounce(context.payments, dead, now())).marked, []);
    const since = (await onlyEntry()).bounced?.at.toISOString();
    const cameBack = { need: 'waiting-bounced', name: 'Wilma O’Hara', since };
    assert.deepEqual(await needs(), [cameBack]);
    const record = await onlyEntry();
    assert.deepEqual(waitingLettersDue({ ...record, letters: [] }, now()), []);
    const told = await readWaitingList(context, edition);
    assert.match(told?.entries[0]?.words ?? '', /A place is offered until .* \(messages to her come back\)/);
  });

  test('includes a reminder when a place is free and somebody waits, and only then', async (t) => {
    const { needs, sync, stripe } = await startWaiting(t);
    assert.deepEqual(await needs(), []);
    const { data } = await stripe.paymentIntents.list();
    const paid = data.find(({ status }) => status === 'succeeded') ?? assert.fail();
    await stripe.refunds.create({ payment_intent: paid.id });
    await sync(registrationOf(paid));
    assert.deepEqual(await needs(), [{ need: 'place-free', count: 1 }]);
  });
});
