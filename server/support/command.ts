import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { type CommandContext, wrongUsage } from '#server/office/commands/command.ts';
import { printable } from '#server/office/words.ts';
import { NO_USERS } from '#server/registration/act-kinds.ts';
import { folded } from '#server/service/search-text.ts';
import { typedText } from '#shared/typed-text.ts';

/** What a command prints; `isLeft` where it has found something that is left to do, which the exit code tells. */
export type Printed = string | { text: string; isLeft: boolean };

/** What a command works with; the context of acts is opened for those that need it. */
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

/** An option without a value. */
export const flag = v.optional(v.boolean(), false);

/** Who does it: a person of the office. */
export const by = v.pipe(
  v.optional(v.string(), ''),
  v.transform(typedText),
  v.nonEmpty('--by NAME must say who does it'),
  v.maxLength(80, '--by NAME takes 80 characters at most'),
  v.check(
    (name) => !NO_USERS.includes(folded(printable(name))),
    '--by NAME must be the name of a person of the office',
  ),
);

/** A required positional argument. */
export const word = (name: string) => v.pipe(v.string(`${name} is missing`), v.nonEmpty(`${name} is empty`));

interface Spec<Takes extends v.ObjectEntries> {
  /** Its name, and how its arguments are given. */
  usage: string;
  help: string;
  /** The schemas of its arguments: of the positional ones, and of options, each a `flag` or of the text that follows it. */
  takes: Takes;
  /** The names of the positional arguments, in their order. */
  words?: readonly (keyof Takes & string)[];
  /** Whether others may follow them. */
  takesMore?: true;
  run(
    given: v.InferOutput<v.ObjectSchema<Takes, undefined>> & { more: readonly string[] },
    surroundings: Surroundings,
  ): Promise<Printed>;
}

/** Makes a command from its description; `run` may still refuse its arguments. */
export function command<Takes extends v.ObjectEntries>(spec: Spec<Takes>): Command {
  const { usage, help, takes, words = [] } = spec;
  const schema = v.object(takes);
  const options = Object.entries(takes).filter(([name]) => !words.includes(name));
  const [name = ''] = usage.split(' ');
  return {
    name,
    usage: `  ${usage}\n      ${help}`,
    async run(args, surroundings) {
      const { values, positionals } = parse(args, options);
      const more = positionals.slice(words.length);
      if (more.length > 0 && !spec.takesMore) throw wrongUsage('This command takes no more words');
      const given = v.safeParse(schema, {
        ...Object.fromEntries(words.map((one, index) => [one, positionals[index]])),
        ...values,
      });
      if (!given.success) throw wrongUsage(given.issues[0].message);
      return spec.run({ ...given.output, more }, surroundings);
    },
  };
}

function parse(args: readonly string[], options: readonly [string, unknown][]) {
  const types = options.map(
    ([name, schema]) => [name, { type: schema === flag ? 'boolean' : 'string' }] as const,
  );
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(types), allowPositionals: true });
  } catch (error) {
    throw error instanceof TypeError ? wrongUsage(error.message) : error;
  }
}
