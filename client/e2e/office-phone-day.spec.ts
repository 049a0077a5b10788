import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { watchQuiet } from '#scripts/chaos/watch-quiet.ts';
import { officePaths } from '#server/office/paths.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { linkIn } from './run/outcome.ts';
import { type Site, test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/looks.ts';
import { signIn } from './steps/office.ts';
import { enterCard, goToStripe, openOwnPage, PROOF, pressPay } from './steps/own-page.ts';
import { testCards } from './steps/registration.ts';

const { depositCents: DEPOSIT } = facts.prices;

const BY_CHECK = 'by-check@example.org';
const IN_PARTS = 'in-parts@example.org';
const SCHOLAR = 'scholar@example.org';
const ELDER = 'elder-sister@example.org';
const SISTER = 'younger-sister@example.org';

/** In US cents: 300, 250 and 150 dollars with the card fee of each, together that of the balance. */
const PARTS = [31_125, 25_938, 15_562] as const;

// Not the shared product: the test moves its clock.
test.use({ productEnv: { REGISTRATION: 'open' }, visitor: PHONE });

/** Fills in the form of an act by its labels, sees what will happen, and does it. */
async function doAct(
  page: Page,
  act: string,
  given: Readonly<Record<string, string>>,
  shows: RegExp,
  confirm: string,
): Promise<void> {
  await page.getByRole('link', { name: act, exact: true }).click();
  await page.getByRole('heading', { name: act, level: 1 }).waitFor();
  for (const [label, value] of Object.entries(given)) {
    const field = page.getByLabel(label, { exact: true });
    const isChoice = await field.evaluate((element) => element instanceof HTMLSelectElement);
    await (isChoice ? field.selectOption({ label: value }) : field.fill(value));
  }
  await page.getByRole('button', { name: 'Show what will happen' }).click();
  await page.getByRole('heading', { name: 'What will happen' }).waitFor();
  assert.match((await page.locator('main').textContent())?.replaceAll('\u00a0', ' ') ?? '', shows, act);
  await page.getByRole('button', { name: confirm, exact: true }).click();
  await page.getByRole('heading', { name: `Done: ${act}` }).waitFor();
  const back = page.getByRole('link', { name: 'Back to her registration' });
  if ((await back.count()) > 0) await back.click();
}

/** The pages of the office, on a phone. */
async function openOffice(site: Site) {
  const page = await site.openEmpty();
  const { opsUrl } = site.product;
  await page.goto(`${opsUrl}/office`);
  await signIn(page, 'office');
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
  return {
    page,
    see: (registration: string) => page.goto(`${opsUrl}/office/registrations/${registration}`),
    says: (words: string) => page.getByText(words).first().waitFor(),
  };
}

test('the office answers the phone: a check for all of it, a plan, a scholarship, a sister, a letter, the books', async ({
  site,
}) => {
  const { page: inParts } = await openOwnPage(site, IN_PARTS);
  const { page: elder } = await openOwnPage(site, ELDER);
  const office = await openOffice(site);
  const { page } = office;
  const moveTo = async (to: string) => {
    const { sandboxUrl } = site.product;
    const moved = await page.request.post(`${sandboxUrl}/sandbox/clock`, { form: { to } });
    assert.ok(moved.ok(), await moved.text());
  };
  /** @returns the registration's id */
  const register = async (firstName: string, email: string): Promise<string> => {
    await page.goto(`${site.product.opsUrl}${officePaths.list}`);
    const person = {
      'First name': firstName,
      'Last name': 'Holt',
      'E-mail': email,
      Phone: '+1 555 555 0188',
    };
    const agreed = { 'How she agreed to the policies': 'On the phone', 'On which day': '2025-12-01' };
    const held = { 'How she pays the deposit': 'By check', 'Until when her place is held': '2025-12-12' };
    await doAct(
      page,
      'Register somebody',
      { ...person, ...held, ...agreed },
      new RegExp(firstName),
      `Register ${firstName} Holt`,
    );
    await page.getByRole('link', { name: 'To her registration' }).click();
    const [id] = /reg_[\da-f]{24}/.exec(page.url()) ?? [];
    return id ?? assert.fail(page.url());
  };

  await test.step('somebody is registered on the phone, and pays all of it by check', async () => {
    const ruth = await register('Ruth', BY_CHECK);
    await site.untilSentAbout(ruth, 'place-held');
    await doAct(
      page,
      'A check or a transfer has come',
      { 'How it came': 'By check', 'How much': '1395', 'When it came': '2025-12-01', 'Its number': '204' },
      /Paid in full/,
      'Record her check 204 of $1,395',
    );
    await office.says('Paid in full');
    await site.untilSentAbout(ruth, 'welcome');
    assert.deepEqual(await site.chargesOf(BY_CHECK), []);
  });

  await test.step('a scholarship of everything: she has a place, and pays nothing', async () => {
    const ines = await register('Ines', SCHOLAR);
    await doAct(
      page,
      'Give a scholarship, or another price',
      { 'How much is not asked of her': '1395', 'What it is': 'A scholarship' },
      /Paid in full/,
      'Take $1,395 off her tuition',
    );
    await office.says('Paid in full');
    await site.untilSentAbout(ines, 'tuition-reduced');
  });

  await test.step('a plan of three parts: she agrees on her page, and the first part is charged', async () => {
    await office.see(await site.registrationOf(IN_PARTS));
    await doAct(
      page,
      'Let her pay in parts',
      { 'The parts that are not paid yet': '2025-12-10 300\n2025-12-21 250\n2026-01-10 150' },
      /Part 2 of 3[^$]*\$259\.38/,
      'Let her pay in 3 parts',
    );
    await site.untilSent('payment-plan', IN_PARTS);
    await inParts.reload();
    await inParts.getByText('Part 3 of 3').first().waitFor();
    await inParts.goto(linkIn(await site.mailsTo(IN_PARTS), '/place/'));
    await inParts.goto(`${site.product.siteUrl}/place/plan`);
    await inParts.getByLabel(PROOF).fill('95060');
    await inParts.getByRole('button', { name: 'Agree to this plan' }).click();
    await inParts.getByText('Part 1 of 3').first().waitFor();
    await site.untilSent('payment-plan', IN_PARTS, 2);
    await site.untilSent('balance-notice', IN_PARTS);
    await moveTo('2025-12-10T17:00-08:00');
    await site.untilSent('payment-received', IN_PARTS);
    assert.deepEqual(await site.chargesOf(IN_PARTS), [DEPOSIT, PARTS[0]]);
  });

  await test.step('her sister takes a place over: both agree by link, and the card is the sister’s', async () => {
    const place = await site.registrationOf(ELDER);
    await office.see(place);
    await doAct(
      page,
      'Hand her place over',
      {
        'First name of who gets it': 'Nora',
        'Last name of who gets it': 'Quist',
        'Her own e-mail': SISTER,
        'Her phone': '+1 555 555 0177',
      },
      /Nora Quist/,
      'Ask her to hand her place over to Nora Quist',
    );
    await site.untilSent('hand-over-asked', ELDER);
    await elder.goto(`${site.product.siteUrl}/place/hand-over`);
    await assertAccessibleInBoth(elder, 'handing a place over');
    await elder.getByLabel(PROOF).fill('95060');
    await elder.getByRole('button', { name: 'Yes, hand my place over' }).click();
    await site.untilSent('hand-over-offered', ELDER);
    const sister = await site.openEmpty();
    await sister.goto(linkIn(await site.mailsTo(SISTER), '/place'));
    await assertAccessibleInBoth(sister, 'accepting a place');
    await sister.getByRole('button', { name: 'Enter the card at Stripe' }).click();
    await enterCard(sister, testCards.succeeds);
    await assertAccessibleInBoth(sister, 'accepting a place, with a card');
    await sister.getByRole('checkbox').check();
    await sister.getByRole('button', { name: 'Accept the place' }).click();
    await office.see(place);
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByRole('heading', { level: 1 }).textContent();
      })
      .toContain('Nora Quist');
  });

  await test.step('the office says where the room is', async () => {
    await page.goto(`${site.product.opsUrl}${officePaths.announce(facts.id, 'announce-room')}`);
    await page.getByLabel('Address of the video room').fill('https://room.example/the-doorway');
    await page.getByRole('button', { name: 'Show what will happen' }).click();
    await page.getByRole('button', { name: 'Say where the video room is' }).click();
    await page.getByRole('heading', { name: 'Done: Say where the video room is' }).waitFor();
  });

  await test.step('the second part is declined, which moves nothing; another card pays it; she pays the third ahead', async () => {
    await inParts.goto(`${site.product.siteUrl}/place`);
    await goToStripe(inParts);
    await enterCard(inParts, testCards.declinesLater);
    await inParts.getByText('Your new card is stored.').waitFor();
    await moveTo('2025-12-18T17:00-08:00');
    await site.untilSent('balance-reminder', IN_PARTS, 1);
    await moveTo('2025-12-21T17:00-08:00');
    await site.untilSent('balance-failed', IN_PARTS);
    await inParts.reload();
    await goToStripe(inParts);
    await enterCard(inParts, testCards.succeeds);
    await site.untilSent('payment-received', IN_PARTS, 2);
    await moveTo('2025-12-31T17:00-08:00');
    await site.untilSent('balance-notice', IN_PARTS, 3);
    // She pays the third part before its date, and is not charged for it on that day.
    await inParts.goto(linkIn(await site.mailsTo(IN_PARTS), '/place/'));
    await pressPay(inParts, 'Pay part 3 of 3 now', 'Pay $155.62');
    await site.untilSent('balance-paid', IN_PARTS);
    await inParts.getByRole('heading', { name: 'Everything is paid' }).waitFor();
    await moveTo('2026-01-10T17:00-08:00');
    await moveTo('2026-01-14T17:00-08:00');
    await site.untilSent('test-session', IN_PARTS);
    const paid = (await site.chargesOf(IN_PARTS)).filter((cents) => cents > 0);
    assert.deepEqual(paid, [DEPOSIT, ...PARTS]);
  });

  await test.step('a letter to who has paid in full, and the bookkeeper’s months agree with Stripe', async () => {
    await page.goto(`${site.product.opsUrl}/office/letters`);
    await doAct(
      page,
      'Write a message',
      { To: 'Paid in full', Subject: 'What to bring', Text: 'Dear {first name},\n\na bowl and a spoon.' },
      /4 people get this message/,
      'Send it to these people',
    );
    for (const email of [BY_CHECK, IN_PARTS, SCHOLAR])
      await expect
        .poll(async () => (await site.mailsTo(email)).map(({ subject }) => subject))
        .toContain('What to bring');
    const worker = watchQuiet(site.product);
    await worker.askForTransactions();
    await worker.askForDueWork();
    await expect(async () => {
      await page.goto(`${site.product.opsUrl}/office/bookkeeping`);
      expect(await page.locator('main').textContent()).toContain('are known until 2026-01-14 17:');
    }).toPass();
    await worker.close();
    for (const month of ['2025-12', '2026-01']) {
      await page.goto(`${site.product.opsUrl}/office/bookkeeping?month=${month}`);
      await office.says('The rows and what is not this site’s add up to all of it, to the cent.');
      await office.says('The register has the same payments and refunds for this month, to the cent.');
    }
  });
  expectNoise(inParts, /status of 402/);
});
