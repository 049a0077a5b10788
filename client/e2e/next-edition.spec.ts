import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Email } from 'postal-mime';
import type { MailServer } from '#scripts/product/mail-server.ts';
import { edition as editionBefore } from '#shared/content/compiled/on-sale.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { PHONE } from './run/browser.ts';
import { startProduct } from './run/product.ts';
import { copySources, replaceLine, run } from './run/project-copy.ts';
import { test as base } from './run/test.ts';
import { assertSteady, readThrough, watchShifts } from './steps/looks.ts';
import { choosePackage, fillPayment, finish, giveContact, testCards, visitor } from './steps/registration.ts';

const { facts: factsBefore } = editionBefore;
const EDITIONS = 'shared/content/editions';
const TERMS_PATH = '/terms/june-2031-2031.1';
/** The previous edition's names, for people and programs. */
const TRACE_OF_BEFORE = new RegExp(
  `\\b(?:${[factsBefore.startDate.slice(0, 4), factsBefore.title, factsBefore.id, factsBefore.retreatPackage.id].join('|')})\\b`,
);

/** What the page shows of it, and the descriptions of pictures of all kinds. */
const JUNE_DATES = 'June 18–22, 2031';
const SHOWN = [JUNE_DATES, '$1,180', '$406', '$807.77', 'All times are Lisbon Time (WEST).', 'Salt Review'];
const PICTURES = [
  'A small harbor at evening, with boats at rest',
  'The host at her kitchen window, laughing',
  'A woman in a woollen cap',
  'Lighthouse Press',
];

/** Where the next edition is on sale. */
interface June {
  /** The folder of its sources. */
  project: string;
  mail: MailServer;
}

const test = base.extend<object, { june: June }>({
  june: [
    async ({ workerScope }, use) => {
      const { addJune } = await import('#scripts/content/testing/june.ts');
      const { startMailServer } = await import('#server/testing/test-mailing.ts');
      const project = await copySources(workerScope);
      await addJune(join(project, EDITIONS));
      await replaceLine(join(project, EDITIONS, 'on-sale.yaml'), /^edition: .*$/m, 'edition: june-2031');
      run(project, process.execPath, 'scripts/bootstrap.mjs', 'content', '--record');
      await use({ project, mail: await startMailServer(workerScope) });
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ june: { project, mail }, workerScope }, use) => {
      const env = { SMTP_URL: mail.url, REGISTRATION: 'open', EDITION_UNDER_TEST: '' };
      const product = await startProduct('start', env, project);
      workerScope.after(product.end);
      await use(product);
    },
    { scope: 'worker' },
  ],
});

