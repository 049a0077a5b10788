import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { PHONE } from './run/browser.ts';
import { readMailsTo } from './run/mailbox.ts';
import { runProduct } from './run/run-product.ts';
import { chargesOf, goToMoment, openOwnPage } from './steps/place.ts';

/** Where the room would be. */
const ROOM = 'https://room.example/the-doorway';
const EMAIL = 'whole-life@example.org';

describe('the life of a registration, from the deposit to the retreat', () => {
  const run = runProduct({ env: { VIDEO_ROOM_URL: ROOM }, visitor: PHONE });

  async function letterOf(kind: string, subject: RegExp): Promise<string> {
    await run.product.untilPrinted(`Mail sent {"job":"${kind}-`, 1);
    const mails = await readMailsTo(EMAIL, run.product.mailboxUrl);
    const found = mails.filter((mail) => subject.test(mail.subject));
    assert.equal(found.length, 1, mails.map((mail) => mail.subject).join('\n'));
    return found[0]?.text.replaceAll('\u00a0', ' ') ?? '';
  }

  test('she is told, charged, and shown what is paid and the way into the room', async (t) => {
    const { page, link, assertQuiet } = await openOwnPage(t, EMAIL, run);
    await page.getByRole('heading', { name: 'Nothing to do for now' }).waitFor();
    const sandbox = await run.openEmpty(t);
    await sandbox.page.goto(run.product.sandboxUrl);

    await goToMoment(sandbox.page, 'the balance is announced');
    const notice = await letterOf('balance-notice', /balance/i);
    for (const words of ['$726.25', 'December 21, 2025', '4242', '/place/v1.'])
      assert.ok(notice.includes(words), `${words} in\n${notice}`);

    await goToMoment(sandbox.page, 'the reminder of the balance goes out');
    await letterOf('balance-reminder', /reminder|three days/i);
    assert.deepEqual(await chargesOf(EMAIL, run), [facts.prices.depositCents]);

    await goToMoment(sandbox.page, 'the balance is charged');
    const paid = await letterOf('balance-paid', /paid/i);
    for (const words of ['$721', '$726.25']) assert.ok(paid.includes(words), `${words} in\n${paid}`);
    assert.deepEqual(await chargesOf(EMAIL, run), [facts.prices.depositCents, facts.prices.balanceCents]);
    await page.reload();
    await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
    assert.equal(await page.locator(`a[href="${ROOM}"]`).count(), 0);

    await goToMoment(sandbox.page, 'registration closes');
    await page.goto(link);
    await page.locator(`a[href="${ROOM}"]`).waitFor();
    const subjects = (await readMailsTo(EMAIL, run.product.mailboxUrl)).map(({ subject }) => subject);
    assert.equal(new Set(subjects).size, subjects.length, subjects.join('\n'));
    assertQuiet();
  });
});
