import * as v from 'valibot';
import { KEPT_MAIL_KINDS } from '#server/mail/job.ts';
import { isCalendarDay } from '#shared/dates.ts';
import { dollarsToCents } from '#shared/money.ts';
import { contactSchema } from '#shared/registration.ts';
import { dismissMail, resendMail, retryAllMails, retryMail } from './change-mails.ts';
import { charge } from './charge-registration.ts';
import { command, flag } from './command.ts';
import { cancel, payByCheck, postpone, waive, withdraw } from './decide-registration.ts';
import { editAddress } from './edit-address.ts';
import { linkToPlace } from './link-to-place.ts';
import { listMails } from './list-mails.ts';
import { LISTED } from './mail-jobs.ts';
import { wrongUsage } from './refusal.ts';
import { showMail } from './show-mail.ts';
import { showRegistration } from './show-registration.ts';

const ID = v.pipe(v.string(), v.nonEmpty('The ID is empty'));
const PAYMENT_INTENT = v.pipe(
  v.string(),
  v.regex(/^pi_\w+$/, 'PAYMENT_INTENT is the ID of a payment, such as pi_123'),
);
const KIND = v.picklist(KEPT_MAIL_KINDS, `KIND is one of ${KEPT_MAIL_KINDS.join(', ')}`);
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_OR_TIME = /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d)?$/;
const dayOrTime = (name: string) =>
  v.pipe(
    v.string(),
    v.regex(DAY_OR_TIME, `${name} needs a day, or a day and a time, such as 2027-03-08 or 2027-03-08T17:30`),
    v.check(isCalendarDay, `${name} needs a day that its month has`),
  );
const DATE = v.pipe(
  v.string(),
  v.regex(DAY, 'DATE is a day, such as 2027-03-08'),
  v.check(isCalendarDay, 'DATE is a day that its month has'),
);
const DOLLARS = v.pipe(
  v.string(),
  v.regex(/^\d{1,6}(?:\.\d\d)?$/, 'DOLLARS is an amount such as 200 or 187.50'),
  v.transform((dollars) => dollarsToCents(Number(dollars))),
);
const DECISION = v.picklist(
  ['waived', 'check', 'postponed'],
  'DECISION is one of waived, check and postponed',
);
/** Every decision names who makes it, and can be tried first. */
const decision = {
  by: v.pipe(
    v.optional(v.string(), ''),
    v.trim(),
    v.nonEmpty('--by NAME must say who decides it'),
    v.maxLength(80),
  ),
  'dry-run': flag,
};
const EMAIL = contactSchema.entries.email;
const limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, '--limit needs a whole number above 0'),
  v.transform(Number),
);

