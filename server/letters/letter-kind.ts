import type { KeptMailKind, MailKind, MailKindTo, MailOf, WaitingMailKind } from '#server/mail/job.ts';
import type { Registrant, Waiting } from '#server/mail/job-facts.ts';
import { type Installment, leftToPay, nextInstallment, paidBalances } from '#server/registration/balance.ts';
import { balanceTermsOf, expiryOf } from '#server/registration/card-on-file.ts';
import { reductionOf } from '#server/registration/decisions.ts';
import { receivedCentsOf } from '#server/registration/deposit.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { WaitingRecord } from '#server/registration/waiting-record.ts';
import type { Edition, Prices } from '#shared/content/edition.ts';
import { cardFeeCents } from '#shared/money.ts';
import type { Letter, Passage } from './render/letter.ts';
import type { MessageContext } from './render/parts.ts';

export type FactsOf<Kind extends MailKind> = Omit<MailOf<Kind>, 'kind' | keyof Registrant | keyof Waiting>;

/** The parts of a letter that differ from those of the others. */
export interface Said {
  /** What an inbox shows beside the subject. */
  preheader: string;
  title: string;
  blocks: readonly Passage[];
  /** Whom to ask, how it closes, and why it came, where that is not what most letters say. */
  questions?: string;
  closing?: string;
  reason?: string;
  leave?: Letter['leave'];
}

/** Its words, and samples of it. */
export interface Words<Kind extends MailKind> {
  /** What the letter is, for the office. */
  name: string;
  says(letter: MailOf<Kind>, edition: Edition, context: MessageContext): Said;
  /** For an address that nobody has confirmed: its holder must not learn names, nor get a message disguised as one. */
  names?: 'none' | 'probable ones';
  /** Whether the calendar file comes with it. */
  hasCalendar?: true;
  /** All that it may have to say, by what is special about it: for previews and tests. */
  samples(edition: Edition): { usual: FactsOf<Kind> } & Record<string, FactsOf<Kind>>;
}

/** Her page shows the subject too; it knows no more of the letter than its kind. */
interface Subject<Kind extends MailKind> {
  subject(edition: Edition, letter?: MailOf<Kind>): string;
}
interface SubjectForOffice<Kind extends MailKind> {
  subject(edition: Edition, letter: MailOf<Kind>): string;
}

/** The part of the office's announcements that decides who gets which letter. */
export interface AnnouncedToAll {
  scheduleTold?: { revision: number; at: Date };
  recordings?: { at: Date };
  room?: { at: Date };
}

/** What a letter may be about, of a registration. */
export interface AboutLetter {
  /** Where each part of a plan has its own letter, that part; else what is to be paid next. */
  one: Installment;
  /** What the office has announced. */
  announced?: AnnouncedToAll | undefined;
}

/** When a letter is true: what it says at a moment, sent or not; undefined when it is not true then. */
export interface LetterAt<Kind extends KeptMailKind> {
  factsAt(record: RegistrationRecord, now: Date, about: AboutLetter): FactsOf<Kind> | undefined;
}
export interface WaitingLetterAt<Kind extends WaitingMailKind> {
  factsAt(record: WaitingRecord, now: Date): FactsOf<Kind> | undefined;
}

/** Everything about a kind of letter that its rule does not say. */
type LetterOf<Kind extends MailKind> = Words<Kind> &
  (Kind extends MailKindTo<'office'> ? SubjectForOffice<Kind> : Subject<Kind>) &
  (Kind extends KeptMailKind ? LetterAt<Kind> : unknown) &
  (Kind extends WaitingMailKind ? WaitingLetterAt<Kind> : unknown);

/** All letters: no kind may be missing. */
export type AllLetters = { readonly [Kind in MailKind]: LetterOf<Kind> };
/** Letters that belong together. */
export type SomeLetters = Partial<AllLetters>;

export function letterOf<Kind extends MailKind>(
  kind: Kind,
  about: object,
  facts: FactsOf<Kind>,
): MailOf<Kind> {
  const letter: object = { kind, ...about, ...facts };
  // The facts of each kind are typed; what TypeScript cannot follow is that `kind` names it.
  return letter as MailOf<Kind>;
}

const HOUR_MS = 60 * 60 * 1000;

export function hoursAfter(moment: string, hours: number): string {
  return new Date(Date.parse(moment) + hours * HOUR_MS).toISOString();
}

