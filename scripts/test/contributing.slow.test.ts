import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

/** In a file, what is replaced, and by what. */
type Edit = readonly [file: string, before: string, after: string];

const LABEL = "phoneNumber: 'Phone',";
const COLUMN = '  phoneNumber: string;\n';
const ENTRIES = 'const { firstName, lastName, email, phoneNumber } = contactSchema.entries;';

/** What "Add a field" says, for an optional one. */
const FIELD: readonly Edit[] = [
  ['shared/registration.ts', '  phoneNumber,\n});', '  phoneNumber,\n  pronouns: optionalText(40),\n});'],
  ['shared/content/registration.ts', LABEL, `${LABEL}\n    pronouns: 'Pronouns',`],
  [
    'client/registration/steps/contact-form.tsx',
    '        <FormField name="email"',
    '        <TextField name="pronouns" label={copy.pronouns} required={false} />\n        <FormField name="email"',
  ],
  ['server/database/schema.ts', COLUMN, `${COLUMN}  pronouns: string;\n`],
  [
    'server/database/migrations.ts',
    '\n];\n\n/** This release',
    `
  {
    isCompatible: true,
    statements: () => [
      "alter table registrations add column pronouns text not null default ''",
      "alter table waiting_entries add column pronouns text not null default ''",
    ],
  },
];

/** This release`,
  ],
  ['server/acts/words.ts', "  phoneNumber: 'phone',\n", "  phoneNumber: 'phone',\n  pronouns: 'pronouns',\n"],
  ['server/acts/act.ts', ENTRIES, ENTRIES.replace('phoneNumber', 'phoneNumber, pronouns')],
  [
    'server/acts/act.ts',
    "  phoneNumber: { takes: phoneNumber, label: 'Phone',",
    "  pronouns: { takes: pronouns, label: 'Pronouns', isOptional: true, argument: '[--pronouns WORDS]' },\n  phoneNumber: { takes: phoneNumber, label: 'Phone',",
  ],
];

/** Stored with a registration, and recorded as an act when it is corrected. */
const FIELD_TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correctionsOf, readOnRecord } from '#server/record/on-record.ts';
import { onlyIntent, startTestSite } from '#server/testing/test-site.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { contactSchema, fieldErrors } from '#shared/registration.ts';

test('a field that was added is stored, corrected, and may be left out', async (t) => {
  for (const [given, stored] of [[{ pronouns: ' she/her ' }, 'she/her'], [{}, '']] as const) {
    const site = await startTestSite(t);
    await submitContact(site.app, given).expect(200);
    const { id } = await onlyIntent(site);
    assert.equal((await readOnRecord(site, id)).registration?.pronouns, stored);
    await site.payments.correctDetails({ id }, { pronouns: 'they' }, 'Ada', site.now());
    assert.equal(correctionsOf(await readOnRecord(site, id)).pronouns?.was, stored);
  }
  for (const pronouns of ['', undefined]) assert.deepEqual(fieldErrors(contactSchema, { ...contactStep, pronouns }), {});
});
`;

/** What "Add a letter" says. */
const LETTER: readonly Edit[] = [
  [
    'server/mail/job-facts.ts',
    "  'page-seen': Registrant",
    "  'half-way': Registrant & { day: string };\n  'page-seen': Registrant",
  ],
  [
    'server/mail/job.ts',
    "  'page-seen': { ...TO_HER",
    "  'half-way': { ...TO_HER, differsBy: ({ day }) => [day] },\n  'page-seen': { ...TO_HER",
  ],
  [
    'server/letters/retreat-letters.ts',
    'export const retreatLetters = {\n',
    `export const retreatLetters = {
  'half-way': {
    name: 'Half of the days are over',
    subject: ({ facts }) => \`Half of \${facts.title} is over\`,
    factsAt(record, now) {
      const day = record.edition.timetable.days[2]?.date;
      const isToday = day !== undefined && day === now.toISOString().slice(0, 10);
      return isToday && isExpected(record) ? { day } : undefined;
    },
    says: (letter, edition, context) => ({
      preheader: 'Two days are ahead.',
      title: 'Half of the days are over',
      blocks: ['We hope that you found some rest.', ownPageButton(letter, edition, context)],
    }),
    samples: ({ timetable }) => ({ usual: { day: timetable.days[2]?.date ?? '' } }),
  },

`,
  ],
];

/** The paths in the first column of a section's table; those of a row that begins with "if" are not always needed. */
async function pathsOf(section: string): Promise<string[]> {
  const text = await readFile(join(ROOT, '.github/CONTRIBUTING.md'), 'utf8');
  const [, rest = ''] = text.split(`## ${section}\n`);
  const rows = (rest.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\| `/.test(line));
  assert.ok(rows.length > 0, section);
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  );
}

test('who follows the tables of CONTRIBUTING.md adds an optional field and a letter, and nothing is missing', async (t) => {
  for (const [section, edits] of [
    ['Add a field', FIELD],
    ['Add a letter', LETTER],
  ] as const) {
    const paths = await pathsOf(section);
    for (const [file] of edits)
      assert.ok(
        paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path)),
        file,
      );
  }

  await mkdir(join(ROOT, '.data'), { recursive: true });
  const copy = await mkdtemp(join(ROOT, '.data/contributing-'));
  t.after(() => rm(copy, { recursive: true }));
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)));
  for (const file of files) await cp(join(ROOT, file), join(copy, file));
  await cp(join(ROOT, 'shared/content/compiled'), join(copy, 'shared/content/compiled'), { recursive: true });
  for (const made of ['node_modules', 'dist']) await symlink(join(ROOT, made), join(copy, made));

  /** The packages are those of this folder, but not what is kept between two checks of types. */
  const types: Edit = ['tsconfig.base.json', 'node_modules/.cache/types', '.data/types'];
  for (const [file, before, after] of [types, ...FIELD, ...LETTER]) {
    const text = await readFile(join(copy, file), 'utf8');
    assert.ok(text.includes(before), `${file} has no ${before}`);
    await writeFile(join(copy, file), text.replaceAll(before, after));
  }
  const fieldTest = 'server/registration/added-field.test.ts';
  await writeFile(join(copy, fieldTest), FIELD_TEST);

  const inCopy = { cwd: copy, env: { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined } };
  const tell = (error: Error & { stdout?: string }) => assert.fail(error.stdout ?? error.message);
  await run('node', ['node_modules/typescript/bin/tsc', '-b', 'scripts', '--checkers', '1'], inCopy).catch(
    tell,
  );
  const tests = [fieldTest, 'server/letters/letters.test.ts'];
  const { stdout: report } = await run('node', ['--import', 'tsx', '--test', ...tests], inCopy).catch(tell);
  assert.match(report, /^# pass [1-9]/m);
});
