import * as v from 'valibot';
import { day, dollars, paymentIntent } from '#server/acts/given.ts';
import { flag } from './command.ts';

/** The words that several commands take, each with what is wrong with it if it is. */

export const ID = v.pipe(v.string(), v.nonEmpty('The ID is empty'));
export const PAYMENT_INTENT = paymentIntent('PAYMENT_INTENT needs');
export const EDITION = v.pipe(v.string(), v.nonEmpty('EDITION is empty'));
export const DATE = day('DATE needs');
/** In US cents. */
export const DOLLARS = dollars('DOLLARS needs');
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
