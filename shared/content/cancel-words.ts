import { addDays, dateAt, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { tellZonedTime } from '#shared/zoned-time.ts';
import type { Edition } from './edition.ts';

export const cancelTexts = {
  banks: 'Banks usually show it within 5 to 10 business days.',
  nothingCharged: 'Nothing more is charged.',
} as const;

const NO_REFUNDS = 'there are no refunds, transfers or credits. The deposit is not refunded in any case.';

interface Sums {
  cents: number;
  beforeFeeCents: number;
  part?: object | undefined;
}

/** The last day on which cancelling still gives a refund: an ISO date in the retreat's time zone. */
export function lastRefundDay({ facts, timetable }: Pick<Edition, 'facts' | 'timetable'>): string {
  return addDays(dateAt(new Date(facts.balance.refundsEndAt), timetable.timeZone.id), -1);
}

/**
 * What cancelling means, by the edition's own rules (R8). Before the balance is paid, nothing is charged.
 * Once it is paid, it is refunded until the end of the last day for refunds, its card fee only where the
 * edition says so.
 * @param dueAt when her card is charged; absent where it is not charged automatically
 * @param isRefundable whether the last day for refunds is not over yet
 */
export function cancelWords(
  { cents, beforeFeeCents, part }: Sums,
  { facts, timetable }: Edition,
  isRefundable: boolean,
  dueAt?: Date,
): string {
  if (part) return cancelPlanWords({ facts, timetable }, isRefundable);
  const { id: zone, name } = timetable.timeZone;
  const due = dueAt && tellZonedTime(dueAt, zone, '12');
  const until = due
    ? `before ${due.clock} ${name} on ${formatMonthAndDay(due.date)}`
    : 'before the balance is paid';
  if (!isRefundable)
    return `If you cancel ${until}, nothing is charged. Once the balance is paid, ${NO_REFUNDS}`;
  const lastDay = lastRefundDay({ facts, timetable });
  const day = lastDay === due?.date ? 'that day' : formatMonthAndDay(lastDay);
  const back =
    facts.balance.feeRefundable || cents === beforeFeeCents
      ? `brings ${formatCents(cents)} back`
      : `brings ${formatCents(beforeFeeCents)} back; the card fee of ${formatCents(cents - beforeFeeCents)} is not refunded`;
  return `If you cancel ${until}, nothing is charged. Once the balance is paid, cancelling by the end of ${day} ${back}. After that ${NO_REFUNDS}`;
}

export function cancelPlanWords(
  edition: Pick<Edition, 'facts' | 'timetable'>,
  isRefundable: boolean,
): string {
  const ends = 'Once you cancel, no further part is charged.';
  if (!isRefundable) return `${ends} For the parts that are paid, ${NO_REFUNDS}`;
  const { balance, prices } = edition.facts;
  const fee = onWays(prices, balance.feeRefundable ? ' with its card fee,' : ' without its card fee,');
  const day = formatMonthAndDay(lastRefundDay(edition));
  return `${ends} What is paid of the balance comes back,${fee} if you cancel by the end of ${day}. After that ${NO_REFUNDS}`;
}

/**
 * What she loses if she undoes her cancellation and cancels again later; undefined if nothing.
 * @param cents the refund for the present cancellation
 */
export function describeCancellingAgain(
  cents: number,
  undoUntil: Date,
  edition: Edition,
): string | undefined {
  const refundsEndAt = new Date(edition.facts.balance.refundsEndAt);
  if (cents === 0 || undoUntil <= refundsEndAt) return undefined;
  const day = formatMonthAndDay(lastRefundDay(edition));
  return `If you undo it, and cancel again after ${day}, nothing comes back.`;
}
