import * as v from 'valibot';
import { day, dollars, paymentIntent } from '#server/acts/given.ts';
import { printable } from '#server/acts/printable.ts';
import { NO_USERS } from '#server/record/acts.ts';
import { folded } from '#server/service/folded.ts';
import { flag } from './command.ts';

/** The arguments that several commands share, each with its error message. */

export const ID = v.pipe(v.string(), v.nonEmpty('The ID is empty'));
export const PAYMENT_INTENT = paymentIntent('PAYMENT_INTENT needs');
export const EDITION = v.pipe(v.string(), v.nonEmpty('EDITION is empty'));
export const DATE = day('DATE needs');
/** In US cents. */
export const DOLLARS = dollars('DOLLARS needs');
/** The options of every act: who does it, and whether it is a dry run. */
export const act = {
  by: v.pipe(
    v.optional(v.string(), ''),
    v.trim(),
    v.nonEmpty('--by NAME must say who does it'),
    v.maxLength(80),
    v.check(
      (name) => !NO_USERS.includes(folded(printable(name))),
      '--by NAME must be the name of a person of the office',
    ),
  ),
  'dry-run': flag,
};
