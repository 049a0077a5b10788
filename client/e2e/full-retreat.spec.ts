import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { capacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { DESKTOP, openPage } from './run/browser.ts';
import { test } from './run/test.ts';
import * as steps from './steps/registration.ts';

const facts = { ...edition.facts, places: 1 };
const now = () => new Date(edition.tryOutFrom);

test('the last place: later visitors read that all places are taken, and the visitor who holds it can go on', async ({
  browser,
  scope,
}) => {
  const { buildWithPlaces, prepareAppProcesses } = await import('#server/testing/test-app-process.ts');
  const build = await buildWithPlaces(scope, 1);
  const { start, redis, stripe } = await prepareAppProcesses(scope, { startsAt: now() }, build);
  const { siteUrl } = await start({ env: { NODE_ENV: '', CLOCK: 'sandbox' } });
  const connection = new Redis(redis.url);
  scope.after(() => connection.disconnect());
  const capacity = capacityInRedis(connection, now);
  await capacity.note(facts, 1e15, [], true);
  const open = async () => {
    const watched = await openPage(browser, DESKTOP);
    scope.after(watched.close);
    await watched.page.goto(siteUrl);
    return watched;
  };
  const [first, second] = [await open(), await open()];
  const full = (page: typeof first.page) => page.getByRole('heading', { name: registrationCopy.full.title });
  const section = (page: typeof first.page) => page.locator('#register-stepper');
  await steps.walkToPayment(first.page, 'first@visitors.example');

  await test.step('a visitor who had begun reads that it is full, and gets the focus there', async () => {
    const { page } = second;
    await steps.choosePackage(page);
    await steps.fillContact(page, { ...steps.visitor, email: 'second@visitors.example' });
    await section(page).getByRole('button', { name: 'Next' }).click();
    await full(page).waitFor();
    await section(page).getByText('Nothing was charged').first().waitFor();
    assert.ok(await page.evaluate(() => document.activeElement?.closest('#register-stepper') !== null));
  });

  await test.step('a new visitor sees that it is full from the start, and the rest loads when she comes near', async () => {
    const html = await (await fetch(siteUrl)).text();
    assert.match(html, /SoldOut/);
    const { page, assertQuiet } = await open();
    await full(page).waitFor();
    assert.equal(await page.getByText('EARLY BIRD RATE').count(), 0);
    await full(page).scrollIntoViewIfNeeded();
    await section(page).getByText('Places do become free').last().waitFor();
    assert.equal(await section(page).getByText('while you were registering').count(), 0);
    assertQuiet();
  });

  await test.step('the visitor who holds the place goes on, also after a reload', async () => {
    await first.page.reload();
    await steps.expectPaymentStep(first.page);
  });

  await test.step('a visitor whose hold has expired is told before her card is charged', async () => {
    const { page } = first;
    const key = `capacity:{${facts.id}}`;
    for (const member of await connection.zrangebyscore(key, Date.now(), 1e14))
      await connection.zadd(key, Date.now() - 1, member);
    assert.equal((await capacity.hold(facts, { registration: 'other' })).outcome, 'held');
    await steps.fillPayment(page, steps.testCards.succeeds);
    await section(page).getByRole('button', { name: 'Finish' }).click();
    await full(page).waitFor();
    await section(page).getByText('Nothing was charged').first().waitFor();
    const { data } = await stripe.paymentIntents.list();
    assert.deepEqual(
      data.map(({ status }) => status),
      ['requires_payment_method'],
    );
  });
});