test.describe('the next edition takes a new folder and one changed line', () => {
  test.describe.configure({ mode: 'serial' });

  test('building and starting it changes no other file, and browsers get no text of the previous edition but its terms', async ({
    june: { project },
    product,
  }) => {
    assert.equal(run(project, 'git', 'diff', '--numstat').trim(), `1\t1\t${EDITIONS}/on-sale.yaml`);
    const added = run(project, 'git', 'ls-files', '--others', '--exclude-standard').trim().split('\n');
    assert.deepEqual(
      added.filter((file) => !file.startsWith(`${EDITIONS}/june-2031/`)),
      [],
    );
    const publicFolder = join(project, 'dist/public');
    const files = await readdir(publicFolder, { recursive: true });
    for (const file of files.filter(
      (name) => /\.(js|css|svg|webmanifest|json|txt|vtt)$/.test(name) && !/licen[cs]e|LEGAL/i.test(name),
    ))
      assertNoTrace(await readFile(join(publicFolder, file), 'utf8'), file);
    for (const path of ['', '/retreat.ics', TERMS_PATH])
      assertNoTrace(await textAt(product.siteUrl + path), path);
    for (const terms of editionBefore.agreed) await textAt(product.siteUrl + termsPathOf(factsBefore, terms));
  });

  test('the page shows it, and nothing shifts or scrolls sideways', async ({ site }) => {
    const page = await site.openEmpty({ ...PHONE, timezoneId: 'Europe/Lisbon' });
    await watchShifts(page);
    await page.goto(site.product.siteUrl);
    await readThrough(page);
    const all = plain(await page.locator('main').textContent());
    for (const words of SHOWN) assert.ok(all.includes(words), `the page lacks ${words}`);
    for (const alt of PICTURES) {
      const picture = page.locator('main').getByAltText(alt, { exact: true }).first();
      await expect(picture).not.toHaveJSProperty('naturalWidth', 0);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
    await assertSteady(page);
  });

  test('a registration pays the deposit, and all its letters are about this edition', async ({
    june: { mail },
    site,
  }) => {
    const { product } = site;
    const page = await site.open({ ...PHONE, timezoneId: 'Asia/Tokyo' });
    await choosePackage(page);
    await giveContact(page);
    assertNoTrace(plain(await page.locator('#register-stepper').textContent()));
    await page.getByLabel('Country').selectOption('US');
    await page.getByText('the name of the charge ends with “HARBOR WEEK”').waitFor();
    await fillPayment(page, testCards.succeeds);
    await page.locator('.amount-due').getByText('$406').waitFor();
    await finish(page);
    const completion = page.locator('.completion');
    await completion.getByText('$406 in US dollars').waitFor();
    assertNoTrace(plain(await completion.textContent()));

    const { data } = await site.stripe.paymentIntents.list();
    const [payment] = data.filter(({ metadata }) => metadata.edition === 'june-2031');
    assert.equal(payment?.amount_received, 40_600);
    assert.equal(payment?.statement_descriptor_suffix, 'HARBOR WEEK');

    const welcome = await mailTo(mail, visitor.email, /^Welcome to The Harbor Retreat/);
    const words = plain(welcome.text);
    for (const part of [
      JUNE_DATES,
      '$406',
      'the card fee of $11',
      '$807.77',
      'Lisbon Time',
      `${product.siteUrl}${TERMS_PATH}`,
    ])
      assert.ok(words.includes(part), `the welcome lacks ${part}:\n${words}`);
    assert.match(attached(welcome, 'text/plain'), /The house keeps the deposit/);
    for (const type of ['text/calendar', 'text/plain']) assertNoTrace(attached(welcome, type));
    await mailTo(mail, 'office@retreat.example', /^Paid: .*\$406/);
    const registration = payment?.metadata.registration ?? assert.fail();
    const ofThis = mail.parsed.filter(({ text }) => text?.includes(registration));
    assert.ok(ofThis.length >= 4, `${ofThis.length} letters`);
    for (const letter of ofThis)
      assertNoTrace(`${letter.from?.name}\n${letter.subject}\n${letter.text}\n${letter.html}`);
  });
});

async function textAt(url: string): Promise<string> {
  const answer = await fetch(url);
  assert.equal(answer.status, 200, url);
  return answer.text();
}

async function mailTo(server: MailServer, address: string, subject: RegExp): Promise<Email> {
  for (;;) {
    const found = server.parsed.find(
      (mail) => mail.to?.some((to) => to.address === address) && subject.test(mail.subject ?? ''),
    );
    if (found) return found;
    await server.nextMail();
  }
}

function attached({ attachments }: Email, type: string): string {
  const file = attachments.find(({ mimeType }) => mimeType === type);
  assert.ok(file, `no ${type} is attached`);
  return typeof file.content === 'string' ? file.content : new TextDecoder().decode(file.content);
}

/** Fails if the text mentions the previous edition. */
function assertNoTrace(text: string, place = 'it'): void {
  const trace = TRACE_OF_BEFORE.exec(text);
  const around = text.slice((trace?.index ?? 0) - 80, (trace?.index ?? 0) + 80);
  assert.equal(trace, null, `${place} mentions ${trace?.[0]}: …${around}`);
}

/** The text with single, ordinary spaces, and without the invisible characters around names. */
function plain(text: string | null | undefined): string {
  return (text ?? '')
    .replaceAll(/[\u2068\u2069\u200c]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
