import {
  balanceTermsOf,
  type Installment,
  leftToPay,
  nextInstallment,
  paidBalances,
  type RegistrationRecord,
  receivedCentsOf,
  reductionOf,
} from '#server/registration/registration.ts';
import { nameOfPart, type PartOfPlan, type Reduction } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import type { FactRow } from './render/letter.ts';
import { beginning, inDollars, type Writing } from './render/parts.ts';

/** What is left to pay, in US cents: by card, and by check, which is without the card fee. */
export interface Sums {
  cents: number;
  beforeFeeCents: number;
  /** What was subtracted: what is not asked of her, and what has come. */
  reduced?: Reduction | undefined;
  receivedCents?: number | undefined;
  part?: PartOfPlan | undefined;
}

export function sumsOf(record: RegistrationRecord, one: Installment = nextInstallment(record)): Sums {
  if (!one.part) return leftSumsOf(record);
  const { byCardCents: cents, beforeFeeCents } = one.left;
  return { cents, beforeFeeCents, part: one.part };
}

export function leftSumsOf(record: RegistrationRecord): Sums {
  const { byCardCents: cents, beforeFeeCents } = leftToPay(record);
  const byCard = paidBalances(record).reduce((sum, one) => sum + one.beforeFeeCents, 0);
  const receivedCents = receivedCentsOf(record) + byCard;
  return { cents, beforeFeeCents, reduced: reductionOf(record.decisions), receivedCents };
}

/** Before the card fee, such as `$700 less your scholarship of $400`. */
export function tuitionLeft({ beforeFeeCents, reduced, receivedCents = 0, part }: Sums): string {
  if (part) return `${owedWords({ part })}, ${formatCents(beforeFeeCents)}`;
  const whole = beforeFeeCents + (reduced?.cents ?? 0) + receivedCents;
  const less = [
    reduced && `less ${LESS[reduced.as]} ${formatCents(reduced.cents)}`,
    receivedCents > 0 && `less ${formatCents(receivedCents)} that has come`,
  ];
  return [formatCents(whole), ...less.filter(Boolean)].join(' ');
}

const LESS = { scholarship: 'your scholarship of', reduction: 'what is taken off,' } as const;

export function owedWords({ part }: Pick<Sums, 'part'>, balance = 'your balance'): string {
  return part ? `${nameOfPart(part)} of your payment plan` : balance;
}

export const owedTitle = (sums: Pick<Sums, 'part'>): string => beginning(owedWords(sums));

export function sumFacts(sums: Sums, { edition }: Writing): FactRow[] {
  const { cents, beforeFeeCents } = sums;
  const tuition = tuitionLeft(sums);
  const { cardFee } = edition.facts.prices;
  const madeUpOf =
    cents > beforeFeeCents
      ? `${tuition}, and the ${cardFee} card fee of ${formatCents(cents - beforeFeeCents)}`
      : tuition !== formatCents(cents) && tuition;
  return [
    { label: 'Amount', value: inDollars(cents), strong: true },
    { label: 'Made up of', value: madeUpOf },
  ];
}

/** Whether a paid balance is still refunded when she cancels. */
export function isRefundable(record: RegistrationRecord, now: Date): boolean {
  return now < new Date(balanceTermsOf(record).balance.refundsEndAt);
}

export function msUntilDue({ dueAt }: Pick<Installment, 'dueAt'>, now: Date): number {
  return dueAt.getTime() - now.getTime();
}

/** How a deposit was paid, if no card paid it. */
export function depositWay({ depositCents, depositDueCents, received }: RegistrationRecord) {
  if (depositDueCents === undefined) return undefined;
  return depositCents === 0 ? ('scholarship' as const) : received.counting.at(0)?.way;
}
