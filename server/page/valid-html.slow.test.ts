import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HtmlValidate, type RuleConfig, StaticConfigLoader } from 'html-validate';
import request from 'supertest';
import {
  renderDataDocument,
  renderLinkDocument,
  renderOwnPageDocument,
  renderPlanDocument,
  renderQuestionsDocument,
  renderReceiptsDocument,
} from '#client/entry.server.tsx';
import { contextWithOffice, everyLetter, readers } from '#scripts/world/letters.ts';
import { announceActs, officeActs } from '#server/acts/office-acts.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { officePaths } from '#server/office/paths.ts';
import { testOffice, testViews } from '#server/testing/own-page-views.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { signIn, startOffice, startTestOffice, trySignIn } from '#server/testing/test-office.ts';
import { manyRegistrations } from '#server/testing/test-registrations.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { sitePages } from '#shared/content/site-pages.ts';

/** All recommended rules except those of style, which distinguish what no browser does, or judge the wording. */
const RULES: RuleConfig = {
  // React writes `charSet`, `checked=""`, `<br/>` and `<!doctype html>` as it likes: to a parser they are the same.
  'attr-case': 'off',
  'attribute-boolean-style': 'off',
  'attribute-empty-style': 'off',
  'void-style': 'off',
  'doctype-style': 'off',
  // Whether a phone number may break at the end of a line, and how long a title or subject is, is up to the content.
  'tel-non-breaking': 'off',
  'long-title': 'off',
  // ARIA lets a list be named, as that of the stepper is; html-validate's `standard` preset allows it too.
  'aria-label-misuse': ['error', { allowAnyNamable: true }],
};

/** Mail programs have their own needs. */
const LETTER_RULES: RuleConfig = {
  ...RULES,
  // Many read no style sheet; Outlook lays out by tables, their attributes and comments made for it.
  'no-inline-style': 'off',
  'no-deprecated-attr': 'off',
  'no-conditional-comment': 'off',
  // Some remove <article>, and keep its role on a <div>.
  'prefer-native-element': 'off',
};

const validatorOf = (rules: RuleConfig): HtmlValidate =>
  new HtmlValidate(new StaticConfigLoader({ root: true, extends: ['html-validate:recommended'], rules }));
const ofPages = validatorOf(RULES);
const ofLetters = validatorOf(LETTER_RULES);

