import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import { Refusal, recordedFor, wrongUsage } from '#server/acts/act.ts';
import {
  bookkeepingCsv,
  bookZone,
  comparedWithStripe,
  dayOfRow,
  payoutDay,
  plainDollars,
  tellBookkeeping,
  totalsByWay,
  verdictOn,
} from '#server/acts/bookkeeping.ts';
import { evidence } from '#server/acts/evidence.ts';
import { month } from '#server/acts/given.ts';
import { dismissMail, resendMail, retryAllMails, retryMail } from '#server/acts/letter-acts.ts';
import { LISTED } from '#server/acts/mail-jobs.ts';
import { editRegistration } from '#server/acts/registrant-acts.ts';
import { confirmRestored, lookedAt } from '#server/acts/support-acts.ts';
import { placesTold, showPlaces, tellWaitingList } from '#server/acts/waiting-acts.ts';
import { moment } from '#server/acts/words.ts';
import { databaseUrl } from '#server/config/environment-values.ts';
import { readVariable } from '#server/config/read-environment.ts';
import { isKeptLetter, KEPT_MAIL_KINDS, type KeptLetter } from '#server/mail/job.ts';
import type { Bookkeeping, BookRow, Total } from '#server/payments/bookkeeping.ts';
import { addAct, readActs } from '#server/record/acts.ts';
import { ACTS } from '#server/record/on-record.ts';
import { nameOf } from '#server/record/registrations.ts';
import { askToCatchUp } from '#server/register/due-work.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale/facts.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { contactSchema } from '#shared/registration.ts';
import { act, PAYMENT_INTENT } from './act-commands.ts';
import { command, commandAlone, flag } from './command.ts';
import { exportRegistration, listMails, showMail, showRegistration } from './show.ts';
import { table } from './terminal-text.ts';

const ID = v.pipe(v.string(), v.nonEmpty('The ID is empty'));
const { firstName, lastName, email, phoneNumber } = contactSchema.entries;
const KIND = v.custom<KeptLetter>(
  isKeptLetter,
  `KIND is one of ${KEPT_MAIL_KINDS.join(', ')}, or message-ID of a message`,
);
const limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, '--limit needs a whole number above 0'),
  v.transform(Number),
);

const FOR_REAL = { 'dry-run': false };

