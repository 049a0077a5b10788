import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { minVersion, satisfies } from 'semver';
import * as v from 'valibot';
import { withSubjects } from '#server/office/commands/subjects.ts';
import { COMMANDS } from '#server/support/commands.ts';
import { isBrowserTest, isFast, JOURNEY, testFilesIn } from './test-files.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['client', 'server', 'shared', 'scripts', '.github'];
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const sources = FOLDERS.flatMap(filesIn);
const documents = ['README.md', ...sources.filter((path) => path.endsWith('.md'))];
const { scripts } = v.parse(v.object({ scripts: v.record(v.string(), v.string()) }), parse('package.json'));

function parse(path: string): unknown {
  return JSON.parse(read(path));
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length));
}

/** What stands in code marks, blocks of code among it. */
function codeIn(text: string): string[] {
  return [...text.matchAll(/```[\s\S]*?```|`[^`]+`/g)].map(([code]) => code.replaceAll('`', ''));
}

/** Paths of this repository. `NAME` stands for a name that a reader chooses. */
function pathsIn(text: string): string[] {
  const found =
    text.match(/(?<![\w./#-])(?:client|server|shared|scripts|dist|\.github|\.readme)\/[\w./-]*/g) ?? [];
  return found.filter((path) => !path.includes('NAME')).map((path) => path.replace(/\.$/, ''));
}

/** The names under which a page's headings can be linked to, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = read(path).match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

const variablesIn = (text: string) => text.match(/\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g) ?? [];

describe('the documents', () => {
  const known = new Set(
    ['.env.example', ...sources.filter(isCode)].flatMap((path) => variablesIn(read(path))),
  );

  for (const path of documents) {
    const text = read(path);
    const code = codeIn(text).join('\n');

    test(`${path} names files and folders that exist`, () => {
      const missing = pathsIn(code).filter((named) => !existsSync(join(ROOT, named)));
      assert.deepEqual(missing, []);
    });

    test(`${path} links to pages and headings that exist`, () => {
      const prose = text.replace(/```[\s\S]*?```/g, '');
      for (const [, target = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [file = '', anchor] = target.split('#');
        const linked = file === '' ? path : join(dirname(path), file);
        assert.ok(existsSync(join(ROOT, linked)), `${target} leads nowhere`);
        if (anchor) assert.ok(anchorsOf(linked).includes(anchor), `${target} names no heading`);
      }
    });

    test(`${path} names commands and variables that exist`, () => {
      for (const [, name = ''] of code.matchAll(/npm run ([\w:-]+)/g))
        assert.ok(scripts[name], `npm run ${name}`);
      assert.deepEqual(
        variablesIn(code).filter((word) => !known.has(word)),
        [],
      );
    });
  }

  test('name commands of support, and acts, that exist', () => {
    const acts = withSubjects(({ commands }) => commands.map(({ id }) => `act ${id}`)).flat();
    const known = new Set([...COMMANDS.map(({ name }) => name), ...acts, 'COMMAND']);
    const named = documents
      .flatMap((path) => codeIn(read(path)))
      .flatMap((code) => [
        ...[...code.matchAll(/support(?:\.js| --)?\s+([\w-]+)/g)].map(([, name]) => name),
        ...[...code.matchAll(/\bact (?:ID|EDITION|[\w-]*\d\w*)\s+([a-z-]+)/g)].map(
          ([, kind]) => `act ${kind}`,
        ),
      ]);
    assert.ok(named.length > 20);
    assert.deepEqual(
      named.filter((name) => !known.has(name ?? '')),
      [],
    );
  });

  test('each record of a decision is in the table once, in the order of their numbers', () => {
    const records = documents.flatMap((path) =>
      anchorsOf(path).flatMap((anchor) => (/^d\d+-/.test(anchor) ? `../${path}#${anchor}` : [])),
    );
    const table = read('.github/DECISIONS.md');
    const rows = [...table.matchAll(/^\| D(\d+) \| .* \| \[.*\]\((\S+)\) \|/gm)];
    assert.deepEqual(rows.map(([, , link]) => link).toSorted(), records.toSorted());
    let last = 0;
    for (const [row, number, link = ''] of rows) {
      assert.ok(Number(number) > last && link.includes(`#d${number}-`), row);
      last = Number(number);
    }
  });

  test('each row about the ASVS has its numbers, and what holds it or why nothing does', () => {
    const rows = read('server/ops/asvs.md').match(/^\| V.*$/gm) ?? [];
    assert.ok(rows.length > 90);
    for (const row of rows) {
      const [, numbers = '', , holds = ''] = row.split('|');
      assert.match(numbers, /^ V\d+\.\d+\.\d+(?:, V\d+\.\d+\.\d+)* $/);
      const paths = [...holds.matchAll(/`([\w/-]*[./][\w./-]+)`/g)].map(([, path = '']) => path);
      assert.deepEqual(
        paths.filter((path) => !existsSync(join(ROOT, path))),
        [],
      );
      assert.ok(paths.length > 0 || /\]\(|^ (?:not held|the operator)/.test(holds), row);
    }
  });

  for (const path of documents.filter((one) => one === 'README.md' || one.startsWith('server/ops/')))
    test(`${path} stays short`, () => {
      assert.ok(read(path).split('\n').length < (path === 'README.md' ? 150 : 250));
    });

  for (const path of ['.env.example', 'docker-compose.yml', 'Dockerfile']) {
    test(`${path} names files that exist`, () => {
      const named = pathsIn(read(path)).filter((name) => name.includes('.'));
      const missing = named.filter((name) => !existsSync(join(ROOT, name)));
      assert.deepEqual(missing, []);
    });
  }
});

function isCode(path: string): boolean {
  return /\.(?:tsx?|mjs)$/.test(path);
}

/** How many rows each chapter of the requirements has; R8 and R9 have one each. */
const ROWS = { R1: 15, R2: 10, R3: 6, R4: 6, R5: 4, R6: 3, R7: 2 };

const wanted = [
  ...Object.entries(ROWS).flatMap(([chapter, rows]) =>
    Array.from({ length: rows }, (_, index) => `${chapter}.${index + 1}`),
  ),
  'R8',
  'R9',
];

/** The titles of the tests of a file that `npm test` runs. */
function titlesIn(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const tag = isBrowserTest(file) ? `\\s*\\{\\s*tag: '${JOURNEY}',?\\s*\\}` : '';
  const tests = new RegExp(`(?:test|describe)\\(\\s*(['"\`])([^\\n]*?)\\1,${tag}`, 'g');
  return [...source.matchAll(tests)].map(([, , title = '']) => title);
}

test('each row of the requirements is named by a test that `npm test` runs', () => {
  const titles = testFilesIn().filter(isFast).flatMap(titlesIn).join('\n');
  const named = new Set(titles.match(/\bR\d+(?:\.\d+)?\b/g));
  assert.deepEqual(
    wanted.filter((row) => !named.has(row)),
    [],
  );
});

test('each package runs on the lowest Node that `engines` allows', () => {
  const runsOn = v.object({ engines: v.optional(v.object({ node: v.optional(v.string(), '*') }), {}) });
  const lowest = minVersion(v.parse(runsOn, parse('package.json')).engines.node) ?? '';
  const { packages } = v.parse(
    v.object({ packages: v.record(v.string(), runsOn) }),
    parse('package-lock.json'),
  );
  const tooNew = Object.entries(packages).filter(([, { engines }]) => !satisfies(lowest, engines.node));
  assert.deepEqual(Object.fromEntries(tooNew), {});
});

const NIGHTLY = '.github/workflows/nightly.yml';

test('the nightly workflow follows GitHub’s schema, runs all tests, and needs no secret', () => {
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/test/check-workflow.ts', NIGHTLY]);
  const text = readFileSync(NIGHTLY, 'utf8');
  assert.match(text, /^ +- run: npm run test:all$/m);
  assert.doesNotMatch(text, /secrets\./);
});
