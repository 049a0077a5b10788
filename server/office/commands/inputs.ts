import * as v from 'valibot';
import { cleanText, SUBJECT_LENGTH, TEXT_LENGTH, textProblem } from '#server/letters/message.ts';
import { cleanName } from '#server/letters/render/names.ts';
import { printable, sentence } from '#server/office/words.ts';
import { HOW_AGREED, NOTE_LENGTH, NUMBER_LENGTH, REASON_LENGTH } from '#server/registration/registration.ts';
import { isCalendarDay } from '#shared/dates.ts';
import { dollarsToCents } from '#shared/money.ts';
import { contactSchema } from '#shared/registration.ts';
import { typedNumber, typedText } from '#shared/typed-text.ts';
import type { Fields } from './command.ts';

const wants = (what: string) => `Please give ${what}`;

const atMost = (length: number) =>
  v.maxLength<string, number, string>(
    length,
    `Please use ${length.toLocaleString('en-US')} characters at most`,
  );

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_AND_TIME = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d$/;

const someDay = (pattern: RegExp, what: string) =>
  v.pipe(
    v.string(),
    v.regex(pattern, wants(what)),
    v.check(isCalendarDay, wants('a day that its month has')),
  );

export const day = someDay(DAY, 'a day, such as 2027-03-08');

export const dayAndTime = someDay(DAY_AND_TIME, 'a day and a time, such as 2027-03-08T17:30');

/** A month in the retreat's time zone, such as `2027-03`. */
export const month = v.pipe(v.string(), v.regex(/^20\d\d-(?:0[1-9]|1[0-2])$/));

/** Below a million, with or without a dollar sign, and a comma before the last three digits of the dollars. */
const DOLLARS = /^(?:\$ ?)?(?:\d{1,6}|\d{1,3},\d{3})(?:\.\d{1,2})?$/;

export const dollars = v.pipe(
  v.string(),
  v.transform(typedNumber),
  v.regex(DOLLARS, wants('an amount such as 200, 187.50 or 1,395')),
  v.transform((text) => dollarsToCents(Number(text.replace(/[$ ,]/g, '')))),
);

/** The reason for something, for the office; it may be left out. */
export const reasonIfAny = v.pipe(v.string(), atMost(REASON_LENGTH));

export const planParts = v.pipe(
  v.string(),
  v.transform((text) => text.split(/\n|,(?=\s|\d{4}-|$)/).flatMap((line) => typedText(line) || [])),
  v.array(
    v.pipe(
      v.string(),
      v.transform((line) => {
        const [on = '', ...sum] = line.split(/\s+/);
        return { day: on, ...(sum.length > 0 && { cents: sum.join(' ') }) };
      }),
      v.object({ day, cents: v.exactOptional(dollars) }),
    ),
  ),
);

export const reason = v.pipe(
  v.string(),
  v.transform(printable),
  v.nonEmpty('Please say why it is given back'),
  atMost(REASON_LENGTH),
);

/** The number of a check, or the reference of a transfer; empty without one. */
export const paymentNumber = v.pipe(
  v.string(),
  v.transform((text) => printable(text).replaceAll(/["\\]/g, '')),
  atMost(NUMBER_LENGTH),
);

export const mark = v.pipe(
  v.string(),
  v.transform((typed) => typed !== ''),
);

export const note = v.pipe(
  v.string(),
  v.transform(cleanText),
  v.nonEmpty('Please write the note'),
  atMost(NOTE_LENGTH),
);

/** The subject of a letter that the office writes, on one line. */
export const messageSubject = v.pipe(
  v.string(),
  v.transform(cleanName),
  v.nonEmpty(wants('a subject')),
  v.maxLength(SUBJECT_LENGTH, wants(`a subject of ${SUBJECT_LENGTH} characters at most`)),
  v.regex(/^[^{}]*$/, wants('a subject without braces: it is the same for everybody')),
);

/** The text of a letter that the office writes: paragraphs, with an empty line between them. */
export const messageText = v.pipe(
  v.string(),
  v.transform(cleanText),
  v.nonEmpty('Please write a text'),
  v.maxLength(
    TEXT_LENGTH,
    `Please write a text of ${TEXT_LENGTH.toLocaleString('en-US')} characters at most`,
  ),
  v.check(
    (text) => textProblem(text) === undefined,
    ({ input }) => `${textProblem(input)}.`,
  ),
);

const URL_LENGTH = 300;

export const announcedUrl = v.pipe(
  v.string(),
  v.url(wants('an address such as https://videos.example.org/retreat')),
  v.startsWith('https://', wants('an address that begins with https://')),
  v.maxLength(URL_LENGTH, wants(`an address of ${URL_LENGTH} characters at most`)),
);

export const agreedFields = {
  agreed: {
    takes: v.picklist(['phone', 'writing'], 'Please choose how she agreed'),
    label: 'How she agreed',
    choices: { phone: sentence(HOW_AGREED.phone), writing: sentence(HOW_AGREED.writing) },
  },
  agreedOn: { takes: day, label: 'On which day', input: 'day' },
} as const satisfies Fields<unknown>;

const { firstName, lastName, email, phoneNumber } = contactSchema.entries;

export const contactFields = {
  firstName: { takes: firstName, label: 'First name' },
  lastName: { takes: lastName, label: 'Last name' },
  email: { takes: email, label: 'E-mail', input: 'email' },
  phoneNumber: { takes: phoneNumber, label: 'Phone', input: 'tel' },
} as const satisfies Fields<unknown>;
