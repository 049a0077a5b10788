import assert from 'node:assert/strict';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { PHONE } from './run/browser.ts';
import { type Site, test } from './run/test.ts';
import { goToMoment, openOwnPage } from './steps/place.ts';

/** The address of the video room, which does not exist. */
const ROOM = 'https://room.example/the-doorway';
const EMAIL = 'whole-life@example.org';

// Not the shared product: the test moves its clock.
test.use({ productEnv: { VIDEO_ROOM_URL: ROOM }, visitor: PHONE });

test.describe('the life of a registration, from the deposit to the retreat', () => {
  async function letterOf(site: Site, kind: string, subject: RegExp): Promise<string> {
    await site.product.untilPrinted(`Mail sent {"job":"${kind}-`, 1);
    const mails = await site.mailsTo(EMAIL);
    const found = mails.filter((mail) => subject.test(mail.subject));
    assert.equal(found.length, 1, mails.map((mail) => mail.subject).join('\n'));
    return found[0]?.text.replaceAll('\u00a0', ' ') ?? '';
  }

  test('she is notified and charged, and her page shows what is paid and the link to the room', async ({
    site,
  }) => {
    const { page, link, assertQuiet } = await openOwnPage(site, EMAIL);
    await page.getByRole('heading', { name: 'Nothing to do for now' }).waitFor();
    const sandbox = await site.openEmpty();
    await sandbox.page.goto(site.product.sandboxUrl);

    await goToMoment(sandbox.page, 'the balance is announced');
    const notice = await letterOf(site, 'balance-notice', /balance/i);
    for (const words of ['$726.25', 'December 21, 2025', '4242', '/place/v1.'])
      assert.ok(notice.includes(words), `${words} in\n${notice}`);

    await goToMoment(sandbox.page, 'the reminder of the balance goes out');
    await letterOf(site, 'balance-reminder', /reminder|three days/i);
    assert.deepEqual(await site.chargesOf(EMAIL), [facts.prices.depositCents]);

    await goToMoment(sandbox.page, 'the balance is charged');
    const paid = await letterOf(site, 'balance-paid', /paid/i);
    for (const words of ['$721', '$726.25']) assert.ok(paid.includes(words), `${words} in\n${paid}`);
    assert.deepEqual(await site.chargesOf(EMAIL), [facts.prices.depositCents, facts.prices.balanceCents]);
    await page.reload();
    await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
    assert.equal(await page.locator(`a[href="${ROOM}"]`).count(), 0);

    await goToMoment(sandbox.page, 'the test session begins');
    const testSession = await letterOf(site, 'test-session', /test session/);
    assert.match(testSession, /January 15, 2026, at 5:30 pm/);
    assert.ok(!testSession.includes(ROOM), 'a letter leads to the room by her page only');
    await page.goto(link);
    await page.getByRole('link', { name: 'Enter the room of the test session' }).waitFor();

    await goToMoment(sandbox.page, 'registration closes');
    assert.match(await letterOf(site, 'way-in', /way into/), /Your own page leads to the room/);
    await page.goto(link);
    await page.locator(`a[href="${ROOM}"]`).waitFor();
    const subjects = (await site.mailsTo(EMAIL)).map(({ subject }) => subject);
    assert.equal(new Set(subjects).size, subjects.length, subjects.join('\n'));
    assertQuiet();
  });
});
