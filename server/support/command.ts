import { parseArgs } from 'node:util';
import * as v from 'valibot';
import type { ActContext } from '#server/acts/act-context.ts';
import type { Told } from '#server/acts/carry-out.ts';
import { wrongUsage } from '#server/acts/refusal.ts';
import { toldText } from './told-text.ts';

/** One of the things that the program can do. */
export interface Command {
  /** The words that ask for it: `retry --all` is another command than `retry`. */
  name: string;
  usage: string;
  /**
   * Reads the words after the first one of its name.
   * @returns what carries it out, with the text to be printed
   * @throws {Refusal} when they are not what it takes
   */
  read(words: readonly string[]): (context: ActContext) => Promise<string>;
}

/** What a command does, and what there is to be printed of it. */
type Work = (context: ActContext) => Promise<string | Told>;

/** An option without a value. */
export const flag = v.optional(v.boolean(), false);

interface CommandSpec<Words extends v.ObjectEntries, Options extends v.ObjectEntries> {
  name: string;
  /** The words that it needs, in their order, each with a schema, by the names that usage and errors give them. */
  words: Words;
  /** Those that it takes: a `flag`, or a schema of the text that follows the option. */
  options: Options;
  /** The options as the usage shows them. */
  shownOptions?: string;
  /** Lines that say what it does. */
  help: readonly string[];
  /** Takes words and options when they are checked; may refuse them still. */
  run(given: v.InferOutput<v.ObjectSchema<Words & Options, undefined>>): Work;
}

/** All that there is to say of a command. */
export function command<Words extends v.ObjectEntries, Options extends v.ObjectEntries>(
  spec: CommandSpec<Words, Options>,
): Command {
  const { name, words, options, shownOptions, help, run } = spec;
  const wanted = Object.keys(words);
  const schema = v.object({ ...words, ...options });
  const synopsis = [name, ...wanted, ...(shownOptions ? [shownOptions] : [])].join(' ');
  return {
    name,
    usage: [`  ${synopsis}`, ...help.map((line) => `      ${line}`)].join('\n'),
    read(args) {
      const { values, positionals } = parse(args, options);
      if (positionals.length !== wanted.length) {
        throw wrongUsage(
          `This command ${wanted.length > 0 ? `needs ${wanted.join(' and ')}` : 'takes no more words'}`,
        );
      }
      const named = Object.fromEntries(wanted.map((word, index) => [word, positionals[index]]));
      const given = v.safeParse(schema, { ...named, ...values });
      if (!given.success) throw wrongUsage(given.issues[0].message);
      const work = run(given.output);
      return async (context) => {
        const told = await work(context);
        return typeof told === 'string' ? told : toldText(told);
      };
    },
  };
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