export function sumsByCard(beforeFeeCents: number, { cardFeePerMille }: Prices) {
  return { cents: beforeFeeCents + cardFeeCents(beforeFeeCents, cardFeePerMille), beforeFeeCents };
}

/** An id as long as Stripe's. */
export const samplePaymentId = (number: number): string => `pi_3Sample${String(number).padStart(17, '0')}`;

export const sampleRegistrationId = (number: number): string => `reg_${String(number).padStart(24, '0')}`;

/** What the samples of several letters say. */
export function sampleFacts({ facts: { prices, balance } }: Edition) {
  const paidAt = hoursAfter(balance.chargeAt, 0);
  const [half, second] = [sumsByCard(25_000, prices), sumsByCard(50_000, prices)];
  const secondPart = { cents: second.cents - half.cents, beforeFeeCents: half.beforeFeeCents };
  return {
    paidAt,
    /** Some days before the charge. */
    earlier: hoursAfter(paidAt, -391),
    depositPaidAt: hoursAfter(paidAt, -487),
    sums: { cents: prices.balanceCents, beforeFeeCents: prices.balanceBeforeFeeCents },
    /** What is left after a scholarship. */
    part: {
      ...sumsByCard(50_000, prices),
      reduced: { cents: prices.balanceBeforeFeeCents - 50_000, as: 'scholarship' as const },
    },
    /** The second of the three parts of a payment plan, a cent less than the first, for the same tuition. */
    ofPlan: { ...secondPart, part: { number: 3, position: 2, count: 3 } },
    card: { brand: 'visa', last4: '4242' },
  };
}

/** What every letter about a registration holds. */
export function factsOf(record: RegistrationRecord) {
  const { id, edition, registrant, depositPayment, linksEpoch, agreed } = record;
  return {
    registration: id,
    depositPayment: depositPayment?.id,
    edition: edition.facts.id,
    ...registrant,
    linksEpoch: linksEpoch || undefined,
    agreed,
  };
}

/** The deposit that she paid, and how, if no card paid it. */
export function depositedOf({ depositCents, depositDueCents, received }: RegistrationRecord) {
  const way = depositCents === 0 ? ('scholarship' as const) : received.counting.at(0)?.way;
  return { amountCents: depositCents, by: depositDueCents === undefined ? undefined : way };
}

/** What is left of a part of her plan, or without one of all. */
export function sumsOf(record: RegistrationRecord, one: Installment = nextInstallment(record)) {
  const part = placeOfPart(one);
  if (!part) return leftSumsOf(record);
  const { byCardCents: cents, beforeFeeCents } = one.left;
  return { cents, beforeFeeCents, part };
}

export function placeOfPart({ number, part }: Installment) {
  return part && { number, ...part };
}

export function leftSumsOf(record: RegistrationRecord) {
  const { byCardCents: cents, beforeFeeCents } = leftToPay(record);
  const byCard = paidBalances(record).reduce((sum, one) => sum + one.beforeFeeCents, 0);
  const receivedCents = receivedCentsOf(record) + byCard;
  const reduced = reductionOf(record.decisions);
  return { cents, beforeFeeCents, reduced, receivedCents: receivedCents > 0 ? receivedCents : undefined };
}

/** Whether a paid balance is still refunded when she cancels. */
export function refundsOf(record: RegistrationRecord, now: Date) {
  return { isRefundable: now < new Date(balanceTermsOf(record).balance.refundsEndAt) };
}

/** The coming charge, and when she was last notified of it. */
export function chargeOf(record: RegistrationRecord, one: Installment, now: Date) {
  const { card } = record;
  const { number, dueAt, noticed } = one;
  return {
    number,
    ...sumsOf(record, one),
    ...refundsOf(record, now),
    dueAt: dueAt.toISOString(),
    card: card && { brand: card.brand, last4: card.last4 },
    expires: (card && expiryOf(card) < dueAt) || undefined,
    noticedAt: noticed?.at.toISOString(),
  };
}

export function msUntilDue({ dueAt }: Installment, now: Date): number {
  return dueAt.getTime() - now.getTime();
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whether a letter may still tell of a moment: so many days later it is no news any more. */
export function isNews(at: Date, days: number, now: Date): boolean {
  return now.getTime() < at.getTime() + days * DAY_MS;
}
