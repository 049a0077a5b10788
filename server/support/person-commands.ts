import * as v from 'valibot';
import { addressWorks } from '#server/acts/address-works.ts';
import { editRegistration } from '#server/acts/edit-registration.ts';
import { evidence, evidenceText } from '#server/acts/evidence.ts';
import { forgetRegistration } from '#server/acts/forget-registration.ts';
import { lookAtOwnPage, sendLink } from '#server/acts/link-to-own-page.ts';
import { contactSchema } from '#shared/registration.ts';
import { command, flag } from './command.ts';
import { act, ID, PAYMENT_INTENT } from './command-words.ts';

const { firstName, lastName, email, phoneNumber } = contactSchema.entries;

/** The commands for a person and her data. */
export const personCommands = [
  command({
    name: 'link',
    words: { PAYMENT_INTENT },
    options: { ...act, renew: flag },
    shownOptions: '[--renew] --by NAME [--dry-run]',
    help: [
      'Sends her the link to her page. With --renew, those that she or anybody else has had until now no longer work.',
    ],
    run: (given) => (context) => sendLink(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'look',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Prints a link that shows her page for a day; nobody can act on it. It is recorded, and a letter tells her.',
    ],
    run: (given) => (context) => lookAtOwnPage(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'evidence',
    words: { PAYMENT_INTENT },
    options: {},
    help: [
      'Prints what a bank may ask for when she disputes a charge: who, what, payments, the text that she agreed to and when,',
      'letters; and what cannot be proven.',
    ],
    run: (given) => (context) => evidence(context, given.PAYMENT_INTENT).then(evidenceText),
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
    run: (given) => (context) => {
      const { first: firstName, last: lastName, phone: phoneNumber, email } = given;
      return editRegistration(context, given.ID, { firstName, lastName, phoneNumber, email }, given);
    },
  }),
  command({
    name: 'address-works',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Records that letters reach her address again after one came back, or that her complaint was looked at. She is told again',
      'of a charge that she may not have heard of.',
    ],
    run: (given) => (context) => addressWorks(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'forget',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Removes her personal data wherever this site may, and tells what stays at Stripe. Only where nothing is owed or still to',
      'come. It cannot be taken back; a second run finishes what the first could not.',
    ],
    run: (given) => (context) => forgetRegistration(context, given.PAYMENT_INTENT, given),
  }),
];
