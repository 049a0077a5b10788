import * as v from 'valibot';
import { addressWorks } from '#server/acts/address-works.ts';
import { editionNamed } from '#server/acts/announce.ts';
import { editRegistration } from '#server/acts/edit-registration.ts';
import { evidence, evidenceText } from '#server/acts/evidence.ts';
import { forgetRegistration } from '#server/acts/forget-registration.ts';
import { day, dollars, howAgreed, note } from '#server/acts/given.ts';
import { handOver } from '#server/acts/hand-over.ts';
import { lookAtOwnPage, sendLink } from '#server/acts/link-to-own-page.ts';
import { addNote, calledBack, takeNoteBack } from '#server/acts/notes.ts';
import { endRegistration, holdPlace, registerSomebody } from '#server/acts/register-somebody.ts';
import { contactSchema } from '#shared/registration.ts';
import { command, flag } from './command.ts';
import { act, EDITION, ID, PAYMENT_INTENT } from './command-words.ts';
import { exportRegistration } from './show-registration.ts';

const { firstName, lastName, email, phoneNumber } = contactSchema.entries;
const TEXT = note('--text TEXT must say what is noted', '--text takes 1,000 characters at most');
const NUMBER = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/, 'NUMBER is that of a note, which show lists'),
  v.transform(Number),
);

/** How the deposit is paid for which a place is held. */
const holding = {
  ...act,
  way: v.picklist(['card', 'check', 'transfer'], '--way is check, transfer or card'),
  until: day('--until needs'),
  agreed: howAgreed('--agreed is phone or writing'),
  'agreed-on': day('--agreed-on needs'),
};
const HOLDING = '--way check|transfer|card --until DATE --agreed phone|writing --agreed-on DATE';

/** The commands for a person and her data. */
export const personCommands = [
  command({
    name: 'register',
    words: { EDITION },
    options: {
      ...holding,
      first: firstName,
      last: lastName,
      email,
      phone: phoneNumber,
      scholarship: v.optional(dollars('--scholarship needs')),
    },
    shownOptions: `--first NAME --last NAME --email ADDRESS --phone NUMBER ${HOLDING} [--scholarship DOLLARS] --by NAME [--dry-run]`,
    help: [
      'Registers somebody who calls or writes, and holds a place for her until DATE: by then she pays the deposit. A letter',
      'tells her so, and leads to her page. What she agreed to, and how, is recorded.',
    ],
    run:
      ({ EDITION: id, scholarship: scholarshipCents = 0, 'agreed-on': agreedOn, ...given }) =>
      (context) => {
        const { first, last, email: address, phone, ...rest } = given;
        const contact = { firstName: first, lastName: last, email: address, phoneNumber: phone };
        return registerSomebody(
          context,
          editionNamed(id),
          { ...rest, agreedOn, contact, scholarshipCents },
          rest,
        );
      },
  }),
  command({
    name: 'hold',
    words: { PAYMENT_INTENT },
    options: holding,
    shownOptions: `${HOLDING} --by NAME [--dry-run]`,
    help: ['Holds a place for somebody who has begun to register, or holds it until another DATE.'],
    run:
      ({ PAYMENT_INTENT: id, 'agreed-on': agreedOn, ...given }) =>
      (context) =>
        holdPlace(context, id, { ...given, agreedOn }, given),
  }),
  command({
    name: 'end',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Ends a registration that is not paid: its place is free, and her details are removed.'],
    run: (given) => (context) => endRegistration(context, given.PAYMENT_INTENT, given),
  }),
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
    name: 'hand-over',
    words: { PAYMENT_INTENT },
    options: {
      ...act,
      first: v.optional(firstName, ''),
      last: v.optional(lastName, ''),
      email: v.optional(email, ''),
      phone: v.optional(phoneNumber, ''),
    },
    shownOptions: '--first NAME --last NAME --email ADDRESS --phone NUMBER --by NAME [--dry-run]',
    help: [
      'Begins to hand her place over to this person, until the last day for it of her edition: a letter asks her to agree,',
      'then one asks the other to accept the terms. It can be withdrawn until the place is accepted.',
    ],
    run: (given) => (context) => {
      const { first, last, email, phone } = given;
      const to = { firstName: first, lastName: last, email, phoneNumber: phone };
      return handOver(context, given.PAYMENT_INTENT, to, given);
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
    name: 'note',
    words: { PAYMENT_INTENT },
    options: { ...act, text: TEXT, 'call-back': flag },
    shownOptions: '--text TEXT [--call-back] --by NAME [--dry-run]',
    help: [
      'Notes TEXT about her, for the office only; it is in the export of her data. With --call-back it stands with what needs the',
      'office until called-back.',
    ],
    run: (given) => (context) =>
      addNote(context, given.PAYMENT_INTENT, { text: given.text, callBack: given['call-back'] }, given),
  }),
  command({
    name: 'called-back',
    words: { PAYMENT_INTENT },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Records that she was called back, as all notes until now asked.'],
    run: (given) => (context) => calledBack(context, given.PAYMENT_INTENT, given),
  }),
  command({
    name: 'take-back-note',
    words: { PAYMENT_INTENT, NUMBER },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Takes a mistaken note back: its text is removed for good. NUMBER is in what happened to her registration.',
    ],
    run: (given) => (context) => takeNoteBack(context, given.PAYMENT_INTENT, given.NUMBER, given),
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
