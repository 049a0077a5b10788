import * as v from 'valibot';
import { day, dollars, howAgreed } from '#server/acts/given.ts';
import { sentence } from '#server/acts/plain-words.ts';
import {
  endRegistration,
  holdPlace,
  registerSomebody,
  whyNotEnded,
  whyNotHeld,
  whyNotRegistered,
} from '#server/acts/register-somebody.ts';
import { actsAbout, type Field } from '#server/office/acts/office-act.ts';
import { HOW_AGREED } from '#server/record/acts.ts';
import type { Edition } from '#shared/content/edition.ts';
import { contactSchema } from '#shared/registration.ts';
import { registrationAct } from './registration-act.ts';

/** How a place is held, in forms. */
const holdTakes = {
  way: v.picklist(['card', 'check', 'transfer'], 'Please choose how she pays'),
  until: day('Please give'),
  agreed: howAgreed('Please choose how she agreed'),
  agreedOn: day('Please give'),
};
const holdFields: Readonly<Record<keyof typeof holdTakes, Omit<Field<unknown>, 'initial'>>> = {
  way: {
    label: 'How she pays the deposit',
    input: 'choice',
    choices: () => [
      { value: 'check', words: 'By check' },
      { value: 'transfer', words: 'By bank transfer' },
      { value: 'card', words: 'By card, on her page' },
    ],
  },
  until: {
    label: 'Until when her place is held',
    hint: 'If the deposit has not come by then, it is free again a day later.',
    input: 'day',
  },
  agreed: {
    label: 'How she agreed to the policies',
    hint: 'Read them to her, or send them: the deposit is not refunded.',
    input: 'choice',
    choices: () => Object.entries(HOW_AGREED).map(([value, words]) => ({ value, words: sentence(words) })),
  },
  agreedOn: { label: 'On which day', input: 'day' },
};

/** Acts on a registration that is not paid. */
export const unpaidActs = [
  registrationAct({
    id: 'hold',
    heading: 'Hold a place for her',
    sentence:
      'Until a day, by which she pays the deposit by check, transfer or card; also until another day.',
    group: 'money',
    takes: holdTakes,
    fields: holdFields,
    whyNot: ({ record, now }) => whyNotHeld(record, now),
    run: (context, { record }, given, asked) => holdPlace(context, record.id, given, asked),
    confirm: () => 'Hold a place for her',
  }),
  registrationAct({
    id: 'end',
    heading: 'End this registration',
    sentence: 'A mistake, or she does not come: her place is free, and her details are removed.',
    group: 'details',
    takes: {},
    fields: {},
    whyNot: ({ record, now }) => whyNotEnded(record, now),
    run: (context, { record }, _given, asked) => endRegistration(context, record.id, asked),
    confirm: () => 'End her registration',
  }),
];

/** An edition for which somebody is registered. */
export interface Registering {
  edition: Edition;
  now: Date;
}

/** The act by which the office registers somebody. */
export const registerAct = actsAbout<Registering>()({
  id: 'register',
  heading: 'Register somebody',
  sentence: 'Somebody who calls or writes. Her place is held until the deposit has come.',
  takes: {
    ...contactSchema.entries,
    ...holdTakes,
    scholarship: v.union([
      v.pipe(
        v.literal(''),
        v.transform(() => 0),
      ),
      dollars('Please give'),
    ]),
  },
  fields: {
    firstName: { label: 'First name', input: 'line' },
    lastName: { label: 'Last name', input: 'line' },
    email: { label: 'E-mail', input: 'email' },
    phoneNumber: { label: 'Phone', input: 'tel' },
    ...holdFields,
    scholarship: {
      label: 'Scholarship',
      hint: 'In dollars, of the whole tuition before the card fee. It may be left out.',
      input: 'amount',
      isOptional: true,
    },
  },
  whyNot: ({ edition, now }) => whyNotRegistered(edition, now),
  run: (context, { edition }, { scholarship: scholarshipCents, ...given }, asked) => {
    const { firstName, lastName, email, phoneNumber, ...holding } = given;
    const contact = { firstName, lastName, email, phoneNumber };
    return registerSomebody(context, edition, { contact, scholarshipCents, ...holding }, asked);
  },
  confirm: ({ firstName, lastName }) => `Register ${firstName} ${lastName}`,
});
