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

interface Span {
  from: Date;
  until: Date;
}

/** What the worker will do in a span if nothing else happens. What is due already is done in the span that begins now. */
export class Forecast {
  readonly charges: Move[] = [];
  readonly refunds: Move[] = [];
  readonly messages = new Map<string, number>();
  readonly #span: Span;
  readonly #now: Date;

  constructor(span: Span, now: Date) {
    this.#span = span;
    this.#now = now;
  }

  add(record: RegistrationRecord, announced: Announcements): void {
    const charge = chargeOf(record, this.#now);
    const refund = refundOf(record, this.#now);
    if (charge && this.#isWithin(charge.at)) this.charges.push(charge);
    if (refund && this.#isWithin(refund.at)) this.refunds.push(refund);
    for (const name of this.#messagesTo(record, announced))
      this.messages.set(name, (this.messages.get(name) ?? 0) + 1);
  }

  #isWithin(at: Date): boolean {
    const { from, until } = this.#span;
    return at < until && (at >= from || from <= this.#now);
  }

  /** Some messages are due for an hour only, so it is looked at each moment of the edition, too. */
  #messagesTo(record: RegistrationRecord, announced: Announcements): string[] {
    const { from, until } = this.#span;
    const known = new Set<string>();
    if (from > this.#now) for (const { id } of lettersDue(record, from, announced)) known.add(id);
    const moments = momentsOf(record.edition).map(({ at }) => new Date(at));
    const looks = [from, ...moments, new Date(until.getTime() - 1)];
    return looks
      .filter((at) => at >= from && at < until)
      .flatMap((at) => lettersDue(record, at, announced))
      .flatMap(({ id, kind }) => {
        if (known.has(id)) return [];
        known.add(id);
        return traitOf(kind, 'name') ?? [];
      });
  }
}

function chargeOf(record: RegistrationRecord, now: Date): Move | undefined {
  if (!owes(record) || chargeObstacle(record, now) || isCardSpent(record)) return undefined;
  return { record, cents: nextInstallment(record).left.byCardCents, at: nextChargeAt(record) };
}

function refundOf(record: RegistrationRecord, now: Date): Move | undefined {
  const stop = refundStop(record, now);
  if (stop === 'nothing-due' || stop === 'disputed') return undefined;
  const cancelling = stateOf(record, now) === 'cancelling' && record.decisions.cancel;
  const orders = toLeave(record.ledger).filter(({ way }) => way === 'card');
  const cents = cancelling
    ? refundAt(record, cancelling.writtenAt).byCardCents
    : orders.reduce((sum, order) => sum + order.cents + order.feeCents, 0);
  return cents > 0 ? { record, cents, at: (cancelling && workedOffFrom(record)) || now } : undefined;
}