/** All that the program can do, in the order of its usage. To add a command is to add it here. */
const COMMANDS = [
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
      return (jobs) => listMails(jobs, { ...given, listed: asked.length > 0 ? asked : LISTED });
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
    run: (given) => (jobs) =>
      v.is(PAYMENT_INTENT, given.ID)
        ? showRegistration(jobs, given.ID, given)
        : showMail(jobs, given.ID, given),
  }),
  command({
    name: 'cancel',
    words: { PAYMENT_INTENT },
    options: { ...decision, written: dayOrTime('--written') },
    shownOptions: '--written DATE --by NAME [--dry-run]',
    help: [
      'Records that she cancelled in writing, on DATE in the time zone of the retreat: nothing more is charged, and what',
      'comes back goes by DATE. A day counts from its first minute; a time can be added, such as 2027-03-08T17:30.',
    ],
    run: (given) => (jobs) => cancel(jobs, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'pay-by-check',
    words: { PAYMENT_INTENT },
    options: { ...decision, received: v.optional(dayOrTime('--received')) },
    shownOptions: '[--received DATE] --by NAME [--dry-run]',
    help: [
      'Records that she pays the balance by check, so that her card is not charged, or that the check has come.',
    ],
    run: (given) => (jobs) => payByCheck(jobs, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'waive',
    words: { PAYMENT_INTENT, DOLLARS },
    options: decision,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Records that DOLLARS of the tuition are not asked of her.'],
    run: (given) => (jobs) => waive(jobs, given.PAYMENT_INTENT, given.DOLLARS, given),
  }),
  command({
    name: 'postpone',
    words: { PAYMENT_INTENT, DATE },
    options: decision,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Records that the balance is due on DATE instead.'],
    run: (given) => (jobs) => postpone(jobs, given.PAYMENT_INTENT, given.DATE, given),
  }),
  command({
    name: 'withdraw',
    words: { PAYMENT_INTENT, DECISION },
    options: decision,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Records that what was decided holds no more: DECISION is waived, check or postponed.'],
    run: (given) => (jobs) => withdraw(jobs, given.PAYMENT_INTENT, given.DECISION, given),
  }),
  command({
    name: 'charge',
    words: { PAYMENT_INTENT },
    options: decision,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Has the worker try her card again now, also before the day that was planned after a decline; never without her',
      'consent and a notice, or where the card was refused for good.',
    ],
    run: (given) => (jobs) => charge(jobs, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'link',
    words: { PAYMENT_INTENT },
    options: { renew: flag, by: v.pipe(v.optional(v.string(), ''), v.trim(), v.maxLength(80)) },
    shownOptions: '[--renew --by NAME]',
    help: [
      'Prints the link to her page. With --renew, those that she or anybody else has had until now open nothing any more.',
    ],
    run(given) {
      if (given.renew && !given.by) throw wrongUsage('--by NAME must say who renews the links');
      return (jobs) => linkToPlace(jobs, given.PAYMENT_INTENT, given);
    },
  }),
  command({
    name: 'retry',
    words: { ID },
    options: {},
    help: ['Tries a failed mail again, with all its attempts, or tries a delayed mail now.'],
    run: (given) => (jobs) => retryMail(jobs, given.ID),
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
    options: {},
    help: [
      'Sends a mail that was already sent once more, to the current address, if what it says is still true.',
      `KIND is ${KEPT_MAIL_KINDS.slice(0, -1).join(', ')} or ${KEPT_MAIL_KINDS.at(-1)}.`,
    ],
    run: (given) => (jobs) => resendMail(jobs, given.PAYMENT_INTENT, given.KIND),
  }),
  command({
    name: 'edit-address',
    words: { ID, EMAIL },
    options: {},
    help: [
      'Corrects the e-mail address of a registration and sends the mails that are due to the new one. ID is the ID of',
      'any of its mails, or its PAYMENT_INTENT.',
    ],
    run: (given) => (jobs) => editAddress(jobs, given.ID, given.EMAIL),
  }),
  command({
    name: 'dismiss',
    words: { ID },
    options: {},
    help: ['Removes a failed or waiting mail from the queue. It will not be sent; its payment records that.'],
    run: (given) => (jobs) => dismissMail(jobs, given.ID),
  }),
  command({
    name: 'looked-at',
    words: { PAYMENT_INTENT },
    options: {},
    help: ['Marks a payment as looked at, after the log said that it needs a person.'],
    run: (given) => async (jobs) => {
      const record = await jobs.openRecord();
      await record.markLookedAt(given.PAYMENT_INTENT);
      return `${given.PAYMENT_INTENT} is marked as looked at and will not be reported again.`;
    },
  }),
  command({
    name: 'walk',
    words: {},
    options: {},
    help: ['Asks the worker to look through all registrations for mails that are due.'],
    run: () => async (jobs) => {
      await jobs.askForWalk();
      return 'The worker will look through all registrations as soon as it can.';
    },
  }),
];

/** What the program can do, for those who ask or give a wrong command. */
export const USAGE = `Usage: support COMMAND …

${COMMANDS.map(({ usage }) => usage).join('\n')}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such mail or registration, 4 not possible in its state, 5 Redis not available.
`;

/**
 * Reads the words after the program's name.
 * @returns what carries the command out, with the text to be printed
 * @throws {Refusal} when they make no command
 */
export function readCommand(words: readonly string[]): ReturnType<(typeof COMMANDS)[number]['read']> {
  const [first, ...rest] = words;
  if (!first) throw wrongUsage('A command is missing');
  const asked = COMMANDS.findLast(({ name }) => {
    const [verb, ...flags] = name.split(' ');
    return verb === first && flags.every((one) => rest.includes(one));
  });
  if (!asked) throw wrongUsage(`There is no command ${first}`);
  return asked.read(rest);
}
