import {
  announcesCharge,
  asksToPay,
  isKeptMail,
  isOfEachPart,
  type KeptMailKind,
  MAIL_KINDS,
  type MailKind,
  type MailOf,
  type RegistrationMail,
} from '#server/mail/job.ts';
import { type EndedLetter, endOf } from '#server/mail/letter-log.ts';
import { installmentsOf, nextInstallment } from '#server/registration/balance.ts';
import { isUndeliverable } from '#server/registration/bounces.ts';
import { isNoticed } from '#server/registration/charges.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { askingLetters } from './asking-letters.ts';
import { balanceLetters } from './balance-letters.ts';
import { balancePaid } from './balance-paid.ts';
import { cancelLetters } from './cancel-letters.ts';
import { addressLetters, handOverLetters, placeLink } from './holder-letters.ts';
import { type AllLetters, type AnnouncedToAll, factsOf, type LetterAt, letterOf } from './letter-kind.ts';
import { message } from './message.ts';
import { officeDigest, officeNotices } from './office-letters.ts';
import { planLetters } from './plan-letters.ts';
import { receivedLetters } from './received-letters.ts';
import { refundLetters } from './refund-letters.ts';
import { heldLetters, isFirstLetter, registrationReceived } from './registration-letters.ts';
import { announcedLetters, retreatLetters } from './retreat-letters.ts';
import { waitingLetters } from './waiting-letters.ts';
import { questionLetters, welcome } from './welcome.ts';

/** All letters. Those to her are in the order in which her page lists them. */
export const letterTable: AllLetters = {
  ...registrationReceived,
  ...officeNotices,
  ...welcome,
  ...balanceLetters,
  ...askingLetters,
  ...heldLetters,
  ...receivedLetters,
  ...planLetters,
  ...balancePaid,
  ...questionLetters,
  ...retreatLetters,
  ...cancelLetters,
  ...refundLetters,
  ...addressLetters,
  ...handOverLetters,
  ...announcedLetters,
  ...message,
  ...placeLink,
  ...waitingLetters,
  ...officeDigest,
};

const allLettersAt: { readonly [Kind in KeptMailKind]: LetterAt<Kind> } = letterTable;

/**
 * The letters that are due for a registration: true at this moment, and not sent or dismissed.
 * @param announced what the office has announced about her edition; without it, nothing
 */
export function lettersDue(
  record: RegistrationRecord,
  now: Date,
  announced?: AnnouncedToAll,
): RegistrationMail[] {
  const open = MAIL_KINDS.filter(isKeptMail).flatMap((kind) => openLetters(kind, record, now, announced));
  return record.letterWaits ? open.filter((letter) => !isFirstLetter(letter)) : open;
}

/** The letters of a kind that are true at a moment, and not sent or dismissed; also those that wait until she has paid. */
export function openLetters(
  kind: KeptMailKind,
  record: RegistrationRecord,
  now: Date,
  announced?: AnnouncedToAll,
): RegistrationMail[] {
  return lettersNow(kind, record, now, announced).filter((letter) => !isSentOrDismissed(letter, record));
}

const AT_ONCE: readonly MailKind[] = ['registration-received', 'office-notice', 'welcome', 'office-paid'];

/** The letters that the app queues itself as soon as she has registered or paid. The worker finds all others. */
export function lettersAtOnce(record: RegistrationRecord): RegistrationMail[] {
  const due = lettersDue(record, record.paidAt ?? record.begunAt);
  return due.filter(({ kind }) => AT_ONCE.includes(kind));
}

/** How the last letter of a kind ended; not of those to who had the place before. */
export function lastEnd(kind: MailKind, record: RegistrationRecord): EndedLetter['state'] | undefined {
  const { handedOver, endedLetters } = record;
  return endedLetters.findLast((one) => one.kind === kind && (!handedOver || one.at >= handedOver.at))?.state;
}

/** The letters of a kind, as `letterNow`: where each part of a payment plan has its own, that of each part. */
export function lettersNow<Kind extends KeptMailKind>(
  kind: Kind,
  record: RegistrationRecord,
  now: Date,
  announced?: AnnouncedToAll,
): MailOf<Kind>[] {
  const all = isOfEachPart(kind) ? installmentsOf(record) : [nextInstallment(record)];
  return all.flatMap((one) => letterNow(kind, record, now, announced, one) ?? []);
}

/**
 * The letter of a kind with a registration's facts at a moment, sent or not; undefined when its condition
 * does not hold. What happened before she got the place from somebody else is not hers to be told. None is true once her
 * personal data were removed, none that would go to an address that bounces, and none that asks for money while a payment of
 * hers is processing.
 */
export function letterNow<Kind extends KeptMailKind>(
  kind: Kind,
  record: RegistrationRecord,
  now: Date,
  announced?: AnnouncedToAll,
  one = nextInstallment(record),
): MailOf<Kind> | undefined {
  const facts = record.forgottenAt ? undefined : allLettersAt[kind].factsAt(record, now, { one, announced });
  if (facts && isOfHolderBefore(facts, record)) return undefined;
  const letter = facts && letterOf(kind, factsOf(record), facts);
  if (letter && record.isProcessing && asksToPay(letter)) return undefined;
  return letter && !isUndeliverable(letter, [record.bounced, record.bouncedBefore]) ? letter : undefined;
}

/** Whether it tells of a moment before the place came to her who has it now. */
function isOfHolderBefore(facts: object, { handedOver }: RegistrationRecord): boolean {
  const at = 'at' in facts ? facts.at : undefined;
  return handedOver !== undefined && typeof at === 'string' && new Date(at) < handedOver.at;
}

/**
 * Whether it was sent, or a person dismissed it. For a coming charge, the last notice that she got decides.
 */
export function isSentOrDismissed(letter: RegistrationMail, record: RegistrationRecord): boolean {
  const end = endOf(letter, record.endedLetters);
  if (end?.state === 'dismissed') return true;
  if (!announcesCharge(letter)) return end !== undefined;
  const one = installmentsOf(record).find(({ number }) => number === letter.number);
  return one !== undefined && isNoticed(record, one);
}
