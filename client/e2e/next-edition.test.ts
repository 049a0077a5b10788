import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Email } from 'postal-mime';
import { addJune } from '#scripts/content/testing/june.ts';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { startServer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { createPayments } from '#server/payments/payments.ts';
import { startMailServer, type TestMailServer } from '#server/testing/test-mail-server.ts';
import { facts as factsBefore } from '#shared/content/compiled/on-sale/facts.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';
import { launchBrowser, openPage } from './run/browser.ts';
import { connectToSandbox } from './run/payments.ts';
import { type OwnProduct, startProduct } from './run/product.ts';
import { untilHydrated } from './steps/hydration.ts';
import { choosePackage, fillPayment, finish, giveContact, testCards, visitor } from './steps/registration.ts';
import { moveTo } from './steps/time-zone.ts';

const EDITIONS = 'shared/content/editions';
const DATES = 'June 18–22, 2031';
/** An address that many programs write into their output is no trace of an edition. */
const [MONTH_BEFORE = '', , YEAR_BEFORE = ''] = formatDate(factsBefore.startDate).split(/[\s,]+/);
const TRACE_OF_BEFORE = new RegExp(
  `\\b${MONTH_BEFORE}\\b|\\b${YEAR_BEFORE}\\b|${factsBefore.title}|${factsBefore.id}`,
  'i',
);

test('the next edition is its folder and one line', async (t) => {
  const project = await copySources(t);
  await addJune(join(project, EDITIONS));
  await writeFile(join(project, EDITIONS, 'on-sale.yaml'), await onSaleLine(project));
  const listed = run(project, process.execPath, 'scripts/bootstrap.mjs', 'content', '--record');

  await t.test('`npm run content` lists it', () => {
    assert.match(listed, /june-2031, on sale\n {2}The Harbor Retreat, June 18–22, 2031, Lisbon Time\n/);
    assert.match(listed, /5 days, 10 sessions; registration until 2031-06-17T20:30\+01:00\n/);
    assert.match(listed, /\$1,180 by check, \$1,213\.77 by card: \$406 at once, \$807\.77 on 2031-05-09\n/);
    assert.ok(listed.includes(`\n${factsBefore.id}\n`) || listed.startsWith(`${factsBefore.id}\n`), listed);
  });

  const mail = await startMailServer(t);
  const product = await startProduct('start', { SMTP_URL: mail.url, REGISTRATION: 'open' }, project);
  t.after(() => product.end());
  const html = await (await fetch(product.siteUrl)).text();

  await t.test('nothing else differs, built and running', () => {
    assert.equal(run(project, 'git', 'diff', '--numstat').trim(), `1\t1\t${EDITIONS}/on-sale.yaml`);
    const added = run(project, 'git', 'ls-files', '--others', '--exclude-standard').trim().split('\n');
    assert.deepEqual(
      added.filter((file) => !file.startsWith(`${EDITIONS}/june-2031/`)),
      [],
    );
  });

  await t.test('browsers get no word of the edition before', async () => {
    const publicFolder = join(project, 'dist/public');
    const files = await readdir(publicFolder, { recursive: true });
    for (const file of files.filter(
      (name) => /\.(js|css|svg|webmanifest|json|txt|vtt)$/.test(name) && !/licen[cs]e|LEGAL/i.test(name),
    )) {
      const trace = TRACE_OF_BEFORE.exec(await readFile(join(publicFolder, file), 'utf8'));
      assert.equal(
        trace,
        null,
        `${file} holds ${trace?.[0]}: …${trace?.input.slice(trace.index - 60, trace.index + 60)}`,
      );
    }
    assertNoTrace(html);
  });

  await t.test('search engines, link previews and calendars are told of it', async () => {
    const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)?.[1] ?? '');
    assert.equal(data.name, 'The Harbor Retreat');
    assert.equal(data.startDate, '2031-06-18T19:00+01:00');
    assert.equal(data.endDate, '2031-06-22T12:00+01:00');
    assert.equal(data.offers.price, '1180.00');
    assert.equal(data.organizer.name, 'Harbor House Retreats');
    assert.equal(data.performer.name, 'Odile Ferrant-Moss');
    assert.match(html, /<meta property="og:site_name" content="Harbor House Retreats"\/>/);
    const card = /<meta property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? '';
    assert.deepEqual(data.image, [card]);
    const picture = await fetch(card);
    assert.equal(picture.status, 200);
    assert.equal(picture.headers.get('content-type'), 'image/png');
    const manifest = await (await fetch(`${product.siteUrl}/site.webmanifest`)).json();
    assert.equal(manifest.name, 'Harbor House Retreats');
    assertJuneCalendar(await (await fetch(`${product.siteUrl}/retreat.ics`)).text());
  });

  const browser = await launchBrowser();
  t.after(() => browser.close());

  for (const width of [390, 1440]) {
    await t.test(`the page shows it, ${width} px wide`, async () => {
      const { page, assertQuiet, close } = await openPage(browser, { width, height: 900 });
      await watchShifts(page);
      await moveTo(page, 'America/New_York', 'en-US');
      await page.goto(product.siteUrl);
      await untilHydrated(page);
      await readThrough(page);
      await assertPage(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      const shifted = await page.evaluate(() => window.shifted ?? -1);
      assert.ok(shifted >= 0 && shifted < 0.01, `the layout shifted by ${shifted}`);
      await assertOwnHours(page);
      if (process.env.SHOTS) {
        await page.evaluate(() => window.scrollTo(0, 0));
        await page.screenshot({ path: `${process.env.SHOTS}/june-${width}.png`, fullPage: true });
      }
      assertQuiet();
      await close();
    });
  }

  await t.test(
    'a payment for the edition before gets its own letter, and is no place in this one',
    async () => {
      const paymentId = await payForEditionBefore(product);
      const welcome = await mailTo(mail, visitor.email, /^Welcome/);
      assert.equal(welcome.subject, `Welcome to ${factsBefore.title}: your receipt and the schedule`);
      const dates = formatDateRange(factsBefore.startDate, factsBefore.endDate).split('–', 1)[0] ?? '';
      assert.ok(plain(welcome.text).includes(plain(dates)), welcome.text);
      assert.ok(welcome.text?.includes(paymentId));
      assert.doesNotMatch(`${welcome.text}${welcome.html}`, /2031|Harbor|Lisbon/);
      assert.doesNotMatch(attachedCalendar(welcome), /2031|Harbor|Lisbon/);
    },
  );

  await t.test('a registration pays its deposit, and all letters speak of it', async () => {
    const known = mail.mails.length;
    const { page, assertQuiet, close } = await openPage(browser, { width: 390, height: 844 });
    await page.goto(product.siteUrl);
    await choosePackage(page);
    await giveContact(page);
    assertNoTrace(plain(await page.locator('#register-stepper').textContent()));
    await fillPayment(page, testCards.succeeds);
    await finish(page);
    const completion = page.locator('.completion');
    await completion.getByText('$406 in US dollars').waitFor();
    assertNoTrace(plain(await completion.textContent()));
    assertQuiet();
    await close();

    const { data } = await connectToSandbox(product.sandboxUrl).paymentIntents.list();
    const [payment] = data.filter(({ metadata }) => metadata.edition === 'june-2031');
    assert.equal(payment?.amount, 40_600);
    assert.equal(payment?.amount_received, 40_600);
    assert.equal(payment?.metadata.package, 'harbor_june_2031');
    assert.equal(payment?.metadata.amount, '40600');
    assert.equal(payment?.description, 'Harbor Retreat Deposit');

    const welcome = await mailTo(mail, visitor.email, /^Welcome to The Harbor Retreat/);
    const words = plain(welcome.text);
    for (const part of [
      DATES,
      '$406',
      '$395',
      '2.9%',
      '$785',
      '$807.77',
      'May 9, 2031',
      'the five days',
      'Lisbon Time',
      '7:00 pm WEST',
      'What we carry home',
      'The house keeps the deposit',
      'Harbor House Retreats',
    ])
      assert.ok(words.includes(part), `the welcome lacks ${part}:\n${words}`);
    assertJuneCalendar(attachedCalendar(welcome));
    const received = await mailTo(mail, visitor.email, /^We have your details for The Harbor Retreat/);
    assert.doesNotMatch(plain(received.text), /another place|already/i);
    await mailTo(mail, 'office@retreat.example', /^Paid: .*\$406/);
    for (const letter of mail.mails.slice(known))
      assertNoTrace(`${letter.subject}${letter.text}${letter.html}`);
  });

  await t.test('its own window, by a clock that is moved', async (windows) => {
    const pageAt = await startAppAt(windows, join(project, 'dist'));
    for (const [moment, availability, words] of [
      ['2031-02-03T08:59:59Z', 'PreSale', 'Registration opens on February 3, 2031'],
      ['2031-02-03T09:00:00Z', 'InStock', 'Say yes while the summer is ahead'],
      ['2031-06-17T19:29:59Z', 'InStock', 'Say yes while the summer is ahead'],
      ['2031-06-17T19:30:00Z', 'SoldOut', 'The chairs are taken for this time.'],
    ] as const) {
      const page = await pageAt(moment);
      assert.ok(plain(page).includes(words), `at ${moment} the page lacks ${words}`);
      assert.ok(page.includes(`https://schema.org/${availability}`), `at ${moment}`);
      assertNoTrace(page);
    }
  });
});

