import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { officePaths } from '#server/office/paths.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { signIn } from './steps/office.ts';
import { openOwnPage, PROOF, prove } from './steps/own-page.ts';
import { testCards } from './steps/registration.ts';

/** The address of the video room, which does not exist. */
const ROOM = 'https://room.example/the-doorway';
const { depositCents: DEPOSIT, balanceCents: BALANCE } = facts.prices;

const CHARGED = 'charged-life@example.org';
const CANCELS = 'cancelled-life@example.org';
const ASKED = 'asked-later@example.org';

/** Presses the sandbox's button until a moment of the edition is reached, as people do who try out the site. */
async function goToMoment(sandbox: Page, moment: string): Promise<void> {
  for (;;) {
    const button = sandbox.getByRole('button', { name: /^Go to the next moment/ });
    const name = (await button.textContent()) ?? '';
    await button.click();
    await sandbox.getByRole('button', { name }).waitFor({ state: 'detached' });
    if (name.includes(moment)) return;
  }
}

// Not the shared product: the test moves its clock.
test.use({ productEnv: {}, visitor: PHONE });

test('three registrations from the deposit to the retreat: one is charged, one cancelled, one needs her', async ({
  site,
}) => {
  const { page, link } = await openOwnPage(site, CHARGED);
  const { page: cancels, link: cancelsLink } = await openOwnPage(site, CANCELS);
  const { page: asked } = await openOwnPage(site, ASKED, { card: testCards.asksAlways, authenticates: true });
  const sandbox = await site.openEmpty();
  await sandbox.goto(site.product.sandboxUrl);

  /** The only letter of a kind to her. */
  async function letterTo(email: string, kind: string, subject: RegExp): Promise<string> {
    await site.untilSent(kind, email);
    const mails = await site.mailsTo(email);
    const found = mails.filter((mail) => subject.test(mail.subject));
    assert.equal(found.length, 1, mails.map((mail) => mail.subject).join('\n'));
    return found[0]?.text.replaceAll('\u00a0', ' ') ?? '';
  }

  await test.step('the office says where the room is', async () => {
    const office = await site.openEmpty();
    await office.goto(`${site.product.opsUrl}${officePaths.announce(facts.id, 'announce-room')}`);
    await signIn(office, 'office');
    await office.getByLabel('Address of the video room').fill(ROOM);
    await office.getByRole('button', { name: 'Show what will happen' }).click();
    await office.getByRole('button', { name: 'Say where the video room is' }).click();
    await office.getByRole('heading', { name: 'Done: Say where the video room is' }).waitFor();
  });

  await test.step('the balance is announced twice, and nothing is charged yet', async () => {
    await page.getByRole('heading', { name: 'Nothing to do for now' }).waitFor();
    await goToMoment(sandbox, 'the balance is announced');
    const notice = await letterTo(CHARGED, 'balance-notice', /balance/i);
    for (const words of ['$726.25', 'December 21, 2025', '4242', '/place/v1.'])
      assert.ok(notice.includes(words), `${words} in\n${notice}`);
    for (const email of [CANCELS, ASKED]) await site.untilSent('balance-notice', email);
    await goToMoment(sandbox, 'the reminder of the balance goes out');
    await letterTo(CHARGED, 'balance-reminder', /reminder|three days/i);
    assert.deepEqual(await site.chargesOf(CHARGED), [DEPOSIT]);
  });

  await test.step('it is charged, and her page says so', async () => {
    await goToMoment(sandbox, 'the balance is charged');
    const paid = await letterTo(CHARGED, 'balance-paid', /paid/i);
    for (const words of ['$721', '$726.25']) assert.ok(paid.includes(words), `${words} in\n${paid}`);
    assert.deepEqual(await site.chargesOf(CHARGED), [DEPOSIT, BALANCE]);
    await page.reload();
    await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
    assert.equal(await page.locator(`a[href="${ROOM}"]`).count(), 0);
  });

  await test.step('her bank wants 3-D Secure: she confirms the payment in the form, which is open already', async () => {
    await letterTo(ASKED, 'balance-failed', /could not be charged/);
    await asked.reload();
    await asked.getByRole('heading', { name: 'Your balance needs attention' }).waitFor();
    await asked.getByText('Your bank wants you to confirm this payment yourself.').waitFor();
    await prove(asked, 'pay');
    await asked.getByRole('button', { name: 'Pay $726.25', exact: true }).click();
    await asked.getByRole('button', { name: 'Complete authentication' }).click();
    await asked.getByText('Your payment has arrived.').waitFor();
    const charges = await site.chargesOf(ASKED);
    assert.deepEqual(
      charges.filter((cents) => cents > 0),
      [DEPOSIT, BALANCE],
    );
  });

  await test.step('cancelled in time: her page shows her refund beforehand', async () => {
    await site.untilSent('balance-paid', CANCELS);
    await cancels.reload();
    await cancels.getByRole('link', { name: 'Cancel your place' }).click();
    await cancels.getByText('$700 goes back to your Visa ending in 4242').waitFor();
    await cancels.getByText('11:59').waitFor();
    await cancels.getByLabel(PROOF).fill('95060');
    await cancels.getByRole('button', { name: 'Cancel my place' }).click();
    await cancels.getByRole('heading', { name: 'Your place is cancelled' }).waitFor();
    await site.untilSent('cancel-received', CANCELS);
    assert.deepEqual(await site.refundsOf(CANCELS), []);
  });

  await test.step('the test session begins: her page leads to the room; a refund was sent', async () => {
    await goToMoment(sandbox, 'the test session begins');
    const testSession = await letterTo(CHARGED, 'test-session', /test session/);
    assert.match(testSession, /January 15, 2026, at 5:30 pm/);
    assert.ok(!testSession.includes(ROOM), 'a letter leads to the room by her page only');
    await page.goto(link);
    await page.getByRole('link', { name: 'Enter the room of the test session' }).waitFor();

    await site.untilSent('cancelled', CANCELS);
    assert.deepEqual(await site.refundsOf(CANCELS), [facts.prices.balanceBeforeFeeCents]);
    await cancels.goto(cancelsLink);
    await cancels.getByText('$700 was sent back to your Visa ending in 4242').waitFor();
    await cancels.getByText('Given back to you').waitFor();
    assert.equal(await cancels.getByRole('link', { name: 'Undo it, and keep my place' }).count(), 0);
  });

  await test.step('the retreat begins', async () => {
    await goToMoment(sandbox, 'registration closes');
    assert.match(await letterTo(CHARGED, 'way-in', /way into/), /Your own page leads to the room/);
    await page.goto(link);
    await page.locator(`a[href="${ROOM}"]`).waitFor();
    const subjects = (await site.mailsTo(CHARGED)).map(({ subject }) => subject);
    assert.equal(new Set(subjects).size, subjects.length, subjects.join('\n'));
  });
});
