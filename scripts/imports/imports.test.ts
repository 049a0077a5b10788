import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeImports, type Walls } from './check-imports.ts';

const walls: Walls = {
  rooms: {
    'server/*': 'server/mail/queue.ts shared/**',
    'server/mail/**': 'shared/** server/register.ts',
    'client/sections/**': 'shared/**',
    'shared/**': '',
  },
  apart: ['client/sections/**'],
  roomPackages: { 'shared/**': 'valibot' },
  keptPackages: { stripe: 'server/payments/**', 'node:*': 'server/**' },
};

for (const [spelling, text] of [
  ['a path without its ending', "import { redis } from './mail/redis';"],
  ['a path from the root', "import { redis } from '#server/mail/redis.ts';"],
  ['a type', "import type { Redis } from './mail/redis.ts';"],
  ['a type among values', "import { type Redis } from './mail/redis.ts';"],
  ['a type in an expression', "export let redis: import('./mail/redis.ts').Redis;"],
  ['an import for its effect', "import './mail/redis.ts';"],
  ['a re-export', "export { redis } from './mail/redis.ts';"],
  ['a re-export of everything', "export * from './mail/redis.ts';"],
  ['a dynamic import', "export const redis = () => import('./mail/redis.ts');"],
] as const) {
  const rule = spelling.includes('root')
    ? /: Inside a folder, and below it, write \.\/\.$/
    : /: server\/\* may import server\/mail\/queue\.ts, shared\/\*\*, itself, and no other file\.$/;
  test(`a forbidden import is found as ${spelling}`, () => {
    const [problem = '', ...others] = judgeImports({ 'server/register.ts': text }, walls);
    assert.deepEqual(others, []);
    assert.match(problem, /^server\/register\.ts imports (?:\.|#server)\/mail\/redis/);
    assert.match(problem, rule);
  });
}

test('what is allowed is accepted', () => {
  const problems = judgeImports(
    {
      'server/register.ts':
        "import './mail/queue.ts';\nimport '#shared/money.ts';\nimport 'node:fs';\nimport 'express';",
      'server/mail/queue.ts': "import './redis.ts';",
      'server/mail/letters/letter.ts': "import '#server/mail/redis.ts';",
      'server/mail/redis.test.ts': "import '#server/register.ts';\nimport 'stripe';",
      'shared/money.ts': "import * as v from 'valibot';",
      'client/sections/hero.tsx': "import '#shared/money.ts';\nexport const Hero = () => <p>Hello</p>;",
    },
    walls,
  );
  assert.deepEqual(problems, []);
});

test('a room may be files of several folders, between other files of these folders', () => {
  const record = 'server/payments/record.ts server/register/entry.ts';
  const rooms = {
    'server/payments/**': `server/letters/** ${record}`,
    'server/letters/**': record,
    [record]: '',
  };
  const problems = judgeImports(
    {
      'server/payments/due.ts': "import '#server/letters/table.ts';\nimport './record.ts';",
      'server/letters/table.ts': "import '#server/register/entry.ts';\nimport '#server/payments/due.ts';",
      'server/payments/record.ts': "import '#server/register/entry.ts';\nimport './due.ts';",
    },
    { ...walls, rooms },
  );
  assert.deepEqual(
    problems.map((problem) => problem.split(':')[0]),
    ['server/letters/table.ts imports #server/payments/due.ts', 'server/payments/record.ts imports ./due.ts'],
  );
});

for (const [what, file, text, says] of [
  [
    'a relative path out of the folder',
    'server/mail/queue.ts',
    "import '../../shared/money.ts';",
    'Across folders write #client/, #server/, #shared/ or #scripts/.',
  ],
  [
    'a section that imports a section',
    'client/sections/hero.tsx',
    "import './faq.tsx';",
    'client/sections/** may import shared/**, and no other file.',
  ],
  [
    'a room that is not below',
    'server/mail/queue.ts',
    "import '#server/register.ts';",
    'server/* does not stand below server/mail/**.',
  ],
  [
    'a package outside the list of its room',
    'shared/money.ts',
    "import 'react';",
    'shared/** may import valibot, and no other package.',
  ],
  [
    'a kept package',
    'server/register.ts',
    "import type Stripe from 'stripe';",
    'Only server/payments/** may import stripe.',
  ],
  [
    'a module of Node without its prefix',
    'client/sections/hero.tsx',
    "import 'fs';",
    'Only server/** may import node:*.',
  ],
  ['a test', 'server/mail/queue.ts', "import './redis.test.ts';", 'Nothing imports a test.'],
  [
    'a folder without a rule',
    'attic/old.ts',
    "import '#shared/money.ts';",
    'No rule holds this file: give its folder a line in scripts/imports/walls.ts.',
  ],
] as const) {
  test(`an import is refused: ${what}`, () => {
    const [problem = '', ...others] = judgeImports({ [file]: text }, walls);
    assert.deepEqual(others, []);
    assert.ok(problem.startsWith(`${file} imports `) && problem.endsWith(`: ${says}`), problem);
  });
}
