import { reasonOfDecline } from '#server/record/decline-reason.ts';
import type { Withheld } from '#server/record/deposit-letters.ts';
import type { Received } from '#server/record/received.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { officeDigestMail } from '#shared/content/office-digest-words.ts';
import { nameOfPlace } from '#shared/content/sells.ts';
import { nameOfPart, type PartOfPlan, type SumLine } from '#shared/content/tuition.ts';
import { nameOfCountry } from '#shared/countries.ts';
import { formatCents } from '#shared/money.ts';

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

/** Why no letter about a registration goes out before it is paid, by the state of such a letter. */
export const WITHHELD_WORDS: Partial<Record<string, string>> = {
  'third-address': 'Withheld until she pays: the letters went to two other addresses before.',
  'too-many':
    'Withheld until she pays: too many letters were asked for in a day, to her address, from one network or in all.',
} satisfies Record<Withheld, string>;

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

/** The billing address that she gave; undefined where there is none. */
export function billingWords({ billing }: RegistrationRecord): string | undefined {
  if (!billing?.paidFrom) return billing && nameOfPlace(billing);
  return `${nameOfPlace(billing)}; the card that paid is billed to ${nameOfCountry(billing.paidFrom)}`;
}

/** Why a card was declined, by Stripe's code, such as `not enough money, or a limit`. */
export function declineWords(code = ''): string {
  return officeDigestMail.reasons[reasonOfDecline(code)];
}

/** How many people, at the beginning of a sentence. */
export function people(count: number): string {
  return count === 1 ? 'One person' : count === 0 ? 'Nobody' : `${count} people`;
}

/** What so many people do, at the beginning of a sentence, such as `One person gets`. */
export function peopleDo(count: number, one: string, many: string): string {
  return `${people(count)} ${count > 1 ? many : one}`;
}

/** What was corrected of her details, as it was before. */
export function correctedDetails({ corrections }: Pick<RegistrationRecord, 'corrections'>) {
  const { name, email, phoneNumber } = corrections;
  const all = [['name', name] as const, ['e-mail', email] as const, ['phone', phoneNumber] as const];
  return all.flatMap(([detail, corrected]) => (corrected ? [{ detail, ...corrected }] : []));
}

/** A line of a sum, such as `deposit of $721: not refunded`. */
export function sumLineWords({ words, keptCents, why }: SumLine): string {
  const what = keptCents === undefined ? words : `${words} of ${formatCents(keptCents)}`;
  return why === undefined ? what : `${what}: ${why}`;
}

/** Words with a capital letter. */
export function sentence(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
