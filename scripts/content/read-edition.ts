import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { isNode, LineCounter, parseDocument, type YAMLParseError } from 'yaml';
import { type ContentProblem, ContentProblems, type Field } from './problems.ts';
import { spelled, termsSchema, type Written, writtenSchema } from './schemas.ts';

/** `editions/on-sale.yaml`: which edition the site sells. */
const onSaleSchema = v.strictObject({
  edition: spelled(/^[a-z0-9-]+$/, 'the name of a folder beside it, such as march-2027'),
});

/** A file in `agreed/`, which programs write: terms as they were published, with what they say of the balance. */
const agreedSchema = v.strictObject({
  version: termsSchema.entries.version,
  prices: v.strictObject({
    balanceBeforeFeeCents: v.number(),
    cardFeePerMille: v.number(),
  }),
  balance: v.strictObject({
    chargeAt: v.string(),
    refundsEndAt: v.string(),
    lateDays: v.number(),
    feeRefundable: v.boolean(),
  }),
  policies: termsSchema.entries.policies,
});
type Agreed = v.InferOutput<typeof agreedSchema>;

export const EDITIONS_FOLDER = 'shared/content/editions';
/** The folder of the compiled content, which the code imports and nobody edits. */
export const COMPILED_FOLDER = 'shared/content/compiled';

/** An edition's folder, its files read and each checked by its schema. */
export interface EditionFolder {
  id: string;
  path: string;
  written: Written;
  /** The texts in `agreed/`, which programs write: terms as they were published, a file for each version. */
  agreed: readonly Agreed[];
  media: readonly string[];
  /** A problem with a field, with its file and line: that of `words`, if they are part of the field's text. */
  problem(
    file: keyof Written | `agreed/${string}`,
    field: Field,
    says: string,
    words?: string,
  ): ContentProblem;
}

/**
 * The name of the edition on sale.
 * @throws {ContentProblems} when `on-sale.yaml` names an edition that does not exist
 */
export async function readOnSale(folder = EDITIONS_FOLDER): Promise<string> {
  const file = await readYaml(join(folder, 'on-sale.yaml'));
  const parsed = v.safeParse(onSaleSchema, file.data);
  if (!parsed.success) {
    throw new ContentProblems(parsed.issues.map((issue) => file.problem(fieldOf(issue), explained(issue))));
  }
  // Set by `npm test`, if the site sells an edition other than the one that the tests are written for.
  const tested = folder === EDITIONS_FOLDER ? process.env.EDITION_UNDER_TEST : undefined;
  const edition = tested || parsed.output.edition;
  if (existsSync(join(folder, edition))) return edition;
  const says = `there is no folder ${edition} beside it: write the name of one`;
  throw new ContentProblems([file.problem(['edition'], says)]);
}

export async function listEditions(folder = EDITIONS_FOLDER): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
}

/**
 * Reads one edition.
 * @throws {ContentProblems} with all that its schemas find wrong
 */
export async function readEdition(id: string, folder = EDITIONS_FOLDER): Promise<EditionFolder> {
  const path = join(folder, id);
  const names = Object.keys(writtenSchema.entries);
  const files = new Map(
    await Promise.all(names.map(async (name) => [name, await readYaml(join(path, `${name}.yaml`))] as const)),
  );
  const broken = [...files.values()].flatMap((file) => file.broken ?? []);
  if (broken.length > 0) throw new ContentProblems(broken);
  const found = [...files]
    .filter(([, { data }]) => data !== undefined)
    .map(([name, { data }]) => [name, data]);
  const parsed = v.safeParse(writtenSchema, Object.fromEntries(found), { abortPipeEarly: true });
  const problem: EditionFolder['problem'] = (name, field, says, words) =>
    files.get(name)?.problem(field, says, words) ?? { file: join(path, `${name}.yaml`), field: '', says };
  if (!parsed.success) {
    throw new ContentProblems(
      parsed.issues.map((issue) => {
        const [name, ...field] = fieldOf(issue);
        return problem(v.parse(v.keyof(writtenSchema), name), field, explained(issue));
      }),
    );
  }
  const media = join(path, 'media');
  return {
    id,
    path,
    written: parsed.output,
    agreed: await readAgreed(join(path, 'agreed')),
    media: existsSync(media) ? await readdir(media) : [],
    problem,
  };
}

/**
 * The terms as they were published, in the order of their names.
 * @throws {ContentProblems} when a file was changed by hand
 */