/** The sources as they are here, in a folder that git compares later ones with. */
async function copySources(t: TestContext): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'next-edition-'));
  t.after(() => rm(project, { recursive: true }));
  const files = run(
    '.',
    'git',
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
  );
  const gone = new Set(run('.', 'git', 'ls-files', '-z', '--deleted').split('\0'));
  for (const file of files.split('\0').filter((name) => name !== '' && !gone.has(name))) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await copyFile(file, join(project, file));
  }
  run(project, 'git', 'init', '--quiet');
  run(project, 'git', 'add', '--all');
  await symlink(resolve('node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, '.git/info/exclude'), 'node_modules\n');
  return project;
}

async function onSaleLine(project: string): Promise<string> {
  const text = await readFile(join(project, EDITIONS, 'on-sale.yaml'), 'utf8');
  return text.replace(/^edition: .*$/m, 'edition: june-2031');
}

function run(folder: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
}

function assertNoTrace(text: string): void {
  const trace = TRACE_OF_BEFORE.exec(text);
  assert.equal(
    trace,
    null,
    `it holds ${trace?.[0]}: …${text.slice((trace?.index ?? 0) - 80, (trace?.index ?? 0) + 80)}`,
  );
}

function assertJuneCalendar(content: string): void {
  const unfolded = content.replaceAll('\r\n ', '');
  assert.equal(unfolded.match(/BEGIN:VEVENT/g)?.length, 11);
  assert.match(unfolded, /^TZID:Europe\/Lisbon\r$/m);
  const starts = [...unfolded.matchAll(/^DTSTART;TZID=Europe\/Lisbon:(\S+)\r$/gm)].map(([, start]) => start);
  assert.equal(starts.at(0), '20310612T184500');
  assert.equal(starts.at(1), '20310618T190000');
  assert.deepEqual(
    [...new Set(starts.slice(1).map((start = '') => start.slice(6, 8)))],
    ['18', '19', '20', '21', '22'],
  );
  assert.match(unfolded, /^DTEND;TZID=Europe\/Lisbon:20310622T120000\r$/m);
  assert.match(unfolded, /^SEQUENCE:3\r$/m);
  assert.match(unfolded, /^SUMMARY:The Harbor Retreat: Stories at dusk\r$/m);
  assertNoTrace(unfolded);
}

/** Adds up by how much the layout shifts. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if ('value' in entry && typeof entry.value === 'number')
          window.shifted = (window.shifted ?? 0) + entry.value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

declare global {
  interface Window {
    shifted?: number;
  }
}

/** Scrolls from section to section, until all pictures are there. */
async function readThrough(page: Page): Promise<void> {
  for (const picture of await page.locator('main section, main img').all())
    await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
}

async function assertPage(page: Page): Promise<void> {
  assert.equal(plain(await page.title()), `The Harbor Retreat, live online, ${DATES}`);
  const texts = async (selector: string) => (await page.locator(selector).allTextContents()).map(plain);
  const [all = ''] = await texts('main');
  for (const words of [
    'Come and sit down to eat',
    DATES,
    '$1,180',
    '$1,290',
    '$110',
    '$406',
    '$807.77',
    'May 9, 2031',
    'The house keeps the deposit. Until May 9, 2031 it returns the rest',
    'Odile Ferrant-Moss',
    'Keeper of the lighthouse',
  ])
    assert.ok(all.includes(words), `the page lacks ${words}`);
  assert.deepEqual((await texts('#schedule h3 time')).slice(0, 5), [
    'Wednesday June 18',
    'Thursday June 19',
    'Friday June 20',
    'Saturday June 21',
    'Sunday June 22',
  ]);
  assert.deepEqual(await texts('#schedule .schedule-caveat'), [
    'Hours move with the tide',
    'Hours move with the tide',
  ]);
  assert.deepEqual(
    (await texts('#schedule .schedule-entries')).at(2),
    '9:45 am WESTWriting from the body about 90 minutes4:10 pm WESTIn the kitchen with a friend about 50 minutes',
  );
  assert.ok(all.includes('All times are Lisbon Time (WEST).'));
  assert.equal(await page.locator('#faq details').count(), 4);
  for (const words of [
    'I brought my rules along.',
    'We still write, the six of us',
    'The silence after the stories',
  ])
    assert.ok(all.includes(words), `the page lacks the testimonial ${words}`);
  const pictures = await page.locator('main img').evaluateAll((images) =>
    images.map(
      (image) =>
        image instanceof HTMLImageElement && {
          alt: image.alt,
          natural: image.naturalWidth,
          shown: image.clientWidth,
        },
    ),
  );
  for (const alt of [
    'A small harbor at evening, with boats at rest',
    'A loaf of bread on a board',
    'The host at her kitchen window, laughing',
    'A woman in a woollen cap',
    'A baker with folded arms',
    'Lighthouse Press',
    'Quay Bakery',
    'Salt Review',
    'Two Oars',
  ]) {
    const isLettering = alt === 'Salt Review';
    const found = pictures.find((picture) => picture && picture.alt === alt);
    assert.ok(
      isLettering ? all.includes(alt) : found,
      `no picture of ${alt} among ${JSON.stringify(pictures)}`,
    );
    if (found) assert.ok(found.natural > 0 && found.shown > 0, `${alt} is not shown`);
  }
}

/** A visitor in New York reads the hours on her own clock. */
async function assertOwnHours(page: Page): Promise<void> {
  const choice = page.getByRole('group', { name: 'Time zone of the schedule' });
  await choice.scrollIntoViewIfNeeded();
  await untilHydrated(page, 'schedule');
  await choice.getByRole('radio', { name: 'Lisbon Time' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('Shown in Eastern Time.').waitFor();
  const hours = await page.locator('#schedule dt time').allTextContents();
  assert.equal(plain(hours[0]), '2:00 pm');
  assert.equal(plain(hours.at(-1)), '5:20 am');
}

/** Somebody paid for the edition before, as that release made the payment. */
async function payForEditionBefore({ sandboxUrl }: OwnProduct): Promise<string> {
  const payments = createPayments({ secretKey: SANDBOX_KEYS.secretKey, apiBase: sandboxUrl });
  const deposit = { contact: visitor, facts: factsBefore, timeZone: '', somebodyElse: false };
  const { id } = await payments.createDeposit(deposit, { value: 'edition-before-1234567890' });
  await connectToSandbox(sandboxUrl).paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  return id;
}

async function mailTo({ mails, nextMail }: TestMailServer, address: string, subject: RegExp): Promise<Email> {
  for (;;) {
    const found = mails.find(
      (mail) => mail.to?.some((to) => to.address === address) && subject.test(mail.subject ?? ''),
    );
    if (found) return found;
    await nextMail();
  }
}

function attachedCalendar({ attachments }: Email): string {
  const [calendar] = attachments;
  assert.ok(calendar, 'no calendar is attached');
  return typeof calendar.content === 'string' ? calendar.content : new TextDecoder().decode(calendar.content);
}

/** Starts an app whose clock can be set; gives back what sets it, and asks for the page. */
async function startAppAt(t: TestContext, build: string): Promise<(moment: string) => Promise<string>> {
  const [sitePort, opsPort] = [await findFreePort(), await findFreePort()];
  const clockFile = join(build, 'clock');
  const clock = `import { readFileSync } from 'node:fs';
const RealDate = Date;
const now = () => RealDate.parse(readFileSync(${JSON.stringify(clockFile)}, 'utf8'));
globalThis.Date = class extends RealDate {
  constructor(...given) { super(...(given.length > 0 ? given : [now()])); }
  static now() { return now(); }
};`;
  await writeFile(clockFile, '2031-01-01T00:00:00Z');
  const ports = { PORT: String(sitePort), OPS_PORT: String(opsPort) };
  const app = await startServer('app', {
    build,
    env: { ...leastEnvironment, REGISTRATION: 'auto', HOST: '127.0.0.1', ...ports },
    nodeArgs: [`--import=data:text/javascript,${encodeURIComponent(clock)}`],
    onLine: () => {},
  });
  t.after(() => app.stop());
  return async (moment) => {
    await writeFile(clockFile, moment);
    return (await fetch(`http://127.0.0.1:${sitePort}`)).text();
  };
}

/** With simple spaces, and without the marks that isolate names. */
function plain(text: string | null | undefined): string {
  return (text ?? '')
    .replaceAll(/[\u2068\u2069\u200c]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
