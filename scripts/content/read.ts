import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { isNode, LineCounter, parseDocument, type YAMLParseError } from 'yaml';
import { spelled } from '#shared/content/entities.ts';
import { recordedSchema } from './rules.ts';
import { files, type Written } from './schema.ts';

export const EDITIONS_FOLDER = 'shared/content/editions';
/** The folder of the compiled content, which the code imports and nobody edits. */
export const COMPILED_FOLDER = 'shared/content/compiled';

/** The content cannot be built. Its message has a line for each problem: file, line, field, and what to do about it. */
export class ContentProblems extends Error {
  override name = 'ContentProblems';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The path to a value: names of fields, and indexes in lists from 0; in an edition first the name of a file. */
type Field = readonly string[];

/** An edition that is in order. */
export interface EditionFolder {
  id: string;
  path: string;
  written: Written;
  /** The line that reports what is wrong in a field. */
  problem(field: Field, says: string): string;
}

const FOLDER_NAME = /^(?!on-sale$)[a-z0-9-]+$/;
/** `editions/on-sale.yaml`: which edition the site sells. */
const onSaleSchema = v.strictObject({
  edition: spelled(FOLDER_NAME, 'the name of a folder beside it, such as march-2027'),
});

/**
 * The name of the edition on sale.
 * @throws {ContentProblems} when `on-sale.yaml` names an edition that does not exist
 */
export async function readOnSale(root = EDITIONS_FOLDER): Promise<string> {
  const { data, problem } = await readYaml(join(root, 'on-sale.yaml'));
  const { edition: written } = parse(onSaleSchema, data, problem);
  // Set by `npm test`, if the site sells an edition other than the one that the tests are written for.
  const edition = (root === EDITIONS_FOLDER && process.env.EDITION_UNDER_TEST) || written;
  if (existsSync(join(root, edition))) return edition;
  throw new ContentProblems([
    problem(['edition'], `there is no folder ${edition} beside it: write the name of one`),
  ]);
}

export async function listEditions(root = EDITIONS_FOLDER): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
}

/**
 * All editions, in order.
 * @throws {ContentProblems} with all that is wrong in any of them
 */
export async function readEditions(root = EDITIONS_FOLDER): Promise<EditionFolder[]> {
  const editions: EditionFolder[] = [];
  const problems: string[] = [];
  for (const id of await listEditions(root))
    try {
      const folder = await readEdition(id, root);
      // The package of a payment identifies its edition.
      const packageOf = ({ written }: EditionFolder) => written.edition.package.id;
      const other = editions.find((one) => packageOf(one) === packageOf(folder));
      const sold = `the edition ${other?.id} sells a package of this id: write a new one in the newer edition`;
      if (other) problems.push(folder.problem(['edition', 'package', 'id'], sold));
      editions.push(folder);
    } catch (error) {
      if (!(error instanceof ContentProblems)) throw error;
      problems.push(...error.problems);
    }
  if (problems.length > 0) throw new ContentProblems(problems);
  return editions;
}

/**
 * Reads one edition.
 * @param schema the terms of one that is to be recorded need not be on record
 * @throws {ContentProblems} with all that is wrong
 */
export async function readEdition(
  id: string,
  root = EDITIONS_FOLDER,
  schema: v.GenericSchema<unknown, Written> = recordedSchema,
): Promise<EditionFolder> {
  const path = join(root, id);
  const rename = 'the folder needs another name: small letters, digits and - only, such as june-2027';
  if (!FOLDER_NAME.test(id)) throw new ContentProblems([`${path}: ${rename}`]);
  const namesIn = async (folder: string) => (await readdir(join(path, folder)).catch(() => [])).sort();
  const agreed = await Promise.all(
    (await namesIn('agreed')).map((name) => readYaml(join(path, 'agreed', name))),
  );
  const written = await Promise.all(
    Object.keys(files).map(async (name) => [name, await readYaml(join(path, `${name}.yaml`))] as const),
  );
  const byName = new Map(written);
  const problem = ([file = '', ...field]: Field, says: string): string => {
    const [index = '', ...below] = field;
    const kept = file === 'agreed' ? agreed[Number(index)]?.problem(below, says) : undefined;
    return kept ?? byName.get(file)?.problem(field, says) ?? `${path}: ${says}`;
  };
  const read = written.filter(([, { data }]) => data !== undefined).map(([name, { data }]) => [name, data]);
  const data = {
    ...Object.fromEntries(read),
    media: await namesIn('media'),
    agreed: agreed.map(({ data }) => data),
  };
  return { id, path, written: parse(schema, data, problem), problem };
}

