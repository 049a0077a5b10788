import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HtmlValidate, type RuleConfig, StaticConfigLoader } from 'html-validate';
import request from 'supertest';
import {
  LinkDocument,
  OwnPageDocument,
  PlanDocument,
  ProofDocument,
  QuestionsDocument,
  ReceiptsDocument,
  renderDocument,
} from '#client/entry.server.tsx';
import { composeMessage } from '#server/letters/compose-message.ts';
import { testOffice, testViews } from '#server/testing/own-page-views.ts';
import { contextWithOffice, everyLetter, readers } from '#server/testing/sample-letters.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
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
    const page = { ...shared, isMeasured: true };
    for (const [name, view] of Object.entries(testViews)) {
      assert.deepEqual(
        findings(renderDocument(ProofDocument, { ...shared, view, act: 'data' })),
        [],
        `data, ${name}`,
      );
      assert.deepEqual(findings(renderDocument(OwnPageDocument, { ...page, view })), [], name);
      assert.deepEqual(
        findings(renderDocument(ReceiptsDocument, { ...shared, view })),
        [],
        `receipts, ${name}`,
      );
      if (view.plan)
        assert.deepEqual(
          findings(renderDocument(PlanDocument, { ...shared, view, plan: view.plan })),
          [],
          `plan, ${name}`,
        );
      const errors = { 'answer-name-shown': 'Missing', 'answer-table': 'None' };
      for (const sent of [undefined, { typed: {}, errors }])
        if (view.questions?.isOpen)
          assert.deepEqual(
            findings(renderDocument(QuestionsDocument, { ...shared, view, ...(sent && { sent }) })),
            [],
            `questions, ${name}`,
          );
    }
    for (const reason of ['none', 'invalid', 'asked', 'asked-too-often', 'too-many'] as const)
      assert.deepEqual(findings(renderDocument(LinkDocument, { ...shared, reason })), [], reason);
  });

  test('of every letter', () => {
    // With a time zone of her own and without one, and with a name that must not become HTML.
    for (const { label, person } of [readers.berlin, readers.hostile])
      for (const [letter, mail] of Object.entries(everyLetter(person))) {
        const { html } = composeMessage(mail, contextWithOffice);
        assert.deepEqual(findings(html, ofLetters), [], `${letter} ${label}`);
      }
  });
});
