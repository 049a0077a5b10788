import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startProduct } from './run/product.ts';
import { copySources, replaceLine } from './run/project-copy.ts';
import { test } from './run/test.ts';

const WORDS = 'shared/content/editions/january-2026/page.yaml';
const CODE = 'shared/content/terms-page.ts';

test('npm run dev shows each change of content and code', async ({ scope }) => {
  const project = await copySources(scope);
  const product = await startProduct('dev', {}, project);
  scope.after(product.end);
  const read = async (path: string) => (await fetch(new URL(path, product.siteUrl))).text();
  for (const [index, eyebrow] of ['First words', 'Other words'].entries()) {
    await replaceLine(join(project, WORDS), /^( *)eyebrow: .*/m, `$1eyebrow: ${eyebrow}`);
    await product.untilPrinted('Listening', index + 2);
    assert.match(await read('/'), new RegExp(`>${eyebrow}<`));
  }
  await replaceLine(join(project, CODE), /title: .*/, "title: 'A changed line of code',");
  await product.untilPrinted('Listening', 4);
  assert.match(await read('/terms/january-2026-3'), /A changed line of code/);
});
