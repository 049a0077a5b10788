import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { JSDOM, VirtualConsole } from 'jsdom';
import request from 'supertest';
import * as v from 'valibot';
import { startTestSite } from '#server/testing/test-site.ts';
import { page as content } from '#shared/content/compiled/on-sale.ts';
import { SECURITY_TXT_PATH, securityTxt } from './fixed-routes.ts';

const { search } = content;
const SITE = 'http://127.0.0.1:3000';
const schemaOrg = (name: string) => v.literal(`https://schema.org/${name}`);
const momentWithOffset = v.pipe(v.string(), v.regex(/^2026-01-2\dT\d\d:\d\d[+-]\d\d:\d\d$/));
const address = v.pipe(v.string(), v.url());

/** What search engines require of an online event. */
const eventSchema = v.object({
  '@context': v.literal('https://schema.org'),
  '@type': v.literal('Event'),
  name: v.pipe(v.string(), v.nonEmpty()),
  description: v.pipe(v.string(), v.nonEmpty()),
  url: v.literal(`${SITE}/`),
  image: v.tuple([v.literal(`${SITE}${search.card.img.src}`)]),
  startDate: momentWithOffset,
  endDate: momentWithOffset,
  eventStatus: schemaOrg('EventScheduled'),
  eventAttendanceMode: schemaOrg('OnlineEventAttendanceMode'),
  location: v.object({ '@type': v.literal('VirtualLocation'), url: address }),
  organizer: v.object({ '@type': v.literal('Organization'), name: v.string(), url: address }),
  performer: v.object({ '@type': v.literal('Person'), name: v.string() }),
  offers: v.object({
    '@type': v.literal('Offer'),
    url: v.literal(`${SITE}/#register-stepper`),
    price: v.literal('1395.00'),
    priceCurrency: v.literal('USD'),
    availability: schemaOrg('InStock'),
    validThrough: momentWithOffset,
  }),
});

/** The page as a crawler reads it. */
async function readPage(t: TestContext) {
  const { app } = await startTestSite(t);
  const { text } = await request(app).get('/').expect(200);
  // jsdom does not know everything in the inline style sheet, and would report that.
  const { document } = new JSDOM(text, { virtualConsole: new VirtualConsole() }).window;
  const contents = (selector: string) =>
    [...document.querySelectorAll(selector)].map((element) => element.getAttribute('content'));
  return {
    app,
    document,
    named: (name: string) => contents(`meta[name="${name}"]`),
    property: (property: string) => contents(`meta[property="${property}"]`),
    link: (rel: string) =>
      [...document.querySelectorAll(`link[rel="${rel}"]`)].map((element) => element.getAttribute('href')),
  };
}

