import { addressWorks, whyItWorks } from '#server/acts/address-works.ts';
import { editRegistration, whyNotCorrected } from '#server/acts/edit-registration.ts';
import { forgetRegistration, whyNotForgotten } from '#server/acts/forget-registration.ts';
import { linkToOwnPage, whyNoPage } from '#server/acts/link-to-own-page.ts';
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
    id: 'link',
    heading: 'Show the link to her page',
    sentence: 'Shows the link that opens her page, to be given to her alone.',
    group: 'link',
    takes: {},
    fields: {},
    whyNot: ({ record }) => whyNoPage(record),
    run: (context, { record }, _given, asked) =>
      linkToOwnPage(context, record.id, { ...asked, renew: false }),
    confirm: () => 'Show the link to her page',
    tellsSecret: true,
  }),
  registrationAct({
    id: 'renew-link',
    heading: 'Make a new link to her page',
    sentence: 'Ends all links that she or anybody else has had until now, and shows a new one.',
    group: 'link',
    takes: {},
    fields: {},
    whyNot: ({ record }) => whyNoPage(record),
    run: (context, { record }, _given, asked) => linkToOwnPage(context, record.id, { ...asked, renew: true }),
    confirm: () => 'Make a new link and end the older ones',
    tellsSecret: true,
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