export const supportCommands = [
  command({
    name: 'list',
    words: {},
    options: { failed: flag, waiting: flag, sent: flag, limit: v.optional(limit, '50'), json: flag },
    shownOptions: '[--failed | --waiting | --sent] [--limit N] [--json]',
    help: [
      'Lists the mails in the queue, newest first; 50 of each kind, or N. Waiting mails include those that will be',
      'tried again later and those that are being sent.',
    ],
    run(given) {
      const asked = LISTED.filter((which) => given[which]);
      if (asked.length > 1) throw wrongUsage(`Only one of --${asked.join(' and --')} at a time`);
      return (context) => listMails(context, { ...given, listed: asked.length > 0 ? asked : LISTED });
    },
  }),
  command({
    name: 'show',
    words: { ID },
    options: { json: flag },
    shownOptions: '[--json]',
    help: [
      'Shows everything about one mail, with the errors of its last attempts; of a PAYMENT_INTENT everything about the',
      'registration: where it stands, what is left to pay, what happened.',
    ],
    run: (given) => (context) =>
      v.is(PAYMENT_INTENT, given.ID)
        ? showRegistration(context, given.ID, given)
        : showMail(context, given.ID, given),
  }),
  command({
    name: 'retry',
    words: { ID },
    options: {},
    help: ['Tries a failed mail again, with all its attempts, or tries a delayed mail now.'],
    run: (given) => (context) => retryMail(context, given.ID, FOR_REAL),
  }),
  command({
    name: 'retry --all',
    words: {},
    options: { all: flag },
    help: ['Does the same for all failed and delayed mails.'],
    run: () => retryAllMails,
  }),
  command({
    name: 'resend',
    words: { PAYMENT_INTENT, KIND },
    options: { by: act.by },
    shownOptions: '--by NAME',
    help: [
      'Sends a mail that was already sent once more, to the current address, if what it says still applies.',
      `KIND is ${KEPT_MAIL_KINDS.slice(0, -1).join(', ')} or ${KEPT_MAIL_KINDS.at(-1)}; or message-ID, of a message.`,
    ],
    run: (given) => (context) =>
      resendMail(context, given.PAYMENT_INTENT, given.KIND, { ...FOR_REAL, ...given }),
  }),
  command({
    name: 'dismiss',
    words: { ID },
    options: {},
    help: [
      'Removes a failed or waiting mail from the queue. It will not be sent; the register records that.',
    ],
    run: (given) => (context) => dismissMail(context, given.ID, FOR_REAL),
  }),
  command({
    name: 'looked-at',
    words: { PAYMENT_INTENT },
    options: {},
    help: ['Marks a payment as looked at, after the log said that it needs a person.'],
    run: (given) => (context) =>
      lookedAt.run(context, given.PAYMENT_INTENT, {}, { ...FOR_REAL, by: 'support' }),
  }),
  command({
    name: 'evidence',
    words: { PAYMENT_INTENT },
    options: {},
    help: [
      'Prints what a bank may ask for when she disputes a charge: who, what, payments, the text that she agreed to and when,',
      'letters; and what cannot be proven.',
    ],
    run: (given) => (context) => evidence(context, given.PAYMENT_INTENT),
  }),
  command({
    name: 'edit',
    words: { ID },
    options: {
      ...act,
      first: v.optional(firstName),
      last: v.optional(lastName),
      phone: v.optional(phoneNumber),
      email: v.optional(email),
    },
    shownOptions: '[--first NAME] [--last NAME] [--phone NUMBER] [--email ADDRESS] --by NAME [--dry-run]',
    help: [
      'Corrects details of a registration, and sends the mails that are due since; those that wait for an old address are',
      'taken away. ID is the ID of any of its mails, or its PAYMENT_INTENT.',
    ],
    run(given) {
      const { first, last, phone, email: address } = given;
      const corrected = { firstName: first, lastName: last, phoneNumber: phone, email: address };
      return (context) => editRegistration(context, given.ID, () => corrected, given);
    },
  }),
  command({
    name: 'export',
    words: { PAYMENT_INTENT },
    options: { json: flag },
    shownOptions: '[--json]',
    help: ['Prints all that is kept about her, to be sent to her: as text, or as JSON.'],
    run: (given) => (context) => exportRegistration(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'waiting',
    words: {},
    options: { edition: v.optional(v.string(), onSale.id) },
    shownOptions: '[--edition EDITION]',
    help: ['Lists who waits for a place, in the order of joining, and how the places stand.'],
    run(given) {
      const edition = findEdition(given.edition);
      if (!edition) throw wrongUsage(`There is no edition ${given.edition}`);
      return async (context) => {
        const told = await tellWaitingList(context, edition);
        if (!told) return `${edition.facts.id} has no number of places, and no waiting list.`;
        const entries = told.entries.map(({ record, words }) => [
          record.id,
          moment(record.joinedAt, record),
          nameOf(record.registrant),
          record.registrant.email,
          words,
        ]);
        const listed = entries.length > 0 ? table(entries) : 'Nobody waits.';
        return [table(placesTold(told.places)), listed].join('\n\n');
      };
    },
  }),
  command({
    name: 'places',
    words: {},
    options: {},
    help: [
      'Prints how many places of each retreat are paid, held while somebody pays, offered, waited for, and left.',
    ],
    run: () => showPlaces,
  }),
  command({
    name: 'restored',
    words: {},
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Confirms a register that was restored from a copy: letters, charges and refunds go out again. With --dry-run it lists',
      'what Stripe knew that the copy did not.',
    ],
    run: (given) => (context) => confirmRestored(context, given),
  }),
  command({
    name: 'walk',
    words: {},
    options: {},
    help: ['Asks the worker to read what Stripe has said since, and to do what is due.'],
    run: () => async (context) => {
      await askToCatchUp(context.redis);
      await context.askForDueWork();
      return 'The worker will read Stripe, and do what is due, as soon as it can.';
    },
  }),
];