/** @throws {ContentProblems} with a line for each issue */
function parse<Output>(
  schema: v.GenericSchema<unknown, Output>,
  data: unknown,
  problem: EditionFolder['problem'],
): Output {
  const { success, output, issues } = v.safeParse(schema, data, { abortPipeEarly: true });
  if (success) return output;
  const fieldOf = ({ path }: v.BaseIssue<unknown>) => path?.map(({ key }) => String(key)) ?? [];
  throw new ContentProblems(issues.map((issue) => problem(fieldOf(issue), explain(issue))));
}

/**
 * The data of a file, undefined if there is none, and how to report a problem with it.
 * @throws {ContentProblems} with the first syntax error: later ones are mostly its consequences
 */
async function readYaml(path: string) {
  const source = await readFile(path, 'utf8').catch(() => undefined);
  const lines = new LineCounter();
  const document = parseDocument(source ?? '', { lineCounter: lines, prettyErrors: false });
  const at = (position: number) => `${path}, line ${lines.linePos(position).line}`;
  const [error] = document.errors;
  if (error) throw new ContentProblems([`${at(error.pos[0])}: ${explainYaml(error)}`]);
  /** The place of a field; of a missing one, that of the nearest above it. */
  const placeOf = (field: Field): string => {
    if (field.length === 0) return path;
    const node = document.getIn(field, true);
    return isNode(node) && node.range ? at(node.range[0]) : placeOf(field.slice(0, -1));
  };
  const problem = (field: Field, says: string): string => {
    // Entries of lists are counted from 1, as people do.
    const name = field.map((key) => (/^\d+$/.test(key) ? `[${Number(key) + 1}]` : `.${key}`)).join('');
    return `${placeOf(field)}${name.replace(/^\.?/, name && ', ')}: ${says}`;
  };
  const data: unknown = source === undefined ? undefined : document.toJS();
  return { data, problem };
}

/** Advice on the most frequent mistakes of authors, by the parser's error code. */
const YAML_ADVICE: Partial<Record<YAMLParseError['code'], string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put the words into double quotes: they hold a colon before a space',
  BAD_INDENT: 'close a bracket above it, or begin the line as far to the right as its neighbors',
  DUPLICATE_KEY: 'delete one of the two fields of this name',
  MISSING_CHAR: 'close the quotes or the bracket',
  TAB_AS_INDENT: 'indent with spaces, not with a tab',
};

const explainYaml = ({ code, message }: YAMLParseError): string =>
  `this cannot be read (${message}): ${YAML_ADVICE[code] ?? 'compare the indentation and the quotes with the lines around it'}`;

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

/** Explains to an author what a schema refused, and what to do. */
function explain(issue: v.BaseIssue<unknown>): string {
  const { type, expected, received, input, path } = issue;
  if (type === 'raw_check') return issue.message;
  if (path?.[0].key === 'agreed')
    return 'a program wrote this file, and it is no longer as it was: put it back';
  if (type === 'strict_object' && expected === 'never')
    return 'nothing reads this field: correct its name, or delete it';
  if (received === 'undefined') return 'this is missing: add it, as another edition has it';
  const shown = { Object: 'fields', Array: 'a list', null: 'empty' }[received];
  return `this is ${shown ?? (typeof input === 'string' ? `“${input}”` : received)}: write ${wantedBy(issue)}`;
}

function wantedBy({ issues, message, type, expected }: v.BaseIssue<unknown>): string {
  if (issues) return [...new Set(issues.map(wantedBy))].join(', or ');
  if (!message.startsWith('Invalid ')) return message;
  if (type === 'picklist') return `one of ${(expected ?? '').replace(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  return WANTED[type] ?? `what fits ${expected}`;
}
