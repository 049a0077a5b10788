import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { describeProblem } from './problems.ts';
import { EDITIONS_FOLDER, listEditions, readEdition, readOnSale } from './read-edition.ts';
import { checkTheme, contrastOf } from './theme.ts';

describe('the palette of an edition', () => {
  test('has enough contrast, in every edition', async () => {
    for (const id of await listEditions()) assert.deepEqual(checkTheme(await readEdition(id)), []);
  });

  test('text with too little contrast is refused, with both colours, their contrast, and what to do', async (t) => {
    assert.deepEqual(await problemsWith(t, /( {2}ink: \{ light: )"#\w+"/, '$1"#8a7a86"'), [
      'theme.yaml, line 8, colors.ink.light: in light, the text, ink #8a7a86 on paper #fbf6ef, has a contrast of 3.74 to 1 and needs 7 to 1: make ink darker, or paper lighter',
      'theme.yaml, line 8, colors.ink.light: in light, the text, ink #8a7a86 on sand #efe3d3, has a contrast of 3.18 to 1 and needs 7 to 1: make ink darker, or sand lighter',
      'theme.yaml, line 8, colors.ink.light: in light, the text, ink #8a7a86 on mist #e6e8da, has a contrast of 3.24 to 1 and needs 7 to 1: make ink darker, or mist lighter',
    ]);
  });

  test('too little contrast in the dark scheme is refused, in the deep sections too', async (t) => {
    const problems = await problemsWith(t, /(accent-text: .*dark: )"#\w+"/, '$1"#8a5a48"');
    assert.equal(problems.length, 4);
    for (const [index, ground] of ['paper', 'sand', 'mist', 'deep'].entries()) {
      const pattern = new RegExp(
        `^theme\\.yaml, line 11, colors\\.accent-text\\.dark: in dark, a link, accent-text #8a5a48 on ${ground} #\\w+, .* needs 4\\.5 to 1: make accent-text lighter, or ${ground} darker$`,
      );
      assert.match(problems[index] ?? '', pattern);
    }
  });

  test('signs need less contrast than text', async (t) => {
    const problems = await problemsWith(t, /( {2}sage: \{ light: )"#\w+"/, '$1"#c0c8b0"');
    assert.match(problems.join('\n'), /^theme\.yaml, line 14, colors\.sage\.light: .* needs 3 to 1: .*$/);
    assert.deepEqual(await problemsWith(t, /( {2}sage: \{ light: )"#\w+"/, '$1"#788563"'), []);
  });
});

test('contrast is calculated as WCAG 2.2 does, whichever colour comes first', () => {
  assert.equal(contrastOf('#000000', '#ffffff'), 21);
  assert.equal(contrastOf('#b4472f', '#b4472f'), 1);
  // The lightest grey that is text on white at level AA, and the next one.
  assert.ok(contrastOf('#767676', '#ffffff') >= 4.5);
  assert.ok(contrastOf('#ffffff', '#777777') < 4.5);
});

/** The problems of the theme on sale after one change, without the path of its folder. */
async function problemsWith(t: TestContext, pattern: RegExp, written: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'editions-'));
  t.after(() => rm(folder, { recursive: true }));
  await cp(join(EDITIONS_FOLDER, await readOnSale()), join(folder, 'other'), { recursive: true });
  const file = join(folder, 'other/theme.yaml');
  const before = await readFile(file, 'utf8');
  assert.match(before, pattern);
  await writeFile(file, before.replace(pattern, written));
  const problems = checkTheme(await readEdition('other', folder));
  return problems.map((problem) => describeProblem(problem).replace(`${join(folder, 'other')}/`, ''));
}