async function readAgreed(folder: string): Promise<Agreed[]> {
  const names = existsSync(folder) ? (await readdir(folder)).sort() : [];
  return Promise.all(
    names.map(async (name) => {
      const { data, broken } = await readYaml(join(folder, name));
      const parsed = v.safeParse(agreedSchema, data);
      if (parsed.success && name === `${parsed.output.version}.yaml`) return parsed.output;
      const says = 'a program wrote this file, and it is no longer as it was: put it back';
      throw new ContentProblems([broken ?? { file: join(folder, name), field: '', says }]);
    }),
  );
}

/** The data of a file, undefined if there is none, or the first syntax error; and how to report a problem with it. */
async function readYaml(path: string) {
  const source = existsSync(path) ? await readFile(path, 'utf8') : '';
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  /** Where a field is, or the first of some words in it; of a missing field, the nearest one above that exists. */
  const lineOf = (field: Field, words: string): number | undefined => {
    if (field.length === 0) return undefined;
    const node = document.getIn(field, true);
    if (!isNode(node) || !node.range) return lineOf(field.slice(0, -1), words);
    const [start, end] = node.range;
    // A text of several lines may break between the words.
    const [first = ''] = words.split(/\s/);
    return lines.linePos(start + Math.max(0, source.slice(start, end).indexOf(first))).line;
  };
  const problem = (field: Field, says: string, words = ''): ContentProblem => ({
    file: path,
    line: lineOf(field, words),
    field: nameOf(field),
    says,
  });
  // Later errors are mostly consequences of the first one.
  const [error] = document.errors;
  const broken = error && {
    file: path,
    line: lines.linePos(error.pos[0]).line,
    field: '',
    says: explainYaml(error),
  };
  const data: unknown = source === '' || error ? undefined : document.toJS();
  return { data, problem, broken };
}

/** `['days', 2, 'date']` -> `days[3].date`, counted from 1 as people do. */
function nameOf(field: Field): string {
  const parts = field.map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${part}`));
  return parts.join('').replace(/^\./, '');
}

/** Advice on the most frequent mistakes of authors, by the parser's error code. */
const YAML_ADVICE: Partial<Record<YAMLParseError['code'], string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put the words into double quotes: they hold a colon before a space',
  BAD_INDENT: 'close a bracket above it, or begin the line as far to the right as its neighbors',
  DUPLICATE_KEY: 'delete one of the two fields of this name',
  MISSING_CHAR: 'close the quotes or the bracket',
  TAB_AS_INDENT: 'indent with spaces, not with a tab',
};

function explainYaml({ code, message }: YAMLParseError): string {
  const advice = YAML_ADVICE[code] ?? 'compare the indentation and the quotes with the lines around it';
  return `this cannot be read (${message}): ${advice}`;
}

/** What a value has to look like, by the valibot check that refused it, if the check has no message of its own. */
const WANTED: Readonly<Record<string, string>> = {
  min_value: 'a larger number',
  max_value: 'a smaller number',
  non_empty: 'something: it must not be empty',
  number: 'a number such as 1395 or 3.75, without quotes, commas or signs',
  string: 'words (in quotes if they are only digits)',
  boolean: 'true or false',
  literal: 'true, or delete the field',
  array: 'a list, each entry after a dash',
  tuple: 'two numbers such as [50, 40]',
  strict_object: 'fields below it, indented',
};

const fieldOf = (issue: v.BaseIssue<unknown>): Field =>
  (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));

/** Explains to an author what a schema refused, and what to do. */
function explained(issue: v.BaseIssue<unknown>): string {
  const { type, expected, received, input } = issue;
  if (type === 'never') return issue.message;
  if (type === 'strict_object' && expected === 'never')
    return 'nothing reads this field: correct its name, or delete it';
  if (received === 'undefined') return 'this is missing: add it, as another edition has it';
  const wanted = wantedBy(issue);
  if (type === 'min_length' || type === 'max_length')
    return `there ${received === '1' ? 'is' : 'are'} ${received}: write ${wanted}`;
  if (input === null) return `this is empty: write ${wanted}`;
  const shown = typeof input === 'string' ? `“${input}”` : received;
  return `this is ${received === 'Object' ? 'fields' : received === 'Array' ? 'a list' : shown}: write ${wanted}`;
}

function wantedBy({ issues, message, type, expected }: v.BaseIssue<unknown>): string {
  if (issues) return [...new Set(issues.map(wantedBy))].join(', or ');
  if (!message.startsWith('Invalid ')) return message;
  if (type === 'picklist') return `one of ${(expected ?? '').replace(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  return WANTED[type] ?? `what fits ${expected}`;
}
