import { linksEndAt } from '#server/links/own-page-links.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import type { Sums } from '#server/mail/job-facts.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { receiptWords } from '#shared/content/own-page-words.ts';
import { nameOfTax, taxIn } from '#shared/content/sells.ts';
import { nameOfPart, type Reduction } from '#shared/content/tuition.ts';
import { dateAt, formatDate, formatDateRange } from '#shared/dates.ts';
import { checkCents, formatCents } from '#shared/money.ts';
import type { Block, Fact } from './letter.ts';
import type { MessageContext } from './links.ts';

/** The date of a moment in the retreat's time zone. */
export function dayOf(moment: string, { timetable }: Edition): string {
  return formatDate(dateAt(new Date(moment), timetable.timeZone.id));
}

/** A moment in the retreat's time zone and, if it is another one, in that of the reader. */
export function momentOf(moment: string, { timeZone }: { timeZone: string }, { timetable }: Edition): string {
  return tellMoment(new Date(moment), timetable, timeZone);
}

/** The last day on which the links to her page work. */
export function lastDayOfLinks(edition: Edition): string {
  return dayOf(new Date(linksEndAt(edition.facts).getTime() - 1).toISOString(), edition);
}

/** How to ask the office, to end a sentence with. */
export function waysToAsk({ office: { email, phone } }: MessageContext): string {
  return `reply to this e-mail, write to ${email} or call ${phone}`;
}

/** The days of the retreat, from the first to the last. */
export function daysOf({ facts: { startDate, endDate } }: Edition): string {
  return formatDateRange(startDate, endDate);
}

export function inDollars(cents: number): string {
  return `${formatCents(cents)} (US dollars)`;
}

/** A sum before the card fee, and the fee; nothing where there is none, since the sum charged is then the same. */
export function withFee(label: string, cents: number, beforeFeeCents: number, { facts }: Edition): Fact[] {
  if (cents === beforeFeeCents) return [];
  return [
    { label, value: formatCents(beforeFeeCents) },
    { label: `Card fee (${facts.prices.cardFee})`, value: formatCents(cents - beforeFeeCents) },
  ];
}

/** How the statement of her card names what was charged to it, if the edition says so. */
export function statementRows({ facts: { statementSuffix } }: Edition): Fact[] {
  return statementSuffix ? [{ label: 'On your statement', value: `ends with “${statementSuffix}”` }] : [];
}

/** The tax that is contained in a sum which was paid, if there is one. */
export function taxContained(cents: number, { tax }: Pick<RegistrationMail, 'tax'>): Fact[] {
  if (!tax || cents === 0) return [];
  return [{ label: receiptWords.tax(nameOfTax(tax)), value: formatCents(taxIn(cents, tax)) }];
}

/** What is left of the tuition before the card fee, such as `$700 less your scholarship of $400`. */
export function tuitionLeft(
  { beforeFeeCents, reduced, receivedCents = 0, part }: Sums,
  { facts: { prices } }: Edition,
): string {
  if (part) return `${owedWords({ part })}, ${formatCents(beforeFeeCents)}`;
  const whole = beforeFeeCents + (reduced?.cents ?? 0) + receivedCents;
  // A check pays more than came with it.
  const isLess = prices.checkDiscountPerMille > 0;
  const less = [
    reduced && `less ${LESS[reduced.as]} ${formatCents(reduced.cents)}`,
    receivedCents > 0 && `less ${formatCents(receivedCents)} that has ${isLess ? 'been paid' : 'come'}`,
  ].filter(Boolean);
  return [formatCents(whole), ...less].join(' ');
}

/** What a sum before the card fee is by check or transfer: `$679`. */
export function byCheck({ beforeFeeCents }: Pick<Sums, 'beforeFeeCents'>, { facts }: Edition): string {
  return formatCents(checkCents(beforeFeeCents, facts.prices.checkDiscountPerMille));
}

/** What is asked for: the balance, in these words, or `part 2 of 3 of your payment plan`. */
export function owedWords(sums: Pick<Sums, 'part'> | undefined, balance = 'your balance'): string {
  return sums?.part ? `${nameOfPart(sums.part)} of your payment plan` : balance;
}

/** A text that begins a sentence. */
export function beginning(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

const LESS = {
  scholarship: 'your scholarship of',
  reduction: 'what is taken off,',
} as const satisfies Record<Reduction['as'], string>;

/**
 * The button to her own page. Its link is made when the letter is rendered, so that no link is stored on a
 * queue.
 */
export function ownPageButton(
  { paymentIntentId: deposit, linksEpoch: epoch = 0 }: RegistrationMail,
  edition: Edition,
  { links }: MessageContext,
  label = 'Your own page',
): Block {
  const href = links.url({ deposit, epoch, expiresAt: linksEndAt(edition.facts) });
  return { kind: 'button', label, href };
}
