import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { dueOf } from '#server/payments/due.ts';
import { readOnRecord } from '#server/record/on-record.ts';
import { askForDueWork, lastDueWork, startPost, untilReceived } from '#server/testing/test-mailing.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startSiteWithPlaces, submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A clock that a test moves, as the site's and the sandbox's. */
function movableClock() {
  const clock = { at: Date.parse(edition.tryOutFrom) };
  const now = () => new Date(clock.at);
  return { clock, now, options: { changes: { now }, clock: { now: () => clock.at } } };
}

/** A site with places, and whether the reminder of a visitor's registration is due once her first letter was sent. */
async function startPlaces(t: TestContext, places: number) {
  const { clock, now, options } = movableClock();
  const site = await startSiteWithPlaces(t, places, options);
  const isDue = async (deposit: string) => {
    for (const letter of await site.letterLog.about(deposit)) await site.letterLog.noteSent(letter, now());
    const due = dueOf(await readOnRecord(site, deposit), { now: now(), isOver: () => false });
    return due.letters.some(({ kind }) => kind === 'unfinished');
  };
  return { ...site, clock, isDue };
}

describe('the reminder of an unfinished registration', () => {
  test('R5.3 goes out once, a day after her last submit', async (t) => {
    const { clock, now, options } = movableClock();
    const post = await startPost(t, options);
    await submitContact(post.app).expect(200);
    clock.at += HOUR_MS;
    await submitContact(post.app).expect(200);
    clock.at += DAY_MS - 1;
    post.startWorker({ now, registration: 'open' });
    const received = async (count: number) => {
      await askForDueWork(post);
      while ((await lastDueWork(post)) < clock.at / 1000) await setImmediate();
      return (await untilReceived(post, count)).map((kind) => kind.slice(1));
    };
    const atOnce = ['office-notice', 'registration-received'];
    assert.deepEqual(await received(2), atOnce);
    for (const later of [1, DAY_MS]) {
      clock.at += later;
      assert.deepEqual(await received(3), [...atOnce, 'unfinished']);
    }
  });

  test('R5.3 is not due once the address has a place, or has begun again; then the newer one is due', async (t) => {
    const { visit, clock, isDue } = await startPlaces(t, 10);
    const [first, second, third] = ['a', 'b', 'c'].map(() => visit('wilma'));
    assert.ok(first && second && third);
    await first.submit();
    clock.at += 1000;
    await second.submit();
    clock.at += DAY_MS;
    assert.deepEqual([await isDue(first.id()), await isDue(second.id())], [false, true]);
    await third.submit({ firstName: 'Anna' });
    await third.pay();
    await third.tell();
    assert.deepEqual([await isDue(first.id()), await isDue(second.id())], [false, false]);
  });

  test('R5.3 is not due while the places that are left are for people who wait', async (t) => {
    const { visit, clock, isDue, admission, now } = await startPlaces(t, 2);
    const [unpaid, paid] = [visit('unpaid'), visit('paid')];
    await unpaid.submit();
    clock.at += DAY_MS;
    await paid.submit();
    await paid.pay();
    await paid.tell();
    assert.equal(await isDue(unpaid.id()), true);
    const { package: _, ...contact } = contactStep;
    const id = await admission.waitingList.join({ contact, timeZone: '', facts: edition.facts });
    assert.equal(await isDue(unpaid.id()), true);
    await admission.waitingList.confirm(id);
    assert.equal(await isDue(unpaid.id()), false, now().toISOString());
  });
});
