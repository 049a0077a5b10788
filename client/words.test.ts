import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const COMMENT = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm;
/** Where a text begins: in quotes, or after a tag. What developers read, in errors and on the console, does not count. */
const SENTENCE = /(?<!(?:new \w+|super|console\.\w+)\(\s*)['"`>]\s*([A-Z][a-z’']*(?: [a-z’']+){2,})/g;

test('the words of the page and of her page are in shared/content, and no sentence stands in client', async () => {
  const files = await readdir('client', { recursive: true });
  const found: string[] = [];
  for (const file of files.filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|spec)\.|^e2e/.test(name))) {
    const code = (await readFile(join('client', file), 'utf8')).replaceAll(COMMENT, '');
    for (const [, words] of code.matchAll(SENTENCE)) found.push(`${file}: ${words}`);
  }
  assert.deepEqual(found, []);
});
