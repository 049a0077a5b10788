import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { type Document, isNode, LineCounter, parseDocument, type YAMLParseError } from 'yaml';
import { explainIssue } from './explain-issue.ts';
import { type ContentProblem, ContentProblems, type Field } from './problems.ts';
import { onSaleSchema, termsSchema, type Written, writtenSchema } from './schemas.ts';

/** Contains a folder for each edition. */
export const EDITIONS_FOLDER = 'shared/content/editions';

/** An edition's folder, its files read and each checked by its schema. */
export interface EditionFolder {
  id: string;
  path: string;
  written: Written;
  /** The texts in `agreed/`, which programs write: terms as they were published, a file for each version. */
  agreed: readonly Written['terms'][];
  /** The names of the files in `media/`. */
  media: readonly string[];
  /** A problem with a field, with its file and line: that of `words`, if they are part of the field's text. */
  problem(file: keyof Written | AgreedFile, field: Field, says: string, words?: string): ContentProblem;
}

/** The file of a version of the terms, as it was published. */
export type AgreedFile = `agreed/${string}`;

/**
 * The name of the edition on sale.
 * @throws {ContentProblems} when `on-sale.yaml` names an edition that does not exist
 */
export async function readOnSale(folder = EDITIONS_FOLDER): Promise<string> {
  const file = await readYaml(join(folder, 'on-sale.yaml'));
  const parsed = v.safeParse(onSaleSchema, file.data);
  if (!parsed.success) throw new ContentProblems(parsed.issues.map((issue) => problemOf(file, issue)));
  // Set by `npm test`, if the site sells an edition other than the one that the tests are written for.
  const tested = folder === EDITIONS_FOLDER ? process.env.EDITION_UNDER_TEST : undefined;
  const edition = tested || parsed.output.edition;
  if (existsSync(join(folder, edition))) return edition;
  throw new ContentProblems([
    file.problem(['edition'], `there is no folder ${edition} beside it: write the name of one`),
  ]);
}

/** The names of all editions. */
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
  const broken = [...files.values()].flatMap(({ broken }) => broken ?? []);
  if (broken.length > 0) throw new ContentProblems(broken);
  const found = [...files].flatMap(([name, { data }]) => (data === undefined ? [] : [[name, data] as const]));
  const written = { ...UNRECORDED, ...Object.fromEntries(found) };
  const parsed = v.safeParse(writtenSchema, written, { abortPipeEarly: true });
  const problemIn = (name: string, field: Field, says: string, words?: string): ContentProblem => {
    const file = files.get(name);
    return file ? file.problem(field, says, words) : { file: join(path, `${name}.yaml`), field: '', says };
  };
  if (!parsed.success) {
    throw new ContentProblems(
      parsed.issues.map((issue) => {
        const { field, says } = explainIssue(issue);
        return problemIn(String(field[0]), field.slice(1), says);
      }),
    );
  }
  const media = join(path, 'media');
  return {
    id,
    path,
    written: parsed.output,
    agreed: await readAgreed(path),
    media: existsSync(media) ? await readdir(media) : [],
    problem: problemIn,
  };
}

/**
 * The terms as they were published, in the order of their names.
 * @throws {ContentProblems} when a file was changed by hand
 */
async function readAgreed(path: string): Promise<Written['terms'][]> {
  const folder = join(path, 'agreed');
  const names = existsSync(folder) ? (await readdir(folder)).sort() : [];
  return Promise.all(
    names.map(async (name) => {
      const file = await readYaml(join(folder, name));
      const parsed = v.safeParse(termsSchema, file.data);
      const isWhole = parsed.success && name === `${parsed.output.version}.yaml`;
      if (isWhole) return parsed.output;
      const says = 'a program wrote this file, and it is no longer as it was: put it back';
      throw new ContentProblems([file.broken ?? { file: join(folder, name), field: '', says }]);
    }),
  );
}

/** An edition that nobody has recorded yet. */
const UNRECORDED = { record: { terms: {} } };

interface YamlFile {
  /** Undefined for a file that is not there. */
  data: unknown;
  /** The first syntax error of a file that is not valid YAML. */
  broken?: ContentProblem;
  problem(field: Field, says: string, words?: string): ContentProblem;
}

async function readYaml(path: string): Promise<YamlFile> {
  const problem = (field: Field, says: string, line?: number): ContentProblem => ({
    file: path,
    line,
    field: nameOf(field),
    says,
  });
  if (!existsSync(path)) {
    const says = 'there is no such file: copy that of another edition, and change it';
    return {
      data: undefined,
      problem: (field, saysOfField) => problem(field, field.length > 0 ? saysOfField : says),
    };
  }
  const lines = new LineCounter();
  const source = await readFile(path, 'utf8');
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  // Later errors are mostly consequences of the first one.
  const [error] = document.errors;
  if (error) {
    const broken = problem([], explainYaml(error), lines.linePos(error.pos[0]).line);
    return { data: undefined, broken, problem: (field, says) => problem(field, says) };
  }
  return {
    data: document.toJS(),
    problem(field, says, words) {
      const offset = offsetOf(document, field, source, words);
      return problem(field, says, offset === undefined ? undefined : lines.linePos(offset).line);
    },
  };
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

/**
 * Where a field is in the source, or the first of some words in its text; of a missing field, the nearest field above
 * it that exists.
 */
function offsetOf(document: Document, field: Field, source: string, words = ''): number | undefined {
  for (let depth = field.length; depth > 0; depth--) {
    const node = document.getIn(field.slice(0, depth), true);
    if (!isNode(node) || !node.range) continue;
    const [start, end] = node.range;
    // A text of several lines may break between the words.
    const [first = ''] = words.split(/\s/);
    return start + Math.max(0, source.slice(start, end).indexOf(first));
  }
  return undefined;
}

/** `['days', 2, 'date']` -> `days[2].date`, counted from 1 as people do. */
function nameOf(field: Field): string {
  return field
    .map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

function problemOf(file: YamlFile, issue: v.BaseIssue<unknown>): ContentProblem {
  const { field, says } = explainIssue(issue);
  return file.problem(field, says);
}
