import {
  announcesCharge,
  isLaterMail,
  type LaterMailKind,
  MAIL_KINDS,
  type MailOf,
  type RegistrationMail,
} from '#server/mail/job.ts';
import { addressLetters } from './address-letters.ts';
import { announcedLetters } from './announced-letters.ts';
import { balanceLetters } from './balance-letters.ts';
import { isUndeliverable, isUnreachable } from './bounce-mark.ts';
import { cancelLetters } from './cancel-letters.ts';
import { isNoticed } from './charge-plan.ts';
import { endOf } from './deposit-letters.ts';
import { type AnnouncedToAll, factsOf, type LetterAt } from './letter-facts.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { retreatLetters } from './retreat-letters.ts';

const letters: { [Kind in LaterMailKind]: LetterAt<Kind> } = {
  ...balanceLetters,
  ...cancelLetters,
  ...retreatLetters,
  ...addressLetters,
  ...announcedLetters,
};

/**
 * The letters after the welcome that are due for a registration: true at this moment, and not sent or
 * dismissed.
 * @param announced what the office has announced about her edition; without it no letter about an
 *   announcement is due
 */
export function laterLettersDue(
  record: RegistrationRecord,
  now: Date,
  announced?: AnnouncedToAll,
): RegistrationMail[] {
  return MAIL_KINDS.filter(isLaterMail).flatMap((kind) => {
    const letter = laterLetterNow(kind, record, now, announced);
    return letter && !isTold(letter, record) ? [letter] : [];
  });
}

/**
 * The letter of a kind with a registration's facts at a moment, sent or not; undefined when its condition
 * does not hold. None is true once her personal data were removed, and none that would go to an address that
 * bounces.
 */
export function laterLetterNow(
  kind: LaterMailKind,
  record: RegistrationRecord,
  now: Date,
  announced?: AnnouncedToAll,
): RegistrationMail | undefined {
  const letter = record.forgottenAt ? undefined : letters[kind](record, now, announced);
  return letter && !isUndeliverable(letter, [record.bounced, record.bouncedBefore]) ? letter : undefined;
}

/**
 * Whether it was sent, or a person dismissed it. For a coming charge, the last notice that she got decides.
 */
export function isTold(letter: RegistrationMail, record: RegistrationRecord): boolean {
  const end = endOf(letter, record.endedLetters);
  if (end?.state === 'dismissed') return true;
  if (announcesCharge(letter)) return isNoticed(record);
  return end !== undefined;
}

/** The letter with the link to her page, for a registrant who requested it by her address. */
export function ownPageLinkLetter(
  record: RegistrationRecord,
  request: string,
): MailOf<'place-link'> | undefined {
  const { deposit, forgottenAt } = record;
  return deposit === 'paid' && !forgottenAt && !isUnreachable(record)
    ? { kind: 'place-link', ...factsOf(record), request }
    : undefined;
}
