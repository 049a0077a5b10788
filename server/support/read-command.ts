import { type ParseArgsConfig, parseArgs } from 'node:util';
import * as v from 'valibot';
import { type MailKind, mailJobSchema } from '#server/mail/job.ts';
import { contactSchema } from '#shared/registration.ts';
import { Refusal } from './refusal.ts';

/** Which mails a list shows. */
export type Listed = 'failed' | 'waiting' | 'sent';

/** What was asked for. */
export type Command =
  | { name: 'help' }
  | { name: 'list'; listed: readonly Listed[]; limit: number; json: boolean }
  | { name: 'show'; id: string; json: boolean }
  | { name: 'retry'; id: string }
  | { name: 'retry-all' }
  | { name: 'resend'; paymentIntentId: string; kind: MailKind }
  | { name: 'edit-address'; id: string; email: string }
  | { name: 'dismiss'; id: string }
  | { name: 'looked-at'; paymentIntentId: string }
  | { name: 'walk' };

const DEFAULT_LIMIT = '50';
const KINDS = mailJobSchema.options.map(({ entries }) => entries.kind.literal);

const id = v.pipe(v.string(), v.nonEmpty('The ID is empty'));
const limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, '--limit needs a whole number above 0'),
  v.transform(Number),
);
const intent = v.pipe(
  v.string(),
  v.regex(/^pi_\w+$/, 'PAYMENT_INTENT is the ID of a payment, such as pi_123'),
);
const kind = v.picklist(KINDS, `KIND is one of ${KINDS.join(', ')}`);
const flag = { type: 'boolean', default: false } as const;

/**
 * Reads the words after the program's name.
 * @throws {Refusal} when they make no command
 */
export function readCommand(words: readonly string[]): Command {
  const [name = '', ...rest] = words;
  switch (name) {
    case 'help':
    case '--help':
    case '-h':
      return { name: 'help' };
    case 'list':
      return readList(rest);
    case 'show':
      return readShow(rest);
    case 'retry':
      return readRetry(rest);
    case 'resend':
      return readResend(rest);
    case 'edit-address':
      return readEditAddress(rest);
    case 'dismiss':
      return { name: 'dismiss', id: check(id, parse(rest, {}, ['ID']).positionals[0]) };
    case 'looked-at':
      return {
        name: 'looked-at',
        paymentIntentId: check(intent, parse(rest, {}, ['PAYMENT_INTENT']).positionals[0]),
      };
    case 'walk':
      parse(rest, {}, []);
      return { name: 'walk' };
    default:
      throw wrongUsage(name ? `There is no command ${name}` : 'A command is missing');
  }
}

function readList(words: string[]): Command {
  const options = { failed: flag, waiting: flag, sent: flag, json: flag, limit: { type: 'string' } } as const;
  const { values } = parse(words, options, []);
  const all = ['failed', 'waiting', 'sent'] as const;
  const asked = all.filter((name) => values[name]);
  if (asked.length > 1) throw wrongUsage(`Only one of --${asked.join(' and --')} at a time`);
  return {
    name: 'list',
    listed: asked.length > 0 ? asked : all,
    limit: check(limit, values.limit ?? DEFAULT_LIMIT),
    json: values.json,
  };
}

function readShow(words: string[]): Command {
  const { values, positionals } = parse(words, { json: flag }, ['ID']);
  return { name: 'show', id: check(id, positionals[0]), json: values.json };
}

function readRetry(words: string[]): Command {
  if (words.includes('--all')) {
    parse(words, { all: flag }, []);
    return { name: 'retry-all' };
  }
  return { name: 'retry', id: check(id, parse(words, {}, ['ID']).positionals[0]) };
}

function readResend(words: string[]): Command {
  const [first, second] = parse(words, {}, ['PAYMENT_INTENT', 'KIND']).positionals;
  return { name: 'resend', paymentIntentId: check(intent, first), kind: check(kind, second) };
}

function readEditAddress(words: string[]): Command {
  const [first, second] = parse(words, {}, ['ID', 'EMAIL']).positionals;
  return { name: 'edit-address', id: check(id, first), email: check(contactSchema.entries.email, second) };
}

/** Options and words of a command, which wants just as many words as are named. */
function parse<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
  wanted: readonly string[],
) {
  const parsed = parsedArgs(args, options);
  if (parsed.positionals.length !== wanted.length) {
    throw wrongUsage(
      `This command ${wanted.length > 0 ? `needs ${wanted.join(' and ')}` : 'takes no more words'}`,
    );
  }
  return parsed;
}

function parsedArgs<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw error instanceof TypeError ? wrongUsage(error.message) : error;
  }
}

function check<Output>(schema: v.GenericSchema<string, Output>, word: unknown): Output {
  const result = v.safeParse(schema, word);
  if (!result.success) throw wrongUsage(result.issues[0].message);
  return result.output;
}

function wrongUsage(sentence: string): Refusal {
  return new Refusal('wrongUsage', `${sentence.replace(/\.$/, '')}.`);
}
