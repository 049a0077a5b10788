import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { type CommandContext, wrongUsage } from '#server/office/commands/command.ts';
import { printable } from '#server/office/words.ts';
import { NO_USERS } from '#server/registration/registration.ts';
import { folded } from '#server/service/search-text.ts';
import { typedText } from '#shared/typed-text.ts';

/** What a command prints; `isLeft` where it has found something to do, which the exit code tells. */
export type Printed = string | { text: string; isLeft: boolean };

/** The context is opened only for the commands that ask for it. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  withContext<Result>(work: (context: CommandContext) => Promise<Result>): Promise<Result>;
}

export interface Command {
  name: string;
  usage: string;
  /** @throws {Refusal} when the arguments are invalid */
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

/** Who does it: a person of the office. */
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
  /** Its name, and how its arguments are given. */
  usage: string;
  help: string;
  /** The schemas of its options, each a `flag` or of the text that follows it, and of its `words`, if it takes any. */
  takes: Takes;
  /** May still refuse what it is given. */
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
