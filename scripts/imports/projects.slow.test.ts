import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache');

/** For each side: the projects that it needs, expressions that fail to type-check there, and one that passes. */
const sides = {
  client: {
    needs: ['shared'],
    absent: ['process.pid', "import('node:fs')", 'Buffer.alloc(1)'],
    present: 'document.title',
  },
  server: {
    needs: ['shared', 'client'],
    absent: ['document.title', 'window.name', 'localStorage.length'],
    present: 'process.pid',
  },
  shared: {
    needs: [],
    absent: ['document.title', 'process.pid', "import('node:fs')"],
    present: "new URL('data:,')",
  },
};

/** TypeScript's codes for a name, or a module, that is not there. */
const MISSING_NAME = /TS(?:2304|2307|2580|2584|2591)/;

for (const [side, { needs, absent, present }] of Object.entries(sides)) {
  test(`in ${side}, beside all its files, a name or module that the side does not have is a type error`, (t) => {
    mkdirSync(CACHE, { recursive: true });
    const folder = mkdtempSync(join(CACHE, 'project-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const lines = [...absent, present].map(
      (expression, index) => `export const v${index} = ${expression};\n`,
    );
    writeFileSync(join(folder, 'fixture.ts'), lines.join(''));
    const config = {
      extends: relative(folder, join(ROOT, side, 'tsconfig.json')),
      compilerOptions: { composite: false, emitDeclarationOnly: false, noEmit: true, incremental: false },
      files: ['fixture.ts'],
      references: needs.map((needed) => ({ path: join(ROOT, needed) })),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const { stdout } = spawnSync(tsc, ['-b', folder, '--checkers', '1'], { cwd: ROOT, encoding: 'utf8' });
    const errors = [...stdout.matchAll(/^.*fixture\.ts\((\d+),\d+\): error (TS\d+)/gm)];
    assert.deepEqual(
      errors.map(([, line]) => Number(line)),
      absent.map((_, index) => index + 1),
      stdout,
    );
    for (const [, , code = ''] of errors) assert.match(code, MISSING_NAME);
  });
}
