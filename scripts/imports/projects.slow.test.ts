import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache');

/** For each side: the projects that it needs, expressions that fail to type-check there, and ones that pass. */
const sides = {
  client: {
    needs: ['shared'],
    absent: ['process.pid', "import('node:fs')", 'Buffer.alloc(1)'],
    present: ['document.title'],
  },
  server: {
    needs: ['shared', 'client'],
    absent: ['document.title', 'window.name', 'localStorage.length'],
    present: ['process.pid'],
  },
  shared: {
    needs: [],
    absent: ['document.title', 'process.pid', "import('node:fs')"],
    present: ["new URL('data:,')"],
  },
};

for (const side of ['client', 'server', 'shared'] as const) {
  test(`in ${side}, beside all its files, a name or module that the side does not have is a type error`, async (t) => {
    const { absent, present } = sides[side];
    const errors = await typeErrors(t, side, [...absent, ...present]);
    assert.deepEqual(
      errors.filter(({ code }) => !MISSING_NAME.includes(code)),
      [],
    );
    assert.deepEqual(
      errors.map(({ file }) => file).sort(),
      absent.map((_, index) => `fixture-${index}.ts`),
    );
  });
}

/** TypeScript's codes for a name, or a module, that is not there. */
const MISSING_NAME = ['TS2304', 'TS2307', 'TS2580', 'TS2584', 'TS2591'];

/** The type errors of a side's project, by file, once it also has files with these expressions. */
async function typeErrors(
  t: { after: (end: () => unknown) => void },
  side: keyof typeof sides,
  expressions: readonly string[],
): Promise<{ file: string; code: string }[]> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'project-'));
  t.after(() => rm(folder, { recursive: true }));
  const files = expressions.map((_, index) => `fixture-${index}.ts`);
  await Promise.all(
    files.map((file, index) =>
      writeFile(join(folder, file), `export const value = ${expressions[index]};\n`),
    ),
  );
  const config = {
    extends: relative(folder, join(ROOT, side, 'tsconfig.json')),
    compilerOptions: { composite: false, emitDeclarationOnly: false, noEmit: true, incremental: false },
    files,
    references: sides[side].needs.map((needed) => ({ path: join(ROOT, needed) })),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return (await checkTypes(folder)).split('\n').flatMap((line) => {
    const [, path, code] = /^(.+?)\(\d+,\d+\): error (TS\d+)/.exec(line) ?? [];
    return path && code ? [{ file: relative(folder, resolve(ROOT, path)), code }] : [];
  });
}

function checkTypes(project: string): Promise<string> {
  return new Promise((done) => {
    execFile(join(ROOT, 'node_modules/.bin/tsc'), ['-b', project], { cwd: ROOT }, (_, stdout) =>
      done(stdout),
    );
  });
}
