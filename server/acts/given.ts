import * as v from 'valibot';
import { cleanText, SUBJECT_LENGTH, TEXT_LENGTH, textProblem } from '#server/letters/message.ts';
import { cleanName } from '#server/letters/render/names.ts';
import { REASON_LENGTH } from '#server/record/decisions.ts';
import { NOTE_LENGTH } from '#server/record/notes.ts';
import { NUMBER_LENGTH } from '#server/record/received.ts';
import { isCalendarDay } from '#shared/dates.ts';
import { dollarsToCents } from '#shared/money.ts';
import { printable } from './printable.ts';

/**
 * The inputs of acts, from the arguments of a command or the fields of a form. `asks` begins the error
 * message, such as `DATE needs` or `Please give`.
 */

export const paymentIntent = (asks: string) =>
  v.pipe(v.string(), v.regex(/^pi_\w+$/, `${asks} the ID of a payment, such as pi_123`));

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_OR_TIME = /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d)?$/;

/** A day, or a day and a time, in the retreat's time zone. */
export const dayOrTime = (asks: string) =>
  v.pipe(
    v.string(),
    v.regex(DAY_OR_TIME, `${asks} a day, or a day and a time, such as 2027-03-08 or 2027-03-08T17:30`),
    v.check(isCalendarDay, `${asks} a day that its month has`),
  );

/** A day in the retreat's time zone. */
export const day = (asks: string) =>
  v.pipe(
    v.string(),
    v.regex(DAY, `${asks} a day, such as 2027-03-08`),
    v.check(isCalendarDay, `${asks} a day that its month has`),
  );

/** A month in the retreat's time zone. */
export const month = (asks: string) =>
  v.pipe(v.string(), v.regex(/^20\d\d-(?:0[1-9]|1[0-2])$/, `${asks} a month, such as 2027-03`));

/** An amount in dollars, with or without a dollar sign; its output is in US cents. */
export const dollars = (asks: string) =>
  v.pipe(
    v.string(),
    v.transform((text) => text.replace(/^\$/, '')),
    v.regex(/^\d{1,6}(?:\.\d\d)?$/, `${asks} an amount such as 200 or 187.50`),
    v.transform((text) => dollarsToCents(Number(text))),
  );

/**
 * The parts of a payment plan, each on its own line or after a comma: its day, and its sum unless the rest is divided
 * equally.
 */
export const planParts = (asks: string) =>
  v.pipe(
    v.string(),
    v.transform((text) => text.split(/[\n,]+/).flatMap((line) => line.trim() || [])),
    v.array(
      v.pipe(
        v.string(),
        v.transform((line) => {
          const [on = '', ...sum] = line.split(/\s+/);
          return { day: on, ...(sum.length > 0 && { cents: sum.join(' ') }) };
        }),
        v.object({ day: day(asks), cents: v.exactOptional(dollars(asks)) }),
      ),
    ),
  );

/** The reason for a refund, in one line. */
export const reason = (missing: string, tooLong: string) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform(printable),
    v.nonEmpty(missing),
    v.maxLength(REASON_LENGTH, tooLong),
  );

/** The number of a check, or the reference of a transfer; empty without one. */
export const paymentNumber = (tooLong: string) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((text) => printable(text).replaceAll(/["\\]/g, '')),
    v.maxLength(NUMBER_LENGTH, tooLong),
  );

/** How a payment came that did not come by card. */
export const wayBesideCard = (asks: string) => v.picklist(['check', 'transfer'], asks);

/** How she agreed to something, as the office records it. */
export const howAgreed = (asks: string) => v.picklist(['phone', 'writing'], asks);

/** A mark in a form: whether it is set. */
export const mark = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text !== ''),
);

/** A note: lines of text. */
export const note = (missing: string, tooLong: string) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform(cleanText),
    v.nonEmpty(missing),
    v.maxLength(NOTE_LENGTH, tooLong),
  );

/** The subject of a letter that the office writes, on one line. */
export const messageSubject = (asks: string) =>
  v.pipe(
    v.string(),
    v.transform(cleanName),
    v.nonEmpty(`${asks} a subject`),
    v.maxLength(SUBJECT_LENGTH, `${asks} a subject of ${SUBJECT_LENGTH} characters at most`),
    v.regex(/^[^{}]*$/, `${asks} a subject without braces: it is the same for everybody`),
  );

/** The text of a letter that the office writes: paragraphs, with an empty line between them. */
export const messageText = (asks: string) =>
  v.pipe(
    v.string(),
    v.transform(cleanText),
    v.nonEmpty(`${asks} a text`),
    v.maxLength(TEXT_LENGTH, `${asks} a text of ${TEXT_LENGTH.toLocaleString('en-US')} characters at most`),
    v.check(
      (text) => textProblem(text) === undefined,
      ({ input }) => `${textProblem(input)}.`,
    ),
  );

/** The longest URL that is announced. */
const URL_LENGTH = 300;

/** The URL of the recordings, or of the video room. */
export const announcedUrl = (asks: string) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.url(`${asks} an address such as https://videos.example.org/retreat`),
    v.startsWith('https://', `${asks} an address that begins with https://`),
    v.maxLength(URL_LENGTH, `${asks} an address of ${URL_LENGTH} characters at most`),
  );
