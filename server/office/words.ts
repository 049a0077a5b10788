import { stripVTControlCharacters } from 'node:util';
import { declineWords as reasons } from '#server/letters/office-digest-words.ts';
import {
  nextChargeAt,
  payingUntil,
  type Received,
  type RegistrationRecord,
  type RegistrationState,
  reasonOfDecline,
} from '#server/registration/registration.ts';
import type { Group } from '#server/worker/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';
import { nameOfPart, type PartOfPlan } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';

/** Control, invisible and direction-changing characters and lone surrogates: none of them may reach a terminal. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line of text that is safe to print to a terminal, even if it contains hostile escape sequences. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(UNPRINTABLE, ' ').replace(/ {2,}/g, ' ').trim();
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A moment in the retreat's time zone, such as `Dec 21, 2025, 5:00 PM PST`. */
export function moment(date: Date, { edition }: { edition: Edition }): string {
  const timeZone = edition.timetable.timeZone.id;
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
      timeZone,
    });
  formats.set(timeZone, format);
  return format.format(date).replaceAll('\u202f', ' ');
}

/** What the first letters do where too many were asked for. */
export const WAITING_LETTERS =
  'waits until she pays: too many messages were asked for in a day, to her address, from one network or in all.';

/** A moment to the second, whichever edition it is about, such as `2027-03-08 17:30:00 UTC`. */
export function utcMoment(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A payment that came, such as `check 1042 of $300`. */
export function receivedWords({ way, cents, number }: Pick<Received, 'way' | 'cents' | 'number'>): string {
  return `${[way, number].filter(Boolean).join(' ')} of ${formatCents(cents)}`;
}

/** `part 2 of 3 of her plan`. */
export function partWords(part: PartOfPlan): string {
  return `${nameOfPart(part)} of her plan`;
}

/** Why a card was declined, by Stripe's code, such as `not enough money, or a limit`. */
export function declineWords(code = ''): string {
  return reasons[reasonOfDecline(code)];
}

export function people(count: number): string {
  return count === 1 ? 'One person' : count === 0 ? 'Nobody' : `${count} people`;
}

/** What so many people do, at the beginning of a sentence, such as `One person gets`. */
export function peopleDo(count: number, one: string, many: string): string {
  return `${people(count)} ${count > 1 ? many : one}`;
}

export function sentence(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

export function whenCharged(record: RegistrationRecord, now: Date): string {
  const at = nextChargeAt(record);
  if (at <= now) return 'as soon as the site gets to it';
  const isKeptBack = at <= payingUntil(record);
  return `on ${moment(at, record)}${isKeptBack ? ', unless she ends paying on her page before' : ''}`;
}

const stateWords: Readonly<Record<RegistrationState, string>> = {
  begun: 'Deposit not paid yet',
  held: 'Place held, deposit to come',
  lapsed: 'Deposit left unpaid',
  closed: 'Deposit cancelled unpaid',
  registered: 'Deposit paid',
  noticed: 'Deposit paid, told of the charge',
  postponed: 'Balance postponed',
  due: 'Balance due',
  retrying: 'Card being charged, or tried again soon',
  'action-needed': 'Card declined, not tried again',
  settled: 'Paid in full',
  cancelling: 'Cancelled, refund not made yet',
  cancelled: 'Cancelled, refund under way',
  'refund-pending': 'Cancelled, refund on its way',
  'refund-failed': 'Cancelled, refund refused by her bank',
  refunded: 'Cancelled and refunded',
  'nothing-back': 'Cancelled, nothing goes back',
};

/** @param state absent for one of a later release */
export function wordsOfState(state: RegistrationState | undefined): string {
  return state ? stateWords[state] : 'Not known to this release';
}

export const groupWords: Readonly<Record<Group, string>> = {
  all: 'All',
  'needs-you': 'Needs you',
  'letter-failed': 'Message failed',
  bounced: 'Message bounced',
  late: 'Late',
  due: 'Due later',
  paid: 'Paid in full',
  registered: 'Registered',
  'by-check': 'By check',
  waived: 'Waived',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  held: 'Place held',
  unpaid: 'Deposit not paid',
  unanswered: 'Questions not answered',
  attending: 'Participants',
};
