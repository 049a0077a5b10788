import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Email } from 'postal-mime';
import type { MailServer } from '#scripts/product/mail-server.ts';
import { edition as editionBefore } from '#shared/content/compiled/on-sale.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { formatDate } from '#shared/dates.ts';
import { PHONE } from './run/browser.ts';
import { startProduct } from './run/product.ts';
import { copySources, replaceLine, run } from './run/project-copy.ts';
import { test as base } from './run/test.ts';
import { assertSteady, readThrough, watchShifts } from './steps/looks.ts';
import { choosePackage, fillPayment, finish, giveContact, testCards, visitor } from './steps/registration.ts';

const { facts: factsBefore } = editionBefore;
const EDITIONS = 'shared/content/editions';
const TERMS_PATH = '/terms/june-2031-2031.1';
/** The previous edition's names, for people and programs. Months that the next edition mentions too do not count. */
const [MONTH_BEFORE = '', , YEAR_BEFORE = ''] = formatDate(factsBefore.startDate).split(/[\s,]+/);
const TRACES = [YEAR_BEFORE, factsBefore.title, factsBefore.id, factsBefore.retreatPackage.id];
const OWN_MONTHS = ['February', 'May', 'June'];
const TRACE_OF_BEFORE = new RegExp(
  `\\b(?:${[...TRACES, ...(OWN_MONTHS.includes(MONTH_BEFORE) ? [] : [MONTH_BEFORE])].join('|')})\\b`,
);

/** What the page shows of it, and the descriptions of pictures of all kinds. */
const JUNE_DATES = 'June 18–22, 2031';
const SHOWN = [
  'Come and sit down to eat',
  JUNE_DATES,
  '$1,180',
  '$1,290',
  '$110',
  '$406',
  '$807.77',
  'May 9, 2031',
  'The house keeps the deposit. Until May 9, 2031 it returns the rest',
  'Odile Ferrant-Moss',
  'Keeper of the lighthouse',
  'All times are Lisbon Time (WEST).',
  'Guest, garden side',
  'Salt Review',
  '9:45 am WESTWriting from the body about 90 minutes 4:10 pm WESTIn the kitchen with a friend about 50 minutes',
];
const PICTURES = [
  'A small harbor at evening, with boats at rest',
  'A loaf of bread on a board',
  'The host at her kitchen window, laughing',
  'A woman in a woollen cap',
  'Lighthouse Press',
  'Two Oars',
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

  for (const width of [390, 1440]) {
    test(`the page shows it, ${width} px wide`, async ({ site }) => {
      const page = await site.openEmpty({ width, height: 900, timezoneId: 'Europe/Lisbon' });
      await watchShifts(page);
      await page.goto(site.product.siteUrl);
      await readThrough(page);
      assert.equal(plain(await page.title()), `The Harbor Retreat, live online, ${JUNE_DATES}`);
      const all = plain(await page.locator('main').textContent());
      for (const words of SHOWN) assert.ok(all.includes(words), `the page lacks ${words}`);
      for (const alt of PICTURES)
        await expect(page.locator('main').getByAltText(alt, { exact: true }).first()).not.toHaveJSProperty(
          'naturalWidth',
          0,
        );
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      await assertSteady(page);
    });
  }

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
    assert.equal(payment?.amount, 40_600);
    assert.equal(payment?.amount_received, 40_600);
    assert.equal(payment?.metadata.amount, '40600');
    assert.equal(payment?.description, 'Harbor Retreat Deposit');
    assert.equal(payment?.statement_descriptor_suffix, 'HARBOR WEEK');

    const welcome = await mailTo(mail, visitor.email, /^Welcome to The Harbor Retreat/);
    const words = plain(welcome.text);
    for (const part of [
      JUNE_DATES,
      '$406',
      '$395',
      '2.9%',
      '$785',
      '$807.77',
      'May 9, 2031',
      'There we also have two questions for you. Please answer by Thursday, June 12, 2031',
      '7:00 pm Lisbon Time',
      `${product.siteUrl}${TERMS_PATH}`,
      'Harbor House Retreats',
      'ends with “HARBOR WEEK”',
    ])
      assert.ok(words.includes(part), `the welcome lacks ${part}:\n${words}`);
    const calendar = attached(welcome, 'text/calendar');
    assertJuneCalendar(calendar);
    const policies = attached(welcome, 'text/plain');
    assert.match(policies, /The house keeps the deposit/);
    for (const file of [calendar, policies]) assertNoTrace(file);
    const received = await mailTo(mail, visitor.email, /^We have your details for The Harbor Retreat/);
    assert.doesNotMatch(plain(received.text), /another place|already/i);
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

/** Fails unless a calendar file has the June edition's eleven sessions, and the test session first. */
function assertJuneCalendar(content: string): void {
  const unfolded = content.replaceAll('\r\n', '\n').replaceAll('\n ', '');
  const starts = [...unfolded.matchAll(/^DTSTART;TZID=Europe\/Lisbon:(\S+)$/gm)].map(([, start]) => start);
  assert.equal(starts.length, 11);
  assert.deepEqual(starts.slice(0, 2), ['20310612T184500', '20310618T190000']);
  assert.match(unfolded, /^DTEND;TZID=Europe\/Lisbon:20310622T120000$/m);
  assert.match(unfolded, /^SEQUENCE:3$/m);
  assert.match(unfolded, /^SUMMARY:The Harbor Retreat: Stories at dusk$/m);
}

/** The text with single, ordinary spaces, and without the invisible characters around names. */
function plain(text: string | null | undefined): string {
  return (text ?? '')
    .replaceAll(/[\u2068\u2069\u200c]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