export const bookkeepingCommand = command({
  name: 'bookkeeping',
  words: { MONTH: month },
  options: { csv: flag },
  shownOptions: '[--csv]',
  help: [
    'Prints each payment, refund, dispute and check of a month, such as 2027-03, with Stripe’s fees and payouts, and how they',
    `add up to all transactions of the Stripe account. Months are ${bookZone.name}. --csv prints the rows for a spreadsheet.`,
  ],
  run: (given) => async (context) => {
    const books = await tellBookkeeping(await context.openPayments(), given.MONTH);
    return given.csv ? bookkeepingCsv(books).trimEnd() : textOf(books);
  },
});

const SUMS = ['GROSS', 'FEE ASKED', 'STRIPE FEE', 'NET'];
const sumsOf = ({ grossCents, feeAskedCents = 0, stripeFeeCents, netCents }: BookRow | Total): string[] =>
  [grossCents, feeAskedCents, stripeFeeCents, netCents].map(plainDollars);

function textOf(books: Bookkeeping): string {
  const rows = books.rows.map((row) => [
    dayOfRow(row),
    row.registration,
    row.what,
    row.way,
    ...sumsOf(row),
    row.payout?.id ?? '',
    payoutDay(row),
  ]);
  const totals = [totalsByWay(books), comparedWithStripe(books)].map((lines) =>
    table([
      ['', 'NUMBER', ...SUMS],
      ...lines.map((total) => [total.name, String(total.count), ...sumsOf(total)]),
    ]),
  );
  const head = ['DAY', 'REGISTRATION', 'WHAT', 'WAY', ...SUMS, 'PAYOUT', ''];
  return [table([head, ...rows]), ...totals, verdictOn(books).join('\n')].join('\n\n');
}

const HINT = 'the empty database, such as postgresql://user@host/name?sslmode=verify-full';
const postgresUrl = v.pipe(
  databaseUrl(HINT),
  v.check((url) => !url.startsWith('file:'), `must be ${HINT}`),
);

export const moveRegisterCommand = commandAlone({
  name: 'move-register',
  words: {},
  options: { by: act.by, to: v.optional(v.string(), '') },
  shownOptions: '--to URL --by NAME',
  help: [
    'Moves the register from the file that DATABASE_URL names into an empty PostgreSQL database, while app and worker are',
    'stopped: copies all, compares it, and keeps every process from starting on the file. A password that URL leaves out is',
    'read from PGPASSWORD.',
  ],
  async run({ by, to }, env) {
    const given = v.safeParse(postgresUrl, to);
    if (!given.success) throw wrongUsage(`--to ${given.issues[0].message}`);
    const from = readVariable(env, 'DATABASE_URL') ?? '';
    if (!from.startsWith('file:'))
      throw new Refusal('wrongState', 'DATABASE_URL must name the file in which the register is.');
    const { moveRegister } = await import('#server/database/move-register.ts');
    const id = uuidV7();
    const at = new Date();
    const moved = await moveRegister({ from, to }, async (register) => {
      const { name } = await register.selectFrom('register').select('name').executeTakeFirstOrThrow();
      const acts = await readActs(register, name);
      if (!acts.some(({ kind }) => kind === ACTS.moved))
        await addAct(register, { id, subject: name, kind: ACTS.moved, at, by });
    });
    return [
      'The register is moved, and was compared row by row:',
      table(moved.map(([name, rows]) => [name, String(rows)])),
      recordedFor(by),
      'Now let DATABASE_URL name the new database, and start app and worker. None starts on the file any more.',
    ].join('\n');
  },
});