describe('search and sharing', () => {
  test('R1 the page says its language, title, description and own address', async (t) => {
    const page = await readPage(t);
    assert.equal(page.document.documentElement.lang, 'en');
    assert.equal(page.document.title, search.title);
    assert.deepEqual(page.named('description'), [search.description]);
    assert.ok(search.description.length <= 160);
    assert.deepEqual(page.link('canonical'), [`${SITE}/`]);
  });

  test('R1 Open Graph and Twitter cards: absolute addresses, a picture with a description and its true size', async (t) => {
    const page = await readPage(t);
    assert.deepEqual(page.property('og:url'), [`${SITE}/`]);
    assert.deepEqual(page.property('og:image'), [`${SITE}${search.card.img.src}`]);
    assert.deepEqual(page.property('og:image:alt'), [search.card.alt]);
    assert.deepEqual(page.named('twitter:card'), ['summary_large_image']);
    assert.deepEqual(page.named('twitter:image'), [`${SITE}${search.card.img.src}`]);
    const { body, headers } = await request(page.app)
      .get(search.card.img.src)
      .responseType('blob')
      .expect(200);
    assert.equal(headers['content-type'], 'image/png');
    assert.ok(body.length < 300_000);
    assert.deepEqual([body.readUInt32BE(16), body.readUInt32BE(20)], [1200, 630]);
    assert.deepEqual(page.property('og:image:width'), ['1200']);
    assert.deepEqual(page.property('og:image:height'), ['630']);
  });

  test('R1.15 the browser’s frame has a colour for each scheme', async (t) => {
    const page = await readPage(t);
    assert.deepEqual(page.named('color-scheme'), ['light dark']);
    assert.equal(new Set(page.named('theme-color')).size, 2);
  });

  test('R8 R9 JSON-LD: an online event with its hours and the tuition', async (t) => {
    const page = await readPage(t);
    const elements = [...page.document.querySelectorAll('script[type="application/ld+json"]')];
    assert.equal(elements.length, 1);
    const json = elements[0]?.textContent ?? '';
    assert.doesNotMatch(json, /</);
    const event = v.parse(eventSchema, JSON.parse(json));
    assert.equal(new Date(event.startDate).toISOString(), '2026-01-23T01:30:00.000Z');
    assert.ok(new Date(event.endDate) > new Date(event.startDate));
  });

  test('R1 every icon and font that the head names exists', async (t) => {
    const page = await readPage(t);
    assert.deepEqual(page.link('icon'), ['/favicon.ico', '/favicon.svg']);
    assert.deepEqual(page.link('apple-touch-icon'), ['/apple-touch-icon.png']);
    assert.deepEqual(page.link('manifest'), ['/site.webmanifest']);
    for (const rel of ['icon', 'apple-touch-icon', 'manifest']) {
      for (const path of page.link(rel))
        await request(page.app)
          .get(path ?? '')
          .expect(200);
    }
    for (const font of page.document.querySelectorAll('link[as="font"]')) {
      const path = font.getAttribute('href') ?? '';
      await request(page.app).get(path).expect(200).expect('Content-Type', 'font/woff2');
      assert.ok(font.hasAttribute('crossorigin'));
    }
  });

  test('R1 robots.txt and sitemap.xml lead to the page', async (t) => {
    const { app } = await startTestSite(t);
    const robots = await request(app)
      .get('/robots.txt')
      .expect(200)
      .expect('Content-Type', /^text\/plain/);
    assert.match(
      robots.text,
      /^User-agent: \*\nAllow: \/\n\nSitemap: http:\/\/127\.0\.0\.1:3000\/sitemap\.xml\n$/,
    );
    const sitemap = await request(app).get('/sitemap.xml').expect(200).expect('Content-Type', /xml/);
    const { document } = new JSDOM(sitemap.text, { contentType: 'application/xml' }).window;
    assert.deepEqual(
      [...document.querySelectorAll('url > loc')].map(({ textContent }) => textContent),
      ['/', '/privacy', '/accessibility', '/legal'].map((path) => SITE + path),
    );
  });

  test('security.txt says whom to write to, and is valid for more than a month and less than a year', async (t) => {
    const { app, config } = await startTestSite(t);
    const { text } = await request(app)
      .get(SECURITY_TXT_PATH)
      .expect(200)
      .expect('Content-Type', 'text/plain; charset=utf-8');
    const wanted = ['Contact: mailto:office@retreat.example', 'Expires: (.+)', 'Preferred-Languages: en'];
    const pattern = `^${[...wanted, `Canonical: ${SITE}${SECURITY_TXT_PATH}`].join('\n')}\n$`;
    const days = (Date.parse(RegExp(pattern).exec(text)?.[1] ?? text) - Date.now()) / (24 * 60 * 60 * 1000);
    assert.ok(days > 30 && days < 365, `${days}`);
    for (const [now, until] of [
      ['2031-06-30T23:59:59.999Z', '2031-12-27T00:00:00.000Z'],
      ['2031-07-01T00:00:00.000Z', '2031-12-28T00:00:00.000Z'],
    ] as const)
      assert.match(securityTxt(config, new Date(now)), RegExp(`^Expires: ${until}$`, 'm'));
  });

  test('R9 the calendar file is a download that caches can revalidate', async (t) => {
    const { app } = await startTestSite(t);
    const { headers, text } = await request(app).get('/retreat.ics').expect(200);
    assert.equal(headers['content-type'], 'text/calendar; charset=utf-8');
    assert.match(headers['content-disposition'] ?? '', /^attachment; filename="?the-doorway-retreat\.ics"?$/);
    assert.match(text, /^BEGIN:VCALENDAR\r\n/);
    const etag = headers.etag ?? '';
    assert.match(etag, /^"[\w-]+"$/);
    await request(app).get('/retreat.ics').set('If-None-Match', etag).expect(304);
  });
});
