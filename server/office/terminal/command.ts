import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { type CommandContext, type Said, type Told, wrongUsage } from '#server/office/commands/command.ts';
import { printable, UNPRINTABLE } from '#server/office/words.ts';
import { NO_USERS } from '#server/registration/registration.ts';
import { folded } from '#server/registration/search-text.ts';
import { typedText } from '#shared/typed-text.ts';

/** What a command prints; `isLeft` where it has found something to do, which the exit code tells. */
type Printed = string | { text: string; isLeft: boolean };

interface Surroundings {
  env: NodeJS.ProcessEnv;
  withContext<Result>(work: (context: CommandContext) => Promise<Result>): Promise<Result>;
}

export interface Command {
  name: string;
  usage: string;
  run(args: readonly string[], surroundings: Surroundings): Promise<Printed>;
}

export const flag = v.optional(v.boolean(), false);

const line = (option: string, most: number, words: string) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform(typedText),
    v.nonEmpty(`${option} must say ${words}`),
    v.maxLength(most, `${option} takes ${most} characters at most`),
  );

export const reason = line('--reason TEXT', 300, 'why');

export const by = v.pipe(
  line('--by NAME', 80, 'who does it'),
  v.check(
    (name) => !NO_USERS.includes(folded(printable(name))),
    '--by NAME must be the name of a person of the office',
  ),
);

export const word = (name: string) => v.pipe(v.string(`${name} is missing`), v.nonEmpty(`${name} is empty`));

const NO_MORE = 'This command takes no more words';

export const oneWord = <Schema extends v.GenericSchema<string, string>>(schema: Schema) =>
  v.strictTuple([schema], NO_MORE);

interface Spec<Takes extends v.ObjectEntries> {
  usage: string;
  help: string;
  /** The schemas of its options, each a `flag` or of the text that follows it, and of its `words`, if it takes any. */
  takes: Takes;
  run(given: v.InferOutput<v.ObjectSchema<Takes, undefined>>, surroundings: Surroundings): Promise<Printed>;
}

export function command<Takes extends v.ObjectEntries>({ usage, help, takes, run }: Spec<Takes>): Command {
  const [name = ''] = usage.split(' ');
  const schema = v.object(takes);
  return {
    name,
    usage: `  ${usage}\n      ${help}`,
    async run(args, surroundings) {
      const { values, positionals: words } = parse(args, takes);
      if (words.length > 0 && !takes.words) throw wrongUsage(NO_MORE);
      const given = v.safeParse(schema, { ...values, words });
      if (!given.success) throw wrongUsage(given.issues[0].message);
      return run(given.output, surroundings);
    },
  };
}

function parse(args: readonly string[], { words: _, ...takes }: v.ObjectEntries) {
  const options = Object.entries(takes).map(
    ([name, schema]) => [name, { type: schema === flag ? 'boolean' : 'string' }] as const,
  );
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(options), allowPositionals: true });
  } catch (error) {
    throw error instanceof TypeError ? wrongUsage(error.message) : error;
  }
}

type Rows = readonly (readonly string[])[];

/** A value as JSON in which all unprintable characters are escaped, by their UTF-16 code units. */
export function printableJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : character.replace(/[\s\S]/g, escaped),
  );
}

/** A text table, each column as wide as its widest cell; whatever the cells contain, each row is one line. */
export function table(rows: Rows): string {
  const cells = rows.map((row) => row.map(printable));
  const widthOf = (cell: string): number => [...cell].length;
  const widths: number[] = [];
  for (const [column, cell] of cells.flatMap((row) => [...row.entries()]))
    widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  const padded = (cell: string, column: number) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  return cells.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}

/** Tables with an empty line between them, without those that have no rows. */
export const sections = (...tables: readonly Rows[]): string =>
  tables
    .filter(({ length }) => length > 0)
    .map(table)
    .join('\n\n');

/** Names with what there is to say of each; those without are left out. */
export const facts = (values: Readonly<Record<string, string>>): Rows =>
  Object.entries(values).filter(([, words]) => words !== '');

export function toldText({ outcome, says }: Pick<Told, 'outcome' | 'says'>): string {
  const end = outcome === 'tried' ? ['Only tried: nothing was changed.'] : [];
  return [...says.map(saidText), ...end].join('\n');
}

function saidText(said: Said): string {
  if (typeof said === 'string') return printable(said);
  if ('rows' in said) return table(said.rows.filter(([, words]) => words !== ''));
  if ('compared' in said)
    return said.compared
      .flatMap(([name, now, then]) => [name, `  now: ${now}`, `  then: ${then}`])
      .map((line) => line.replace(/\S.*/, printable))
      .join('\n');
  const { subject, text } = said.letter;
  // Indented, to set it off from the rest.
  const lines = [`Subject: ${subject}`, '', ...text.trimEnd().split('\n')];
  return `\n${lines.map((line) => `  | ${printable(line)}`.trimEnd()).join('\n')}\n`;
}
