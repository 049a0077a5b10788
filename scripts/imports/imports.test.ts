import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { judgeImports, outOfOrder, readImports, sourceFiles, type Walls } from './check-imports.ts';
import { walls } from './walls.ts';

const fixtureWalls: Walls = {
  rooms: {
    'server/*': 'server/mail/queue.ts shared/**',
    'server/mail/**': 'shared/**',
    'client/sections/**': { may: 'shared/**', apart: true },
    'shared/**': { may: '', packages: 'valibot' },
  },
  keptPackages: { stripe: 'server/payments/**', 'node:*': 'server/**' },
};

const spellings = {
  'a relative path': "import { redis } from './mail/redis.ts';",
  'a path without its ending': "import { redis } from './mail/redis';",
  'a path that leaves the folder and returns': "import { redis } from './http/.././mail/redis.ts';",
  'a path from the root': "import { redis } from '#server/mail/redis.ts';",
  'a type': "import type { Redis } from './mail/redis.ts';",
  'a type among values': "import { type Redis } from './mail/redis.ts';",
  'a type in an expression': "export let redis: import('./mail/redis.ts').Redis;",
  'an import for its effect': "import './mail/redis.ts';",
  'a re-export': "export { redis } from './mail/redis.ts';",
  'a re-export of everything': "export * from './mail/redis.ts';",
  'a dynamic import': "export const redis = () => import('./mail/redis.ts');",
};

for (const [spelling, text] of Object.entries(spellings)) {
  test(`a forbidden import is found as ${spelling}`, async (t) => {
    const problems = await judge(t, { 'server/register.ts': text, 'server/mail/redis.ts': 'export {};' });
    assert.equal(problems.length, 1);
    assert.match(
      problems[0] ?? '',
      /^server\/register\.ts:1 imports .*mail\/redis.*: server\/\* may import server\/mail\/queue\.ts, shared\/\*\*, itself, and no other file\.$/,
    );
  });
}

test('what is allowed is accepted', async (t) => {
  const problems = await judge(t, {
    'server/register.ts':
      "import './mail/queue.ts';\nimport '#shared/money.ts';\nimport 'node:fs';\nimport 'express';",
    'server/mail/queue.ts': "import './redis.ts';",
    'server/mail/redis.ts': 'export {};',
    'server/mail/redis.test.ts': "import '#server/register.ts';\nimport 'stripe';",
    'shared/money.ts': "import * as v from 'valibot';",
    'client/sections/hero.tsx': "import '#shared/money.ts';\nexport const Hero = () => <p>Hello</p>;",
  });
  assert.deepEqual(problems, []);
});

/** Of each rule: the files, the first of which breaks it, and what is said. The other files are empty. */
const forbidden: readonly (readonly [what: string, text: string, files: readonly string[], says: RegExp])[] =
  [
    [
      'a relative path out of the folder',
      "import '../../shared/money.ts';",
      ['server/mail/queue.ts', 'shared/money.ts'],
      /^server\/mail\/queue\.ts:1 imports \.\.\/\.\.\/shared\/money\.ts \(shared\/money\.ts\): Across folders/,
    ],
    [
      'a path from the root inside a folder',
      "import '#server/mail/letters/letter.ts';",
      ['server/mail/queue.ts', 'server/mail/letters/letter.ts'],
      /: Inside a folder, and below it, write \.\/\.$/,
    ],
    [
      'a section that imports a section',
      "\nimport './faq.tsx';",
      ['client/sections/hero.tsx', 'client/sections/faq.tsx'],
      /^client\/sections\/hero\.tsx:2 imports \.\/faq\.tsx .*: client\/sections\/\*\* may import shared\/\*\*, and no/,
    ],
    [
      'a package outside the list of its room',
      "import 'react';",
      ['shared/money.ts'],
      /^shared\/money\.ts:1 imports react: shared\/\*\* may import valibot, and no other package\.$/,
    ],
    [
      'a kept package',
      "import type Stripe from 'stripe';",
      ['server/register.ts'],
      /^server\/register\.ts:1 imports stripe: Only server\/payments\/\*\* may import stripe\.$/,
    ],
    [
      'a module of Node without its prefix',
      "import 'fs';",
      ['client/sections/hero.tsx'],
      /^client\/sections\/hero\.tsx:1 imports fs: Only server\/\*\* may import node:\*\.$/,
    ],
    [
      'an import of a test',
      "import './redis.test.ts';",
      ['server/mail/queue.ts', 'server/mail/redis.test.ts'],
      /: Nothing imports a test\.$/,
    ],
    [
      'a folder without a rule',
      "import '#shared/money.ts';",
      ['attic/old.ts', 'shared/money.ts'],
      /^attic\/old\.ts:1 .*: No rule holds this file/,
    ],
    [
      'a type in an expression, which Biome does not follow to find cycles',
      "export let job: import('./job.ts').Job;",
      ['server/mail/queue.ts', 'server/mail/job.ts'],
      /^server\/mail\/queue\.ts:1 imports \.\/job\.ts .*: Inside a room, import a type by a statement: `import type`\.$/,
    ],
  ];

for (const [what, text, files, says] of forbidden) {
  test(`${what} is found`, async (t) => {
    const written = Object.fromEntries(files.map((file, index) => [file, index === 0 ? text : '']));
    const problems = await judge(t, written);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0] ?? '', says);
  });
}

test('an import of a file that does not exist is an error', async (t) => {
  await assert.rejects(
    judge(t, { 'server/register.ts': "import './gone.ts';" }),
    /server\/register\.ts.*gone/,
  );
});

test('rooms import only what stands below them, so that there are no cycles between them', () => {
  assert.deepEqual(outOfOrder(walls), []);
  const rooms = { ...fixtureWalls.rooms, 'server/mail/**': 'shared/** server/register.ts' };
  assert.deepEqual(outOfOrder({ ...fixtureWalls, rooms }), [
    'server/mail/** may import server/register.ts, which does not stand below it.',
  ]);
});

/** The problems found in a project of these files. */
async function judge(t: TestContext, files: Record<string, string>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'imports-'));
  t.after(() => rm(root, { recursive: true }));
  const imports = { '#server/*': './server/*', '#shared/*': './shared/*' };
  const all = { 'server/http/listen.ts': '', ...files };
  await writeFile(join(root, 'package.json'), JSON.stringify({ type: 'module', imports }));
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const folders = new Set(Object.keys(all).map((path) => path.split('/')[0] ?? ''));
  return judgeImports(readImports(root, sourceFiles(root, [...folders])), fixtureWalls);
}
