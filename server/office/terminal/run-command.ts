import * as v from 'valibot';
import { Refusal, type RefusalReason, wrongUsage } from '#server/office/commands/command.ts';
import { retryAll } from '#server/office/commands/letters.ts';
import { printable } from '#server/office/words.ts';
import { causeOf } from '#server/web/app-error.ts';
import { askForTransactions } from '#server/worker/due-work.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { actText } from './act-command.ts';
import { by, type Command, command, flag, oneWord, word } from './command.ts';
import { launchCheckCommand } from './launch-check.ts';
import { registerCommands } from './register-commands.ts';
import { exportRegistration, listMails, listRegistrations, showMail, showRegistration } from './show.ts';
import { usersCommand } from './users.ts';
import { withContext } from './with-context.ts';

const oneId = { words: oneWord(word('ID')) };

const COMMANDS: readonly Command[] = [
  command({
    usage: 'list [--edition EDITION]',
    help: 'Lists the registrations of an edition, by default of the one on sale; its places, and who waits for one.',
    takes: { edition: v.optional(v.string(), onSale.id) },
    async run({ edition: id }, { withContext }) {
      const edition = findEdition(id);
      if (!edition) throw wrongUsage(`There is no edition ${id}`);
      return withContext((context) => listRegistrations(context, edition));
    },
  }),
  command({
    usage: 'show ID',
    help: 'Shows all of a registration (reg_…): where it stands, its money, what happened; or of a mail, with its errors.',
    takes: oneId,
    run: ({ words: [id] }, { withContext }) =>
      withContext((context) => (id.startsWith('reg_') ? showRegistration : showMail)(context, id)),
  }),
  command({
    usage: 'act ID [KIND [FIELD=VALUE …] --by NAME [--dry-run]]',
    help: 'Does what the office’s pages do; --dry-run only tells what will happen. ID is that of a registration (reg_…), of who\n      waits (waiting_…), of an edition or of a mail. Without KIND it lists what is possible now, with the fields.',
    takes: {
      words: v.tupleWithRest([word('ID'), v.optional(v.string())], v.string()),
      by: v.optional(v.string()),
      'dry-run': flag,
    },
    run({ words: [id, kind, ...fields], by: typed, ...tried }, { withContext }) {
      const name = v.safeParse(by, kind === undefined ? 'nobody' : typed);
      if (!name.success) throw wrongUsage(name.issues[0].message);
      return withContext(async (context) => {
        const doing = { kind, fields, by: name.output, isTried: tried['dry-run'] };
        return actText(context, id, doing);
      });
    },
  }),
  command({
    usage: 'mails',
    help: 'Lists the mails that failed, wait and were sent, the newest 50 of each state. Waiting ones may be tried again later.',
    takes: {},
    run: (_, { withContext }) => withContext(listMails),
  }),
  command({
    usage: 'retry ID | --all',
    help: 'Tries a failed or delayed mail now; with --all each of them, and has the worker read Stripe and do what is due.',
    takes: { words: v.array(v.string()), all: flag },
    run({ words: [id, ...more], all }, { withContext }) {
      if (more.length > 0 || all === (id !== undefined)) throw wrongUsage('This command needs ID or --all');
      return withContext(async (context) => {
        if (id !== undefined) {
          return actText(context, id, { kind: 'retry', fields: [], by: 'support', isTried: false });
        }
        const retried = await retryAll(context);
        await askForTransactions(context.redis);
        await context.askForDueWork();
        return `${retried}\nThe worker will read Stripe, and do what is due, as soon as it can.`;
      });
    },
  }),
  ...registerCommands,
  command({
    usage: 'export ID',
    help: 'Prints all that is kept about her as JSON, to be sent to her.',
    takes: oneId,
    run: ({ words: [id] }, { withContext }) => withContext((context) => exportRegistration(context, id)),
  }),
  usersCommand,
  launchCheckCommand,
];

const EXIT_CODES: Readonly<Record<RefusalReason, number>> = {
  failed: 1,
  wrongUsage: 2,
  notFound: 3,
  wrongState: 4,
  redisAway: 5,
};
const IS_LEFT = 6;

const USAGE = `Usage: support COMMAND …

${COMMANDS.map(({ usage }) => usage).join('\n')}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail or registration, 4 not possible in its state, 5 Redis not available,
6 something is left before launch.
`;

/** Carries out one command: the exit code of the program, and what it prints. */
export async function runCommand([name, ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  if (['help', '--help', '-h'].includes(name ?? '')) return { code: 0, out: USAGE, err: '' };
  try {
    if (name === undefined) throw wrongUsage('A command is missing');
    const command = COMMANDS.find((one) => one.name === name);
    if (!command) throw wrongUsage(`There is no command ${name}`);
    const printed = await command.run(args, { env, withContext: (work) => withContext(env, work) });
    const { text, isLeft } = typeof printed === 'string' ? { text: printed, isLeft: false } : printed;
    return { code: isLeft ? IS_LEFT : 0, out: `${text}\n`, err: '' };
  } catch (error) {
    const reason = error instanceof Refusal ? error.reason : 'failed';
    const usage = reason === 'wrongUsage' ? `\n${USAGE}` : '';
    const lines = causeOf(error).message.split('\n').map(printable);
    return { code: EXIT_CODES[reason], out: '', err: `${lines.join('\n')}\n${usage}` };
  }
}
