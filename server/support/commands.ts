import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import { Refusal, recordedFor, wrongUsage } from '#server/office/commands/command.ts';
import { retryAll, retryMail } from '#server/office/commands/letter-commands.ts';
import { LISTED } from '#server/office/commands/letters.ts';
import { databaseUrl } from '#server/config/environment-values.ts';
import { readVariable } from '#server/config/read-environment.ts';
import { readActs } from '#server/registration/acts.ts';
import { addAct } from '#server/registration/write-acts.ts';
import { askForTransactions } from '#server/worker/due-work.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale/facts.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { act } from './act-command.ts';
import { by, type Command, command, flag, word } from './command.ts';
import { holdCommand, releaseCommand } from './hold-commands.ts';
import { launchCheckCommand } from './launch-check.ts';
import { exportRegistration, listMails, listRegistrations, showMail, showRegistration } from './show.ts';
import { toldText } from './terminal-text.ts';
import { usersCommand } from './users.ts';

const limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, '--limit needs a whole number above 0'),
  v.transform(Number),
);

const HINT = 'the empty database, such as postgresql://user@host/name?sslmode=verify-full';
const postgresUrl = v.pipe(
  databaseUrl(HINT),
  v.check((url) => !url.startsWith('file:'), `must be ${HINT}`),
);

const listCommand = command({
  usage: 'list [--edition EDITION]',
  help: 'Lists the registrations of an edition, by default of the one on sale; its places, and who waits for one.',
  takes: { edition: v.optional(v.string(), onSale.id) },
  run({ edition: id }, { withContext }) {
    const edition = findEdition(id);
    if (!edition) throw wrongUsage(`There is no edition ${id}`);
    return withContext((context) => listRegistrations(context, edition));
  },
});

const showCommand = command({
  usage: 'show ID',
  help: 'Shows all of a registration (reg_…): where it stands, its money, what happened; or of a mail, with its errors.',
  takes: { id: word('ID') },
  words: ['id'],
  run: ({ id }, { withContext }) =>
    withContext((context) => (id.startsWith('reg_') ? showRegistration(context, id) : showMail(context, id))),
});

const mailsCommand = command({
  usage: 'mails [--failed | --waiting | --sent] [--limit N]',
  help: 'Lists the mails in the queue, newest first, 50 of each kind or N. Waiting ones may be tried again later.',
  takes: { failed: flag, waiting: flag, sent: flag, limit: v.optional(limit, '50') },
  run(given, { withContext }) {
    const asked = LISTED.filter((which) => given[which]);
    if (asked.length > 1) throw wrongUsage(`Only one of --${asked.join(' and --')} at a time`);
    return withContext((context) => listMails(context, asked.length > 0 ? asked : LISTED, given.limit));
  },
});

const retryCommand = command({
  usage: 'retry ID | --all',
  help: 'Tries a failed or delayed mail now; with --all each of them, and has the worker read Stripe and do what is due.',
  takes: { id: v.optional(v.string()), all: flag },
  words: ['id'],
  run({ id, all }, { withContext }) {
    if (all === (id !== undefined)) throw wrongUsage('This command needs ID or --all');
    return withContext(async (context) => {
      if (id !== undefined) return toldText(await retryMail(context, id, { 'dry-run': false }));
      const retried = await retryAll(context);
      await askForTransactions(context.redis);
      await context.askForDueWork();
      return `${retried}\nThe worker will read Stripe, and do what is due, as soon as it can.`;
    });
  },
});

const actCommand = command({
  usage: 'act ID [KIND [FIELD=VALUE …] --by NAME [--dry-run]]',
  help: 'Does what the office’s pages do; --dry-run only tells what will happen. ID is that of a registration (reg_…), of who\n      waits (waiting_…), of an edition or of a mail. Without KIND it lists what is possible now, with the fields.',
  takes: { id: word('ID'), kind: v.optional(v.string()), by: v.optional(v.string()), 'dry-run': flag },
  words: ['id', 'kind'],
  takesMore: true,
  run({ id, kind, more, ...options }, { withContext }) {
    const name = v.safeParse(by, kind === undefined ? 'nobody' : options.by);
    if (!name.success) throw wrongUsage(name.issues[0].message);
    const asked = { by: name.output, 'dry-run': options['dry-run'] };
    return withContext(async (context) => {
      const told = await act(context, id, { kind, fields: more, asked });
      return typeof told === 'string' ? told : toldText(told);
    });
  },
});

const exportCommand = command({
  usage: 'export ID',
  help: 'Prints all that is kept about her as JSON, to be sent to her.',
  takes: { id: word('ID') },
  words: ['id'],
  run: ({ id }, { withContext }) => withContext((context) => exportRegistration(context, id)),
});

const copyCommand = command({
  usage: 'copy --to URL --by NAME',
  help: 'Moves the register from the file that DATABASE_URL names into an empty PostgreSQL database, while app and worker are\n      stopped; no process starts on the file any more. A password that URL leaves out is read from PGPASSWORD.',
  takes: { by, to: v.optional(v.string()) },
  async run({ by: name, to: url }, { env }) {
    const to = v.safeParse(postgresUrl, url);
    if (!to.success) throw wrongUsage(`--to ${to.issues[0].message}`);
    const from = readVariable(env, 'DATABASE_URL') ?? '';
    if (!from.startsWith('file:'))
      throw new Refusal('wrongState', 'DATABASE_URL must name the file in which the register is.');
    const { moveRegister } = await import('#server/database/move-register.ts');
    const noted = { id: uuidV7(), kind: 'moved' as const, at: new Date(), by: name };
    await moveRegister({ from, to: to.output }, async (register) => {
      const { name: subject } = await register
        .selectFrom('register')
        .select('name')
        .executeTakeFirstOrThrow();
      const acts = await readActs(register, subject);
      if (!acts.some(({ kind }) => kind === 'moved')) await addAct(register, { ...noted, subject });
    });
    return [
      'The register is moved, and was compared row by row.',
      recordedFor(name),
      'Now let DATABASE_URL name the new database, and start app and worker. None starts on the file any more.',
    ].join('\n');
  },
});

/** All commands, in the order of the usage text. */
export const COMMANDS: readonly Command[] = [
  listCommand,
  showCommand,
  actCommand,
  mailsCommand,
  retryCommand,
  holdCommand,
  releaseCommand,
  exportCommand,
  copyCommand,
  usersCommand,
  launchCheckCommand,
];
