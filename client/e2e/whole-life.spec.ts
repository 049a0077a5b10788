import assert from 'node:assert/strict';
import { test } from './run/test.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { PHONE } from './run/browser.ts';
import { readMailsTo } from './run/mailbox.ts';
import { chargesOf, goToMoment, openOwnPage, refundsOf } from './steps/place.ts';

/** The address of the video room, which does not exist. */
const ROOM = 'https://room.example/the-doorway';
const EMAIL = 'whole-life@example.org';

test.describe('the life of a registration, from the deposit to the retreat', () => {
  test.use({ productEnv: { VIDEO_ROOM_URL: ROOM }, visitor: PHONE });

  async function letterOf(kind: string, subject: RegExp): Promise<string> {
    await site.product.untilPrinted(`Mail sent {"job":"${kind}-`, 1);
    const mails = await readMailsTo(EMAIL, site.product.mailboxUrl);
    const found = mails.filter((mail) => subject.test(mail.subject));
    assert.equal(found.length, 1, mails.map((mail) => mail.subject).join('\n'));
    return found[0]?.text.replaceAll('\u00a0', ' ') ?? '';
  }

  test('she is notified and charged, and her page shows what is paid and the link to the room', async ({ site }) => {
    const { page, link, assertQuiet } = await openOwnPage(site, EMAIL);
    await page.getByRole('heading', { name: 'Nothing to do for now' }).waitFor();
    const sandbox = await site.openEmpty();
    await sandbox.page.goto(site.product.sandboxUrl);

    await goToMoment(sandbox.page, 'the balance is announced');
    const notice = await letterOf('balance-notice', /balance/i);
    for (const words of ['$726.25', 'December 21, 2025', '4242', '/place/v1.'])
      assert.ok(notice.includes(words), `${words} in\n${notice}`);

    await goToMoment(sandbox.page, 'the reminder of the balance goes out');
    await letterOf('balance-reminder', /reminder|three days/i);
    assert.deepEqual(await chargesOf(EMAIL, site), [facts.prices.depositCents]);

    await goToMoment(sandbox.page, 'the balance is charged');
    const paid = await letterOf('balance-paid', /paid/i);
    for (const words of ['$721', '$726.25']) assert.ok(paid.includes(words), `${words} in\n${paid}`);
    assert.deepEqual(await chargesOf(EMAIL, site), [facts.prices.depositCents, facts.prices.balanceCents]);
    await page.reload();
    await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
    assert.equal(await page.locator(`a[href="${ROOM}"]`).count(), 0);

    await goToMoment(sandbox.page, 'the test session begins');
    const test = await letterOf('test-session', /test session/);
    assert.match(test, /January 15, 2026, at 5:30 pm/);
    assert.ok(!test.includes(ROOM), 'a letter leads to the room by her page only');
    await page.goto(link);
    await page.getByRole('link', { name: 'Enter the room of the test session' }).waitFor();

    await goToMoment(sandbox.page, 'registration closes');
    assert.match(await letterOf('way-in', /way into/), /Your own page leads to the room/);
    await page.goto(link);
    await page.locator(`a[href="${ROOM}"]`).waitFor();
    const subjects = (await readMailsTo(EMAIL, site.product.mailboxUrl)).map(({ subject }) => subject);
    assert.equal(new Set(subjects).size, subjects.length, subjects.join('\n'));
    assertQuiet();
  });
});

test.describe('the life of a registration that is cancelled after the charge', () => {
  test.use({ productEnv: { VIDEO_ROOM_URL: ROOM }, visitor: PHONE });
  const email = 'cancelled-life@example.org';

  test('her page shows her refund, she cancels in time, and gets exactly that', async ({ site }) => {
    const { page, link, assertQuiet } = await openOwnPage(site, email);
    const sandbox = await site.openEmpty();
    await sandbox.page.goto(site.product.sandboxUrl);
    await goToMoment(sandbox.page, 'the balance is announced');
    await site.product.untilPrinted('Mail sent {"job":"balance-notice-', 1);
    await goToMoment(sandbox.page, 'the balance is charged');
    await site.product.untilPrinted('Mail sent {"job":"balance-paid-', 1);

    await page.reload();
    await page.getByRole('link', { name: 'Cancel your place' }).click();
    await page.getByText('$700 goes back to your Visa ending in 4242').waitFor();
    await page.getByText('11:59').waitFor();
    await page.getByLabel('Postal code of the card that paid your deposit').fill('95060');
    await page.getByRole('button', { name: 'Cancel my place' }).click();
    await page.getByRole('heading', { name: 'Your place is cancelled' }).waitFor();
    await site.product.untilPrinted('Mail sent {"job":"cancel-received-', 1);
    assert.deepEqual(await refundsOf(email, site), []);

    await goToMoment(sandbox.page, 'the test session begins');
    await site.product.untilPrinted('Mail sent {"job":"cancelled-', 1);
    assert.deepEqual(await refundsOf(email, site), [facts.prices.balanceBeforeFeeCents]);
    await page.goto(link);
    await page.getByText('$700 was sent back to your Visa ending in 4242').waitFor();
    await page.getByText('Given back to you').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Take it back, and keep my place' }).count(), 0);
    assertQuiet();
  });
});
