import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { type Field, type OfficeAct, wrongUsage } from '#server/acts/act.ts';
import { editionNamed } from '#server/acts/announce.ts';
import { announceActs, officeActs } from '#server/acts/office-acts.ts';
import { registerSomebody } from '#server/acts/register-somebody.ts';
import { waitingActs } from '#server/acts/waiting-acts.ts';
import { printable } from '#server/acts/words.ts';
import { causeOf } from '#server/http/app-error.ts';
import { NO_USERS } from '#server/record/acts.ts';
import { folded } from '#server/service/search-text.ts';
import { typedText } from '#shared/typed-text.ts';
import { type Command, command, flag } from './command.ts';

/** The options of every act: who does it, and whether it is a dry run. */
export const act = {
  by: v.pipe(
    v.optional(v.string(), ''),
    v.transform(typedText),
    v.nonEmpty('--by NAME must say who does it'),
    v.maxLength(80),
    v.check(
      (name) => !NO_USERS.includes(folded(printable(name))),
      '--by NAME must be the name of a person of the office',
    ),
  ),
  'dry-run': flag,
};

export const PAYMENT_INTENT = v.pipe(
  v.string(),
  v.regex(/^pi_\w+$/, 'PAYMENT_INTENT needs the ID of a payment, such as pi_123'),
);
const EDITION = v.pipe(v.string(), v.nonEmpty('EDITION is empty'));
const ENTRY = v.pipe(
  v.string(),
  v.regex(
    /^waiting_\w+$/,
    'ENTRY needs the ID of an entry, such as waiting_123: the command waiting lists them',
  ),
);

/** The command of each act that has one: the values that the act takes are its arguments. */
export const actCommands: readonly Command[] = [
  ...officeActs.flatMap((one) => commandOf(one, { PAYMENT_INTENT }, (id) => id)),
  ...[registerSomebody, ...announceActs].flatMap((one) => commandOf(one, { EDITION }, editionNamed)),
  ...waitingActs.flatMap((one) => commandOf(one, { ENTRY }, (id) => id)),
];

/** @param subject the word that names what the act is about, and its schema */
function commandOf<About, Of>(
  { id, command: name = id, help, fields, prepare }: OfficeAct<About, Of>,
  subject: v.ObjectEntries,
  find: (name: string) => Of,
): Command[] {
  if (!help) return [];
  const [about = ''] = Object.keys(subject);
  const [, ...flags] = name.split(' ');
  const args = Object.entries(fields).map(([field, one]) => ({ field, ...argumentOf(one) }));
  const options = args.filter(({ isOption }) => isOption);
  const words = args.filter(({ isOption }) => !isOption);
  return [
    command({
      name,
      help,
      words: { ...subject, ...Object.fromEntries(words.map((one) => [one.name, one.schema])) },
      options: {
        ...Object.fromEntries([
          ...options.map((one) => [one.name, one.schema]),
          ...flags.map((one) => [one.slice(2), flag]),
        ]),
        ...act,
      },
      shownOptions: [...options.map(({ shown }) => shown), '--by NAME [--dry-run]'].join(' '),
      run(given: Readonly<Record<string, unknown>>) {
        const prepared = prepare(
          Object.fromEntries(args.map((one) => [one.field, textOf(one, given[one.name])])),
        );
        if ('errors' in prepared) {
          const [[field, message] = ['', '']] = Object.entries(prepared.errors);
          const wrong = args.find((one) => one.field === field);
          throw wrongUsage(message.replace(/^@/, `${wrong?.isOption ? '--' : ''}${wrong?.name}`));
        }
        const subjectOf = find(String(given[about]));
        const asked = v.parse(v.object(act), given);
        return (context) => prepared.run(context, subjectOf, asked);
      },
    }),
  ];
}

function argumentOf({ argument: shown = '', usual = '', input }: Field<never>) {
  const [, dashes, name = ''] = /^\[?(--)?([\w-]+)/.exec(shown) ?? [];
  const isOption = dashes !== undefined;
  const schema = input === 'mark' ? flag : isOption ? v.optional(v.string(), usual) : v.string();
  return { name, shown, isOption, schema, isFile: shown.endsWith(' FILE') };
}

/** What was given, as the field of a form would send it. */
function textOf({ name, isFile }: ReturnType<typeof argumentOf>, given: unknown): string {
  if (typeof given === 'boolean') return given ? 'yes' : '';
  const text = String(given);
  if (!isFile || text === '') return text;
  try {
    return readFileSync(text, 'utf8');
  } catch (error) {
    throw wrongUsage(`--${name} ${text} cannot be read: ${causeOf(error).message}`);
  }
}
