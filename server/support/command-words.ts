import * as v from 'valibot';
import { isCalendarDay } from '#shared/dates.ts';
import { dollarsToCents } from '#shared/money.ts';
import { flag } from './command.ts';

/** The words that several commands take, each with what is wrong with it if it is. */

export const ID = v.pipe(v.string(), v.nonEmpty('The ID is empty'));
export const PAYMENT_INTENT = v.pipe(
  v.string(),
  v.regex(/^pi_\w+$/, 'PAYMENT_INTENT is the ID of a payment, such as pi_123'),
);
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_OR_TIME = /^\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d)?$/;
export const dayOrTime = (name: string) =>
  v.pipe(
    v.string(),
    v.regex(DAY_OR_TIME, `${name} needs a day, or a day and a time, such as 2027-03-08 or 2027-03-08T17:30`),
    v.check(isCalendarDay, `${name} needs a day that its month has`),
  );
export const day = (name: string) =>
  v.pipe(
    v.string(),
    v.regex(DAY, `${name} is a day, such as 2027-03-08`),
    v.check(isCalendarDay, `${name} is a day that its month has`),
  );
export const DATE = day('DATE');
/** In US cents. */
export const DOLLARS = v.pipe(
  v.string(),
  v.regex(/^\d{1,6}(?:\.\d\d)?$/, 'DOLLARS is an amount such as 200 or 187.50'),
  v.transform((dollars) => dollarsToCents(Number(dollars))),
);
/** Every act names who does it, and can be tried first. */
export const act = {
  by: v.pipe(
    v.optional(v.string(), ''),
    v.trim(),
    v.nonEmpty('--by NAME must say who does it'),
    v.maxLength(80),
  ),
  'dry-run': flag,
};
