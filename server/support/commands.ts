import * as v from 'valibot';
import { wrongUsage } from '#server/office/commands/command.ts';
import { retryAll } from '#server/office/commands/letters.ts';
import { askForTransactions } from '#server/worker/due-work.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { act } from './act-command.ts';
import { by, type Command, command, flag, oneWord, word } from './command.ts';
import { launchCheckCommand } from './launch-check.ts';
import { registerCommands } from './register-commands.ts';
import {
  exportRegistration,
  LISTED,
  listMails,
  listRegistrations,
  showMail,
  showRegistration,
} from './show.ts';
import { toldText } from './terminal-text.ts';
import { usersCommand } from './users.ts';

const oneId = { words: oneWord(word('ID')) };

const limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, '--limit needs a whole number above 0'),
  v.transform(Number),
);

/** All commands, in the order of the usage text. */
export const COMMANDS: readonly Command[] = [
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
        const told = await act(context, id, doing);
        return typeof told === 'string' ? told : toldText(told);
      });
    },
  }),
  command({
    usage: 'mails [--failed | --waiting | --sent] [--limit N]',
    help: 'Lists the mails in the queue, newest first, 50 of each kind or N. Waiting ones may be tried again later.',
    takes: { failed: flag, waiting: flag, sent: flag, limit: v.optional(limit, '50') },
    run(given, { withContext }) {
      const asked = LISTED.filter((which) => given[which]);
      if (asked.length > 1) throw wrongUsage(`Only one of --${asked.join(' and --')} at a time`);
      return withContext((context) => listMails(context, asked.length > 0 ? asked : LISTED, given.limit));
    },
  }),
  command({
    usage: 'retry ID | --all',
    help: 'Tries a failed or delayed mail now; with --all each of them, and has the worker read Stripe and do what is due.',
    takes: { words: v.array(v.string()), all: flag },
    run({ words: [id, ...more], all }, { withContext }) {
      if (more.length > 0 || all === (id !== undefined)) throw wrongUsage('This command needs ID or --all');
      return withContext(async (context) => {
        if (id !== undefined) {
          const told = await act(context, id, { kind: 'retry', fields: [], by: 'support', isTried: false });
          return typeof told === 'string' ? told : toldText(told);
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