/** What is wrong with a page, a line for each finding. */
function findings(html: string, validator = ofPages): string[] {
  const { results } = validator.validateStringSync(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`),
  );
}

describe('the HTML is valid', () => {
  for (const [what, env] of Object.entries({
    'open, with a pixel': { REGISTRATION: 'open', META_PIXEL_ID: '1234567890' },
    'closed, without a pixel': { REGISTRATION: 'closed' },
  })) {
    test(`of the landing page: registration ${what}`, async (t) => {
      const { app } = await startTestSite(t, { env });
      assert.deepEqual(findings((await request(app).get('/').expect(200)).text), []);
    });
  }

  test('of the pages about the site, of each version of the terms, and of the error pages', async (t) => {
    const { app } = await startTestSite(t, {
      env: { META_PIXEL_ID: '1234567890' },
      changes: { renderPage: () => Promise.reject(new Error('it cannot be rendered')) },
    });
    const paths = [
      ...Object.values(sitePages).map(({ path }) => path),
      ...edition.agreed.map((terms) => termsPathOf(edition.facts, terms)),
    ];
    for (const [path, status] of [
      ...paths.map((path) => [path, 200] as const),
      ['/nowhere', 404],
      ['/', 500],
    ] as const) {
      const { text } = await request(app).get(path).accept('html').expect(status);
      assert.deepEqual(findings(text), [], path);
    }
  });

  test('of the page of one registration, in every state, of its receipts and of the pages about its link', () => {
    const shared = { office: testOffice, look: { styleSheet: '/static/css/own-page.css', fonts: [] } };
    const page = {
      ...shared,
      script: '/static/js/own-page.js',
      stripe: { publishableKey: '', scriptUrl: null },
      isMeasured: true,
    };
    for (const [name, view] of Object.entries(testViews)) {
      assert.deepEqual(findings(renderDataDocument({ ...shared, view })), [], `data, ${name}`);
      assert.deepEqual(findings(renderOwnPageDocument({ ...page, view })), [], name);
      assert.deepEqual(findings(renderReceiptsDocument({ ...shared, view })), [], `receipts, ${name}`);
      if (view.plan)
        assert.deepEqual(
          findings(renderPlanDocument({ ...shared, view, plan: view.plan })),
          [],
          `plan, ${name}`,
        );
      const errors = { 'answer-name-shown': 'Missing', 'answer-table': 'None' };
      for (const sent of [undefined, { typed: {}, errors }])
        if (view.questions?.isOpen)
          assert.deepEqual(
            findings(renderQuestionsDocument({ ...shared, view, ...(sent && { sent }) })),
            [],
            `questions, ${name}`,
          );
    }
    for (const reason of ['none', 'invalid', 'asked', 'asked-too-often', 'too-many'] as const)
      assert.deepEqual(findings(renderLinkDocument({ ...shared, reason })), [], reason);
  });

  test('of the office’s list, with many, one and none, filtered, and while Redis is away', async (t) => {
    const now = new Date('2025-12-29T12:00:00-08:00');
    const { app, redis, log, database } = await startOffice(t, { now: () => now });
    const [first, ...others] = manyRegistrations(120, now);
    assert.ok(first);
    for (const records of [[], [first], [first, ...others]]) {
      await putOnRecord(database, records);
      for (const query of ['', '?page=2', '?show=needs-you&search=anna', '?search=nobody'])
        assert.deepEqual(findings((await request(app).get(`/office${query}`).expect(200)).text), [], query);
      assert.deepEqual(findings((await request(app).get(officePaths.participants).expect(200)).text), []);
    }
    await redis.stop();
    await log.until('Redis is not available');
    assert.deepEqual(findings((await request(app).get('/office').expect(503)).text), []);
  });

  test('of the office’s page of a registration, and of the forms of all acts', async (t) => {
    const { register, mailQueue, payments, now, preview, seeRegistration, seeForm, signIn, find } =
      await startOffice(t);
    signIn({ name: 'Sol', role: 'support' });
    const [id, cancelled] = [await register(), await register({ email: 'olga@example.org' })];
    await payments.decide(await find(cancelled), 'cancel', { at: now(), by: 'Anna', writtenAt: now() });
    await mailQueue.add((await payments.findMail(id, 'welcome', now())) ?? assert.fail());
    for (const one of [id, cancelled, 'pi_none']) {
      assert.deepEqual(findings((await seeRegistration(one)).html), [], one);
      for (const act of officeActs) {
        assert.deepEqual(findings((await seeForm(one, act.id)).html), [], act.id);
        assert.deepEqual(findings((await preview(one, act.id)).html), [], act.id);
      }
    }
    const shown = await preview(id, 'waive', { dollars: '200', as: 'scholarship' });
    const done = await shown.confirm();
    const changed = await shown.confirm();
    for (const { html } of [shown, done.led ?? assert.fail(), changed]) assert.deepEqual(findings(html), []);
  });

  test('of the letters to everyone, and of the forms that announce something', async (t) => {
    const { register, find, payments, see, previewAt, now } = await startOffice(t);
    const pages = [await see(officePaths.letters)];
    await find(await register());
    pages.push(await see(officePaths.letters));
    const formOf = (act: string) => officePaths.announce(edition.facts.id, act);
    for (const { id } of announceActs) pages.push(await see(formOf(id)), await previewAt(formOf(id)));
    const shown = await previewAt(formOf('announce-recordings'), { url: 'https://videos.example.org' });
    const done = await shown.confirm();
    pages.push(shown, done.led ?? assert.fail(), await shown.confirm());
    const told = { revision: edition.facts.calendar.revision, at: now(), by: 'Anna' };
    await payments.announce(edition, 'scheduleTold', told, {});
    pages.push(await see(officePaths.letters));
    for (const { html } of pages) assert.deepEqual(findings(html), []);
  });

  test('of every letter', () => {
    // With a time zone of her own and without one, and with a name that must not become HTML.
    for (const { label, person } of [readers.berlin, readers.hostile])
      for (const [letter, job] of Object.entries(everyLetter(person))) {
        const { html } = composeMessage(job, contextWithOffice);
        assert.deepEqual(findings(html, ofLetters), [], `${letter} ${label}`);
      }
  });

  test('of the status page, also while Redis is away, of the sign-in page, and of refusals', async (t) => {
    const { office, redis, log } = await startTestOffice(t);
    const open = await request(office).get('/office/sign-in').expect(200);
    const wrong = await trySignIn(office, 'office', { password: 'guess' }).expect(401);
    const { get } = await signIn(office, 'office');
    const refused = await get('/office/status').expect(403);
    const missing = await get('/office/nothing').expect(404);
    const { get: ofSupport } = await signIn(office, 'support');
    const status = await ofSupport('/office/status').expect(200);
    await redis.stop();
    await log.until('Redis is not available');
    const away = await ofSupport('/office/status').expect(200);
    for (const { text } of [open, wrong, refused, missing, status, away])
      assert.deepEqual(findings(text), []);
    const { office: nobodys } = await startTestOffice(t, { env: { OPS_USERS: '' } });
    assert.deepEqual(findings((await request(nobodys).get('/office/sign-in').expect(200)).text), []);
  });
});
