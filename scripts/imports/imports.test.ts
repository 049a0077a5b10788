import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { judgeImports, outOfOrder, type Walls } from './judge-imports.ts';
import { readImports, sourceFiles } from './read-imports.ts';
import { walls } from './walls.ts';

const fixtureWalls: Walls = {
  rooms: [
    { of: 'server/*', may: ['server/mail/queue.ts', 'shared/**'], says: 'Of mail only the queue.' },
    { of: 'server/mail/**', may: ['shared/**'], says: 'Mail imports shared.' },
    { of: 'client/sections/**', apart: true, may: ['shared/**'], says: 'No section imports a section.' },
    { of: 'shared/**', may: [], packages: ['valibot'], says: 'Only itself and valibot.' },
  ],
  keptPackages: [
    { package: 'stripe', only: ['server/payments/**'], says: 'Only payments.' },
    { package: 'node:*', only: ['server/**'], says: 'No Node here.' },
  ],
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
      /^server\/register\.ts:1 imports .*mail\/redis.*: Of mail only the queue\.$/,
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

const forbidden: Record<string, { files: Record<string, string>; problem: RegExp }> = {
  'a relative path out of the folder': {
    files: { 'server/mail/queue.ts': "import '../../shared/money.ts';", 'shared/money.ts': '' },
    problem:
      /^server\/mail\/queue\.ts:1 imports \.\.\/\.\.\/shared\/money\.ts \(shared\/money\.ts\): Across folders/,
  },
  'a path from the root inside a folder': {
    files: {
      'server/mail/queue.ts': "import '#server/mail/letters/letter.ts';",
      'server/mail/letters/letter.ts': '',
    },
    problem: /: Inside a folder, and below it, write \.\/\.$/,
  },
  'a section that imports a section': {
    files: { 'client/sections/hero.tsx': "\nimport './faq.tsx';", 'client/sections/faq.tsx': '' },
    problem: /^client\/sections\/hero\.tsx:2 imports \.\/faq\.tsx .*: No section imports a section\.$/,
  },
  'a package outside the list of its room': {
    files: { 'shared/money.ts': "import 'react';" },
    problem: /^shared\/money\.ts:1 imports react: Only itself and valibot\.$/,
  },
  'a kept package': {
    files: { 'server/register.ts': "import type Stripe from 'stripe';" },
    problem: /^server\/register\.ts:1 imports stripe: Only payments\.$/,
  },
  'a module of Node, with and without its prefix': {
    files: { 'client/sections/hero.tsx': "import 'fs';" },
    problem: /^client\/sections\/hero\.tsx:1 imports fs: No Node here\.$/,
  },
  'an import of a test': {
    files: { 'server/mail/queue.ts': "import './redis.test.ts';", 'server/mail/redis.test.ts': '' },
    problem: /: Nothing imports a test\.$/,
  },
  'a folder without a rule': {
    files: { 'attic/old.ts': "import '#shared/money.ts';", 'shared/money.ts': '' },
    problem: /^attic\/old\.ts:1 .*: No rule holds this file/,
  },
  'a cycle of files, through types': {
    files: {
      'server/mail/queue.ts': "import './redis.ts';",
      'server/mail/redis.ts': "export { type Job } from './job.ts';",
      'server/mail/job.ts': "import type { Queue } from './queue.ts';",
    },
    problem:
      /^These files import each other.*: server\/mail\/job\.ts -> server\/mail\/queue\.ts -> server\/mail\/redis\.ts -> server\/mail\/job\.ts$/,
  },
};

for (const [what, { files, problem }] of Object.entries(forbidden)) {
  test(`${what} is found`, async (t) => {
    const problems = await judge(t, files);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0] ?? '', problem);
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
  const [top, bottom] = fixtureWalls.rooms;
  assert.ok(top && bottom);
  const upward = { ...bottom, may: [...bottom.may, 'server/register.ts'] };
  assert.deepEqual(outOfOrder({ ...fixtureWalls, rooms: [top, upward] }), [
    'server/mail/** may import server/register.ts, which does not stand below it.',
  ]);
});

/** The problems found in a project of these files. */
async function judge(
  t: { after: (end: () => unknown) => void },
  files: Record<string, string>,
): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'imports-'));
  t.after(() => rm(root, { recursive: true }));
  const imports = { '#server/*': './server/*', '#shared/*': './shared/*' };
  const all = {
    'package.json': JSON.stringify({ type: 'module', imports }),
    'server/http/listen.ts': '',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const folders = [
    ...new Set(Object.keys(all).flatMap((path) => (path.includes('/') ? path.split('/')[0] : []))),
  ];
  return judgeImports(
    readImports(
      root,
      sourceFiles(
        root,
        folders.filter((f) => f !== undefined),
      ),
    ),
    fixtureWalls,
  );
}
