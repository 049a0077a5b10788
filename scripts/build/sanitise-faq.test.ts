import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { sanitiseFaq } from './sanitise-faq.ts';

test('R1.10 what is bundled holds the answers sanitised, and no sanitiser', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'faq-'));
  t.after(() => rm(folder, { recursive: true }));
  const content = join(folder, 'shared', 'content');
  await mkdir(content, { recursive: true });
  const answer = '<p onclick="steal()">See the <a href="#schedule">schedule</a>.<script>steal()</script></p>';
  const source = `export const faqTitle = 'Title';\nexport const faq = ${JSON.stringify([{ question: 'Q', answer }])};\n`;
  await writeFile(join(content, 'faq.ts'), source);

  const { outputFiles } = await build({
    entryPoints: [join(content, 'faq.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [sanitiseFaq],
  });
  const bundled = outputFiles[0]?.text ?? '';
  assert.ok(bundled.replaceAll('\\"', '"').includes('<p>See the <a href="#schedule">schedule</a>.</p>'));
  assert.doesNotMatch(bundled, /steal|DOMPurify/);
});
