import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { announceRoom, signIn } from './steps/office.ts';
import { openOwnPage, PROOF } from './steps/own-page.ts';

const { depositCents: DEPOSIT, balanceCents: BALANCE } = facts.prices;

const CHARGED = 'charged-life@example.org';
const CANCELS = 'cancelled-life@example.org';

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

test('two registrations from the deposit to the retreat: one is charged, and one cancelled in time', async ({
  site,
}) => {
  const { page, link } = await openOwnPage(site, CHARGED);
  const { page: cancels, link: cancelsLink } = await openOwnPage(site, CANCELS);
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
    await office.goto(`${site.product.opsUrl}/office`);
    await signIn(office, 'office');
    await announceRoom(office, site.product.opsUrl);
  });

  await test.step('the balance is announced twice, and nothing is charged yet', async () => {
    await page.getByRole('heading', { name: 'Nothing to do for now' }).waitFor();
    await goToMoment(sandbox, 'the balance is announced');
    const notice = await letterTo(CHARGED, 'balance-notice', /balance/i);
    for (const words of ['$726.25', 'December 21, 2025', '4242', '/place/v1.'])
      assert.ok(notice.includes(words), `${words} in\n${notice}`);
    await site.untilSent('balance-notice', CANCELS);
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

  await test.step('at the retreat her refund was sent, and no letter came twice', async () => {
    await goToMoment(sandbox, 'registration closes');
    assert.match(await letterTo(CHARGED, 'way-in', /way into/), /Your own page leads to the room/);
    await page.goto(link);
    await page.getByRole('link', { name: 'Enter the video room' }).waitFor();
    await site.untilSent('cancelled', CANCELS);
    assert.deepEqual(await site.refundsOf(CANCELS), [facts.prices.balanceBeforeFeeCents]);
    await cancels.goto(cancelsLink);
    await cancels.getByText('$700 was sent back to your Visa ending in 4242').waitFor();
    assert.equal(await cancels.getByRole('link', { name: 'Undo it, and keep my place' }).count(), 0);
    const subjects = (await site.mailsTo(CHARGED)).map(({ subject }) => subject);
    assert.equal(new Set(subjects).size, subjects.length, subjects.join('\n'));
  });
});
