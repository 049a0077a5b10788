import * as v from 'valibot';
import { dismissMail, resendMail, retryAllMails, retryMail } from '#server/acts/change-mails.ts';
import { lookedAt } from '#server/acts/looked-at.ts';
import { LISTED } from '#server/acts/mail-jobs.ts';
import { showPlaces } from '#server/acts/places.ts';
import { wrongUsage } from '#server/acts/refusal.ts';
import { confirmRestored } from '#server/acts/restored.ts';
import { isKeptLetter, KEPT_MAIL_KINDS, type KeptLetter } from '#server/mail/job.ts';
import { askToCatchUp } from '#server/register/last-due-work.ts';
import { command, flag } from './command.ts';
import { act, ID, PAYMENT_INTENT } from './command-words.ts';
import { listMails } from './list-mails.ts';
import { showMail } from './show-mail.ts';
import { showRegistration } from './show-registration.ts';

const KIND = v.custom<KeptLetter>(
  isKeptLetter,
  `KIND is one of ${KEPT_MAIL_KINDS.join(', ')}, or message-ID of a message`,
);
const limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, '--limit needs a whole number above 0'),
  v.transform(Number),
);

/** For commands without a dry run. */
const FOR_REAL = { 'dry-run': false };

/** The commands for mails, and for what is due. */
export const mailCommands = [
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
    help: ['Removes a failed or waiting mail from the queue. It will not be sent; its payment records that.'],
    run: (given) => (context) => dismissMail(context, given.ID, FOR_REAL),
  }),
  command({
    name: 'looked-at',
    words: { PAYMENT_INTENT },
    options: {},
    help: ['Marks a payment as looked at, after the log said that it needs a person.'],
    run: (given) => (context) => lookedAt(context, given.PAYMENT_INTENT, { ...FOR_REAL, by: 'support' }),
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
