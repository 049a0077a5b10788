import { addressWorks, whyItWorks } from '#server/acts/address-works.ts';
import { whyNotDecided } from '#server/acts/carry-out.ts';
import { editRegistration, whyNotCorrected } from '#server/acts/edit-registration.ts';
import { forgetRegistration, whyNotForgotten } from '#server/acts/forget-registration.ts';
import { handOver } from '#server/acts/hand-over.ts';
import { lookAtOwnPage, sendLink, whyNoLink, whyNoPage } from '#server/acts/link-to-own-page.ts';
import { lookedAt } from '#server/acts/looked-at.ts';
import { type Contact, contactSchema } from '#shared/registration.ts';
import { registrationAct } from './registration-act.ts';

/** Acts about her details, the link to her page, and her data. */
export const personActs = [
  registrationAct({
    id: 'edit',
    heading: 'Correct her details',
    sentence: 'Changes her name, e-mail or phone, and sends the letters that become due.',
    group: 'details',
    takes: contactSchema.entries,
    fields: {
      firstName: { label: 'First name', input: 'line', initial: ({ record }) => record.registrant.firstName },
      lastName: { label: 'Last name', input: 'line', initial: ({ record }) => record.registrant.lastName },
      email: {
        label: 'E-mail',
        hint: 'Another address ends the links in her earlier letters; a letter tells the old one.',
        input: 'email',
        initial: ({ record }) => record.registrant.email,
      },
      phoneNumber: { label: 'Phone', input: 'tel', initial: ({ record }) => record.registrant.phoneNumber },
    },
    whyNot: ({ record }) => whyNotCorrected(record),
    run: (context, { record }, given, asked) => {
      const changed = (name: keyof Contact) =>
        given[name] === record.registrant[name] ? undefined : given[name];
      const [firstName, lastName] = [changed('firstName'), changed('lastName')];
      const [email, phoneNumber] = [changed('email'), changed('phoneNumber')];
      return editRegistration(context, record.id, { firstName, lastName, email, phoneNumber }, asked);
    },
    confirm: () => 'Correct her details',
  }),
  registrationAct({
    id: 'hand-over',
    heading: 'Hand her place over',
    sentence: 'To somebody else, once both have agreed by the links in their letters.',
    group: 'details',
    takes: contactSchema.entries,
    fields: {
      firstName: { label: 'First name of who gets it', input: 'line' },
      lastName: { label: 'Last name of who gets it', input: 'line' },
      email: { label: 'Her own e-mail', input: 'email' },
      phoneNumber: {
        label: 'Her phone',
        hint: 'Its last digits prove on her page that it is she.',
        input: 'tel',
      },
    },
    whyNot: ({ record, now }) => whyNotDecided(record, 'handOver', now),
    run: (context, { record }, given, asked) => handOver(context, record.id, given, asked),
    confirm: (given) => `Ask her to hand her place over to ${given.firstName} ${given.lastName}`,
  }),
  registrationAct({
    id: 'address-works',
    heading: 'Record that her address works',
    sentence:
      'After a letter came back: letters go to her address again, and she is told of a charge that she may not have heard of. After she marked one as spam: takes that off the list.',
    group: 'details',
    takes: {},
    fields: {},
    whyNot: ({ record }) => whyItWorks(record),
    run: (context, { record }, _given, asked) => addressWorks(context, record.id, asked),
    confirm: () => 'Record that her address works',
  }),
  registrationAct({
    id: 'look',
    heading: 'See her page as she sees it',
    sentence: 'Shows you a link to her page, on which you cannot act. She is told by letter.',
    group: 'link',
    takes: {},
    fields: {},
    whyNot: ({ record }) => whyNoPage(record),
    run: (context, { record }, _given, asked) => lookAtOwnPage(context, record.id, asked),
    confirm: () => 'Show me the link',
    tellsSecret: true,
  }),
  registrationAct({
    id: 'link',
    heading: 'Send her the link to her page',
    sentence: 'Sends her a letter with the link that opens her page.',
    group: 'link',
    takes: {},
    fields: {},
    whyNot: ({ record }) => whyNoLink(record),
    run: (context, { record }, _given, asked) => sendLink(context, record.id, { ...asked, renew: false }),
    confirm: () => 'Send her the link to her page',
  }),
  registrationAct({
    id: 'renew-link',
    heading: 'Send her a new link to her page',
    sentence: 'Ends all links that she or anybody else has had until now, and sends her a new one.',
    group: 'link',
    takes: {},
    fields: {},
    whyNot: ({ record }) => whyNoPage(record),
    run: (context, { record }, _given, asked) => sendLink(context, record.id, { ...asked, renew: true }),
    confirm: () => 'Send her a new link and end the older ones',
  }),
  registrationAct({
    id: 'looked-at',
    heading: 'Mark her payment as looked at',
    sentence: 'Ends the reports about a payment that needed a person. She is not welcomed for it.',
    group: 'support',
    role: 'support',
    takes: {},
    fields: {},
    whyNot: () => undefined,
    run: (context, { record }, _given, asked) => lookedAt(context, record.id, asked),
    confirm: () => 'Mark her payment as looked at',
  }),
  registrationAct({
    id: 'forget',
    heading: 'Remove her personal data',
    sentence: 'Removes her name, address and phone wherever this site may, for good.',
    group: 'support',
    role: 'support',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNotForgotten(record, now),
    run: (context, { record }, _given, asked) => forgetRegistration(context, record.id, asked),
    confirm: () => 'Remove her personal data for good',
  }),
];
