import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { askingEdition } from '#server/testing/test-editions.ts';
import { parseHtml } from '#server/testing/test-letters.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { onOneLine, termsPathOf } from '#shared/content/policies.ts';
import { privacyPage } from '#shared/content/privacy-page.ts';
import { healthDataPage, sitePages, sitePagesOf } from '#shared/content/site-pages.ts';

const office = {
  officeEmail: 'office@retreat.example',
  officePhone: '+1 (555) 555-0100',
  officeFax: null,
  officePostalAddress: null,
  officeLegalName: null,
};

async function read(t: TestContext, env: NodeJS.ProcessEnv = {}) {
  const { app } = await startTestSite(t, { redisRunning: false, env });
  return async (path: string, status = 200) => {
    const { text } = await request(app).get(path).accept('html').expect(status);
    return parseHtml({ html: text });
  };
}

const linksIn = (document: Document, selector: string) =>
  [...document.querySelectorAll(`${selector} a[href^="/"]`)].map((link) => link.getAttribute('href'));

describe('the pages about the site', () => {
  test('are in the privacy panel of the landing page, and link to each other and home; none needs a script', async (t) => {
    const open = await read(t);
    const paths = ['/privacy', '/accessibility', '/legal'];
    assert.deepEqual(linksIn(await open('/'), '#privacy'), paths);
    assert.deepEqual(linksIn(await open('/'), 'footer'), ['/accessibility', '/legal']);
    for (const path of paths) {
      const document = await open(path);
      assert.deepEqual(linksIn(document, 'main > .page-links'), paths);
      assert.equal(document.querySelector('main > .button[href="/"]')?.textContent, 'Back to the retreat');
      assert.equal(document.querySelector('script[src]'), null);
      assert.equal(document.querySelector('meta[name="robots"]'), null);
      assert.match(
        document.querySelector('link[rel="canonical"]')?.getAttribute('href') ?? '',
        RegExp(`${path}$`),
      );
    }
  });

  test('with a pixel include one about health data, which the footer links', async (t) => {
    const open = await read(t, { META_PIXEL_ID: '1234567890' });
    const { path } = sitePages.healthData;
    assert.deepEqual(linksIn(await open('/'), 'footer'), ['/accessibility', '/legal', path]);
    const terms = termsPathOf(edition.facts, edition.terms);
    for (const document of [await open(terms), await open('/nowhere', 404)])
      assert.ok(linksIn(document, 'main > .page-links').includes(path));
    assert.match(
      (await open(path)).body.textContent ?? '',
      /Who reads this page may tell something about her health/,
    );
  });

  test('show who runs the site, and nothing where something is not configured', async (t) => {
    const open = await read(t, { OFFICE_LEGAL_NAME: 'Doorway LLC', OFFICE_POSTAL_ADDRESS: '1 Lane, Town' });
    const words = (await open('/legal')).body.textContent ?? '';
    assert.match(words, /Run byDoorway LLCPostal address1 Lane, TownE-mail/);
    assert.doesNotMatch(words, /Fax/);
  });
});

test('what an edition adds to the page about health data is on it, with a pixel', () => {
  const notices = { healthData: [{ title: 'Ours', paragraphs: ['Our own words.'] }] };
  assert.deepEqual([sitePagesOf(true).includes('healthData'), sitePagesOf(false).length], [true, 3]);
  const { sections } = healthDataPage({ edition: { ...edition, notices }, office, isMeasured: true });
  assert.deepEqual(
    sections.map(({ title }) => title),
    ['What a visit may tell', 'Ours', 'What you can ask for'],
  );
});

test('the privacy notice has a table of what is kept until when, with what applies to the site only', () => {
  const untilOf = (more: object, isMeasured = false) => {
    const { sections } = privacyPage({ edition: { ...edition, ...more }, office, isMeasured });
    const [block] = sections
      .flatMap(({ blocks }) => blocks)
      .filter((one) => typeof one === 'object' && 'table' in one);
    const rows = typeof block === 'object' && 'table' in block ? block.table.rows : [];
    return new Map(rows.map(([what = '', , , until = '']) => [what, until]));
  };
  const plain = untilOf({});
  assert.equal(plain.get('Your address with each e-mail from us'), '30 days after it was sent');
  assert.equal(plain.get('Copies of the database'), '14 days');
  assert.ok(!plain.has('Your entry on the waiting list') && !plain.has('Answers to our questions'));
  const full = untilOf({ ...askingEdition, facts: { ...edition.facts, places: 20 } }, true);
  assert.equal(full.get('Answers to our questions'), 'We remove your name');
  assert.match(full.get('Your entry on the waiting list') ?? '', /2 days, if you do not confirm it/);
  assert.equal(full.size, plain.size + 3);
});

const { facts, agreed, terms } = edition;

describe('each version of the terms stays at an address of its own', () => {
  for (const version of agreed) {
    const path = termsPathOf(facts, version);

    test(`${path} holds its text word for word, with the office, the edition, version and digest`, async (t) => {
      const { app, config } = await startTestSite(t);
      const { text, headers } = await request(app).get(path).expect(200);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      const document = parseHtml({ html: text });
      const sections = [...document.querySelectorAll('section')];
      const { email, phone } = config.office;
      const shown = sections.map((section) => [...section.children].map(({ textContent }) => textContent));
      const wanted = version.policies.map(({ title, paragraphs }) => [title, ...paragraphs]);
      for (const [index, lines] of wanted.entries()) {
        for (const [place, line] of lines.entries()) {
          const words = line
            .replaceAll('{officeEmail}', email)
            .replaceAll('{officePhone}', onOneLine(phone))
            .replace('{waysToCancel}', `by e-mail: write to ${email}`);
          assert.equal(shown[index]?.[place], words);
        }
      }
      assert.equal(shown.flat().length, wanted.flat().length);
      const all = document.body.textContent ?? '';
      for (const words of [facts.title, `Version ${version.version} `, version.digest]) {
        assert.ok(all.includes(words), words);
      }
      assert.doesNotMatch(all, /[{}]/);
      assert.equal(document.querySelectorAll('script[src]').length, 0);
      for (const whole of document.querySelectorAll('.whole-word')) whole.remove();
      assert.doesNotMatch(document.body.textContent ?? '', /e-mail/, 'It may break at its hyphen');
    });
  }

  for (const path of ['/terms', '/terms/'])
    test(`${path} leads to the current terms, and a cache asks again soon`, async (t) => {
      const { app } = await startTestSite(t);
      await request(app)
        .get(path)
        .expect(302)
        .expect('Location', termsPathOf(facts, terms))
        .expect('Cache-Control', /^public, max-age=0, s-maxage=10\b/);
    });

  for (const path of ['/terms/january-2026-99', `${termsPathOf(facts, terms)}/more`]) {
    test(`${path} gets 404`, async (t) => {
      const { app } = await startTestSite(t);
      const { text } = await request(app).get(path).accept('html').expect(404);
      assert.match(text, /class="art error-door".*This door leads nowhere/);
    });
  }
});
