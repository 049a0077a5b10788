import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { type ActContext, type Told, wrongUsage } from '#server/acts/act.ts';
import { IN_TERMINAL } from '#server/acts/given.ts';
import { toldText } from './terminal-text.ts';

export interface Command {
  /** The words that select it: `retry --all` is another command than `retry`. */
  name: string;
  usage: string;
  /**
   * Parses the arguments after the first word of its name.
   * @returns a function that carries it out, and returns the text to be printed
   * @throws {Refusal} when the arguments are invalid
   */
  read(words: readonly string[]): (withContext: WithContext, env: NodeJS.ProcessEnv) => Promise<Printed>;
}

/** What a command prints; `isLeft` where it has found something that is left to do, which the exit code tells. */
export type Printed = string | { text: string; isLeft: boolean };

/** Opens the context of acts, for the commands that need it. */
export type WithContext = <Result>(work: (context: ActContext) => Promise<Result>) => Promise<Result>;

/** The work of a command; it returns what is to be printed. */
type Work = (context: ActContext) => Promise<string | Told>;

/** An option without a value. */
export const flag = v.optional(v.boolean(), false);

interface Description<Words extends v.ObjectEntries, Options extends v.ObjectEntries> {
  name: string;
  /** The required positional arguments in their order, each with a schema, by their names in usage and errors. */
  words: Words;
  /** The options: a `flag`, or a schema of the text that follows the option. */
  options: Options;
  shownOptions?: string;
  help: readonly string[];
}

type Given<Words extends v.ObjectEntries, Options extends v.ObjectEntries> = v.InferOutput<
  v.ObjectSchema<Words & Options, undefined>
>;

/** Makes a command from its description; `run` may still refuse its arguments. */
export function command<Words extends v.ObjectEntries, Options extends v.ObjectEntries>(
  spec: Description<Words, Options> & { run(given: Given<Words, Options>): Work },
): Command {
  return {
    ...describe(spec),
    read(args) {
      const work = spec.run(readGiven(spec, args));
      return (withContext) =>
        withContext(async (context) => {
          const told = await work(context);
          return typeof told === 'string' ? told : toldText(told);
        });
    },
  };
}

/** Makes a command that needs the environment alone, and not the context of acts. */
export function commandAlone<Words extends v.ObjectEntries, Options extends v.ObjectEntries>(
  spec: Description<Words, Options> & {
    run(given: Given<Words, Options>, env: NodeJS.ProcessEnv): Promise<Printed>;
  },
): Command {
  return {
    ...describe(spec),
    read(args) {
      const given = readGiven(spec, args);
      return (_withContext, env) => spec.run(given, env);
    },
  };
}

function describe(spec: Description<v.ObjectEntries, v.ObjectEntries>): Pick<Command, 'name' | 'usage'> {
  const { name, words, shownOptions, help } = spec;
  const synopsis = [name, ...Object.keys(words), ...(shownOptions ? [shownOptions] : [])].join(' ');
  return { name, usage: [`  ${synopsis}`, ...help.map((line) => `      ${line}`)].join('\n') };
}

function readGiven<Words extends v.ObjectEntries, Options extends v.ObjectEntries>(
  { words, options }: Description<Words, Options>,
  args: readonly string[],
): Given<Words, Options> {
  const wanted = Object.keys(words);
  const { values, positionals } = parse(args, options);
  if (positionals.length !== wanted.length) {
    throw wrongUsage(
      `This command ${wanted.length > 0 ? `needs ${wanted.join(' and ')}` : 'takes no more words'}`,
    );
  }
  const named = Object.fromEntries(wanted.map((word, index) => [word, positionals[index]]));
  const given = v.safeParse(
    v.object({ ...words, ...options }),
    { ...named, ...values },
    { lang: IN_TERMINAL },
  );
  if (!given.success) {
    const [{ message, path }] = given.issues;
    throw wrongUsage(message.replace(/^@/, String(path?.[0].key)));
  }
  return given.output;
}

function parse(args: readonly string[], options: v.ObjectEntries) {
  const types = Object.entries(options).map(
    ([name, schema]) => [name, { type: schema === flag ? 'boolean' : 'string' }] as const,
  );
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(types), allowPositionals: true });
  } catch (error) {
    throw error instanceof TypeError ? wrongUsage(error.message) : error;
  }
}
