import assert from 'node:assert/strict';
import { test } from 'node:test';
import { featuresOfMarkup, featuresOfScript, featuresOfStyle, judgeFeatures } from './features.ts';

const none = { fallbacks: {}, ownNames: new Set<string>() };

const styles = {
  'a function in a custom property': ['a { --ink: light-dark(#000, #fff) }', 'css.types.color.light-dark'],
  'a function in a shorthand': [
    'a { border: 1px solid color-mix(in oklab, red, blue) }',
    'css.types.color.color-mix',
  ],
  'a pseudo-class': ['a:has(b) { color: red }', 'css.selectors.has'],
  'a pseudo-class in a list': [':is(a, b:has(c)) { color: red }', 'css.selectors.has'],
  'the state of a popover': ['a:popover-open { color: red }', 'css.selectors.popover-open'],
  'a pseudo-element': ['a::details-content { color: red }', 'css.selectors.details-content'],
  nesting: ['a { & b { color: red } }', 'css.selectors.nesting'],
  'a property': ['a { anchor-name: --a }', 'css.properties.anchor-name'],
  'a value': ['a { width: stretch }', 'css.properties.width.stretch'],
  'a descriptor': ['@font-face { size-adjust: 90% }', 'css.at-rules.font-face.size-adjust'],
  'a unit': ['a { block-size: 2lh }', 'css.types.length.lh'],
  'an at-rule': ['@starting-style { a { color: red } }', 'css.at-rules.starting-style'],
  'a media feature': ['@media (scripting: none) { a { color: red } }', 'css.at-rules.media.scripting'],
  'a range of it': ['@media (width >= 4rem) { a { color: red } }', 'css.at-rules.media.range_syntax'],
  'a negated one': ['@media not (hover) { a { color: red } }', 'css.at-rules.media.or_syntax'],
} as const;

const scripts = {
  'a method': ['words.toSorted()', 'javascript.builtins.Array.toSorted'],
  'a method by a computed name': ["words?.['toReversed']()", 'javascript.builtins.Array.toReversed'],
  'a static method': ['Promise.withResolvers()', 'javascript.builtins.Promise.withResolvers'],
  'a static method of an interface': ['AbortSignal.any([])', 'api.AbortSignal.any_static'],
  'a global function': ['requestIdleCallback(f)', 'api.Window.requestIdleCallback'],
  'a global object': ['new CloseWatcher()', 'api.CloseWatcher'],
  'a property': ['document.adoptedStyleSheets = []', 'api.Document.adoptedStyleSheets'],
  'a regular expression': ['/(?<!a)b/u', 'javascript.regular_expressions.lookbehind_assertion'],
} as const;

/** The features of a text, as uses by a file. */
const usesIn = {
  'a.css': (text: string) => [...featuresOfStyle(text)].map((id) => ({ file: 'a.css', ids: [id] })),
  'a.ts': (text: string) => featuresOfScript('a.ts', text).map((ids) => ({ file: 'a.ts', ids })),
  'a.tsx': (text: string) => featuresOfMarkup('a.tsx', text).map((ids) => ({ file: 'a.tsx', ids })),
};

for (const [file, examples] of [
  ['a.css', styles],
  ['a.ts', scripts],
] as const) {
  for (const [kind, [text, id]] of Object.entries(examples)) {
    test(`a young feature is found in ${file}: ${kind}`, () => {
      const [problem = '', ...others] = judgeFeatures(usesIn[file](text), none);
      assert.deepEqual(others, []);
      assert.match(problem, new RegExp(`^${file}: ${id} is missing in .*(16|109|115)$`));
    });
  }
}

test('a young attribute is found in a component, also of a component that passes it on', () => {
  const uses = usesIn['a.tsx']('<Island popover="auto"><button popoverTarget="a" type="button" /></Island>');
  const problems = judgeFeatures(uses, none);
  assert.equal(problems.length, 2);
  assert.match(problems.join(), /html\.global_attributes\.popover .*html\.elements\.button\.popovertarget /);
});

test('what all supported browsers have passes, and what only a condition asks for', () => {
  const style =
    '@layer a; @supports not selector(:popover-open) { a:where(b) { inset: 1svh } } @media not all and (hover) { a { color: red } }';
  const script =
    'words.at(-1); structuredClone(words); [].findLast(f); text.replaceAll(a, b); Object.hasOwn(a, b)';
  assert.deepEqual(judgeFeatures([...usesIn['a.css'](style), ...usesIn['a.ts'](script)], none), []);
});

test('a fallback covers a feature and its parts, a name of our own only itself, and neither may be listed in vain', () => {
  const uses = [...usesIn['a.css']('a { text-wrap: balance }'), ...usesIn['a.ts']('payment.retry()')];
  const fallbacks = { 'css.properties.text-wrap': 'Lines break where they are full.' };
  assert.deepEqual(judgeFeatures(uses, { fallbacks, ownNames: new Set(['retry']) }), []);
  assert.deepEqual(judgeFeatures([], { fallbacks, ownNames: new Set(['retry']) }), [
    'The exception css.properties.text-wrap is not needed: delete it',
    'The exception retry is not needed: delete it',
  ]);
});
