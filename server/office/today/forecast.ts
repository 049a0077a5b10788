import type { Announcements } from '#server/letters/announcements.ts';
import { lettersDue, traitOf } from '#server/letters/table.ts';
import {
  chargeObstacle,
  isCardSpent,
  nextChargeAt,
  nextInstallment,
  owes,
  type RegistrationRecord,
  refundAt,
  refundStop,
  stateOf,
  toLeave,
  workedOffFrom,
} from '#server/registration/registration.ts';
import { momentsOf } from '#shared/content/moments.ts';

/** Money that moves by itself, unless something changes before. */
export interface Move {
  record: RegistrationRecord;
  cents: number;
  at: Date;
}

export interface Forecast {
  charges: Move[];
  refunds: Move[];
  messages: Map<string, number>;
}

/** What is due already is done in the span that begins now; its end is not included. */
interface Span {
  now: Date;
  from: Date;
  until: Date;
}

/** Adds what the worker will do about a registration in a span if nothing else happens. */
export function foretell(
  { charges, refunds, messages }: Forecast,
  span: Span,
  record: RegistrationRecord,
  announced: Announcements,
): void {
  const { now, from, until } = span;
  const isWithin = ({ at }: Move): boolean => at < until && (at >= from || from <= now);
  charges.push(...chargeOf(record, now).filter(isWithin));
  refunds.push(...refundOf(record, now).filter(isWithin));
  for (const name of messagesTo(record, announced, span)) messages.set(name, (messages.get(name) ?? 0) + 1);
}

/** Some messages are due for an hour only, so it is looked at each moment of the edition, too. */
function messagesTo(
  record: RegistrationRecord,
  announced: Announcements,
  { now, from, until }: Span,
): string[] {
  const before = from > now ? lettersDue(record, from, announced) : [];
  const moments = momentsOf(record.edition).map(({ at }) => new Date(at));
  const due = [from, ...moments, new Date(until.getTime() - 1)]
    .filter((at) => at >= from && at < until)
    .flatMap((at) => lettersDue(record, at, announced));
  const kinds = new Map(due.map(({ id, kind }) => [id, kind]));
  for (const { id } of before) kinds.delete(id);
  return [...kinds.values()].flatMap((kind) => traitOf(kind, 'name') ?? []);
}

function chargeOf(record: RegistrationRecord, now: Date): Move[] {
  if (!owes(record) || chargeObstacle(record, now) || isCardSpent(record)) return [];
  return [{ record, cents: nextInstallment(record).left.byCardCents, at: nextChargeAt(record) }];
}

function refundOf(record: RegistrationRecord, now: Date): Move[] {
  const stop = refundStop(record, now);
  if (stop === 'nothing-due' || stop === 'disputed') return [];
  const cancelling = stateOf(record, now) === 'cancelling' && record.decisions.cancel;
  const orders = toLeave(record.ledger).filter(({ way }) => way === 'card');
  const cents = cancelling
    ? refundAt(record, cancelling.writtenAt).byCardCents
    : orders.reduce((sum, order) => sum + order.cents + order.feeCents, 0);
  return cents > 0 ? [{ record, cents, at: (cancelling && workedOffFrom(record)) || now }] : [];
}
