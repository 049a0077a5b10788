import {
  beginningOf,
  installmentsOf,
  isNoticed,
  isUndeliverable,
  type RegistrationRecord,
  type WaitingRecord,
} from '#server/registration/registration.ts';
import { askingLetters } from './asking-letters.ts';
import { balanceLetters } from './balance-letters.ts';
import { cancelLetters } from './cancel-letters.ts';
import { holderLetters } from './holder-letters.ts';
import {
  type AnnouncedToAll,
  duesIn,
  endOf,
  type LetterKind,
  type LetterKinds,
  type Mail,
  mailOf,
} from './letter-kind.ts';
import { message } from './message.ts';
import { officeLetters } from './office-letters.ts';
import { paymentLetters } from './payment-letters.ts';
import { planLetters } from './plan-letters.ts';
import { refundLetters } from './refund-letters.ts';
import { isFirstLetter, registrationLetters } from './registration-letters.ts';
import { retreatLetters } from './retreat-letters.ts';
import { waitingLetters } from './waiting-letters.ts';
import { welcome } from './welcome.ts';

const table = {
  ...registrationLetters,
  ...welcome,
  ...officeLetters,
  ...balanceLetters,
  ...askingLetters,
  ...planLetters,
  ...paymentLetters,
  ...retreatLetters,
  ...cancelLetters,
  ...refundLetters,
  ...holderLetters,
  ...message,
  ...waitingLetters,
} satisfies LetterKinds<LetterKind>;

export type LetterName = keyof typeof table;

export const letterTable: Readonly<Record<LetterName, LetterKind>> = table;
export const isLetterName = (name: string): name is LetterName => Object.hasOwn(table, name);
export const LETTER_NAMES: readonly LetterName[] = Object.keys(table).filter(isLetterName);

export const REGISTRATION_LETTERS = LETTER_NAMES.filter((name) => letterTable[name].about === undefined);

/** Undefined for a kind that this release does not know. */
export function traitOf<Trait extends keyof LetterKind>(name: string, trait: Trait) {
  return isLetterName(name) ? letterTable[name][trait] : undefined;
}

/** @param announced what the office has announced about her edition; without it, nothing */
export function lettersDue(record: RegistrationRecord, now: Date, announced?: AnnouncedToAll): Mail[] {
  const open = REGISTRATION_LETTERS.flatMap((name) => openLetters(name, record, now, announced));
  return record.letterWaits ? open.filter((letter) => !isFirstLetter(letter)) : open;
}

/** Those not sent or dismissed; also those that wait until she has paid. */
export function openLetters(
  name: LetterName,
  record: RegistrationRecord,
  now: Date,
  announced?: AnnouncedToAll,
): Mail[] {
  return lettersNow(name, record, now, announced).filter((letter) => !isSentOrDismissed(letter, record));
}

const AT_ONCE: readonly string[] = ['registration-received', 'office-notice', 'welcome', 'office-paid'];

/** What the app queues itself as soon as she has registered or paid; the worker finds all others. */
export function lettersAtOnce(record: RegistrationRecord): Mail[] {
  const due = lettersDue(record, record.paidAt ?? record.begunAt);
  return due.filter(({ kind }) => AT_ONCE.includes(kind));
}

export function letterMoments(record: RegistrationRecord): (Date | undefined)[] {
  return Object.values(letterTable).flatMap((kind) =>
    kind.about === undefined ? (kind.moments?.(record) ?? []) : [],
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Sent or not. What happened before she got the place from somebody else is not hers to be told. None is true
 * once her personal data were removed, none that would go to an address that bounces, and none that asks for
 * money while a payment of hers is processing.
 */
export function lettersNow(
  name: LetterName,
  record: RegistrationRecord,
  now: Date,
  announced: AnnouncedToAll = {},
): Mail[] {
  const kind = letterTable[name];
  if (kind.about !== undefined || record.forgottenAt) return [];
  const { handedOver, isProcessing, bounced, bouncedBefore } = record;
  const newsMs = (kind.newsDays ?? Number.POSITIVE_INFINITY) * DAY_MS;
  return duesIn(kind.due(record, now, announced)).flatMap((due) => {
    if (due.at && +now >= +due.at + newsMs) return [];
    const isToOther = due.to?.firstName !== undefined;
    if (due.at && handedOver && !isToOther && due.at < handedOver.at) return [];
    const letter = mailOf(name, kind, record, due);
    if (isProcessing && letter.asksToPay) return [];
    return isUndeliverable(letter, [bounced, bouncedBefore]) ? [] : letter;
  });
}

/** For a coming charge, the last notice that she got decides. */
export function isSentOrDismissed(letter: Mail, record: RegistrationRecord): boolean {
  const end = endOf(letter, record.endedLetters);
  if (end?.state === 'dismissed' || !letter.notice) return end !== undefined;
  const { number } = letter.notice;
  const one = installmentsOf(record).find((installment) => installment.number === number);
  return one !== undefined && isNoticed(record, one);
}

export function waitingLettersDue(entry: WaitingRecord, now: Date): Mail[] {
  const { edition, bounced, letters } = entry;
  if (now >= beginningOf(edition)) return [];
  return LETTER_NAMES.flatMap((name) => {
    const kind = letterTable[name];
    if (kind.about !== 'waiting') return [];
    const all = duesIn(kind.due(entry, now)).map((due) => mailOf(name, kind, entry, due));
    return all.filter((letter) => !isUndeliverable(letter, [bounced]) && !endOf(letter, letters));
  });
}
