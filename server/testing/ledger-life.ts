import type { ActRow, PayoutRow } from '#server/database/database.ts';
import {
  beginLedger,
  type Change,
  changeLedger,
  chargeOf,
  claim,
  contextOf,
  type Decision,
  type DecisionKind,
  enterCard,
  enterMoved,
  failPayout,
  freeSurplus,
  inForce,
  type Ledger,
  type LedgerContext,
  ledgerAfterAct,
  leftOf,
  orderWhatGoesBack,
  reverse,
  sent,
  toLeave,
  urgent,
  WITHDRAWAL,
} from '#server/registration/registration.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';

const HOUR_MS = 60 * 60 * 1000;
const REGISTRATION = 'reg_1';

/** What a decision says beside its moment and its user. */
type Said<Kind extends DecisionKind> = Omit<Decision<Kind>, 'at' | 'by'>;

/** The money of one registration, from its first step on: each step is an act of somebody, or something that Stripe reports. */
export class LedgerLife {
  now: Date;
  ledger: Ledger;
  /** The numbers that have a try without a result. */
  trying: number[] = [];
  isDisputed = false;
  readonly acts: ActRow[] = [];
  readonly begunAt: Date;
  #steps = 0;

  constructor(facts = edition.facts, begunAt = new Date('2025-11-01T18:00:00Z')) {
    this.now = begunAt;
    this.begunAt = begunAt;
    this.ledger = beginLedger({ registration: REGISTRATION, begunAt: this.begunAt }, facts);
  }

  on(now: Date): this {
    this.now = now;
    return this;
  }

  context(): LedgerContext {
    return contextOf(this.#record(this.acts));
  }

  #record(acts: readonly ActRow[]) {
    const { begunAt, trying } = this;
    const terms = edition.facts;
    return { registration: REGISTRATION, begunAt, acts, terms, termsBefore: terms, trying };
  }

  /** @throws {LedgerRefusal} when it is not possible now: then nothing has changed */
  act(kind: string, facts: object = {}, undoes: string | null = null): this {
    this.#steps += 1;
    const id = `${kind}-${this.#steps}`;
    const row = { id, subject: REGISTRATION, number: this.#steps, kind, byWhom: 'Anna', undoes };
    const act: ActRow = { ...row, happenedAt: this.now, facts: JSON.stringify(facts) };
    const acts = [...this.acts, act];
    this.ledger = ledgerAfterAct(this.ledger, act, this.#record(acts));
    this.acts.push(act);
    return this;
  }

  decide<Kind extends DecisionKind>(kind: Kind, said: Said<Kind>): this {
    return this.act(kind, said);
  }

  withdraw(kind: string): this {
    const undoes = this.acts.findLast((act) => act.kind === kind)?.id ?? null;
    return this.act(WITHDRAWAL, {}, undoes);
  }

  consent = (): this => this.act('consent', { version: '1', digest: '' });

  /** The deposit is paid by card. */
  begin(): this {
    return this.consent().card(0, 69_500, 2_600, 'pi_0');
  }

  /** What is left after the deposit is paid in parts on these days. */
  plan(...days: readonly Date[]): this {
    const total = inForce(this.ledger).reduce(
      (sum, { number }) => sum + (number > 0 ? leftOf(this.ledger, number) : 0),
      0,
    );
    const each = Math.floor(total / days.length);
    const used = Math.max(...this.ledger.installments.map(({ number }) => number));
    const parts = days.map((dueAt, index) => ({
      number: used + index + 1,
      cents: index === days.length - 1 ? total - each * index : each,
      dueAt,
    }));
    return this.decide('plan', { parts });
  }

  agreeToPlan = (): this => this.decide('planAgreed', {});

  card(number: number, cents: number, feeCents: number, payment: string, movedAt = this.now): this {
    return this.#moved(`ch_${payment}`, movedAt, (ledger, change) =>
      enterCard(ledger, change, { number, cents, feeCents, payment }),
    );
  }

  check(cents: number, on = this.now): this {
    return this.act('received', { way: 'check', cents, on });
  }

  /** The last check, or the one of an act, no longer counts. */
  bounce(check = this.acts.findLast(({ kind }) => kind === 'received')?.id ?? ''): this {
    return this.act(WITHDRAWAL, { why: 'bounced' }, check);
  }

  /** Somebody refunds at Stripe's dashboard, with card fees. */
  refundByHand(payment: string, total: number): this {
    return this.#take('refund', payment, -total);
  }

  /** Her bank takes so much back, or gives it back. */
  dispute(payment: string, signedTotal: number): this {
    return this.#take('dispute', payment, signedTotal);
  }

  #take(kind: 'refund' | 'dispute', payment: string, signedTotal: number): this {
    const charge = chargeOf(this.ledger, payment);
    return this.#moved(`${kind}-${this.#steps + 1}`, this.now, (ledger, change) =>
      charge ? enterMoved(ledger, change, kind, charge, signedTotal) : ledger,
    );
  }

  #moved(id: string, at: Date, work: (ledger: Ledger, change: Change) => Ledger): this {
    this.#steps += 1;
    this.ledger = changeLedger(this.ledger, urgent(this.context(), id, at), work);
    return this;
  }

  /** An entry was a mistake, or a refund failed. */
  reverse(entry: string): this {
    return this.#moved(`${entry}-back`, this.now, (ledger, change) => reverse(ledger, change, entry));
  }

  cancel(writtenAt = this.now, isWhole = false): this {
    return this.decide('cancel', { writtenAt, ...(isWhole && { whole: true as const }) });
  }

  /** The worker orders what goes back: of the cancellation, and later of what came since. */
  orderBack(): this {
    if (!this.acts.some(({ kind }) => kind === 'cancelled')) {
      const due = (this.context().cancelled?.at.getTime() ?? 0) + 25 * HOUR_MS;
      this.now = new Date(Math.max(this.now.getTime(), due));
      return this.act('cancelled');
    }
    const last = this.ledger.entries.at(-1)?.id ?? '';
    if (freeSurplus(this.ledger) <= 0) return this;
    return this.#moved(last, this.now, orderWhatGoesBack);
  }

  claim(payout: string): this {
    return this.#moved(payout, this.now, (ledger) => claim(ledger, payout));
  }

  sent(payout: string): this {
    return this.#moved(`sent ${payout}`, this.now, (ledger, change) => sent(ledger, change, payout));
  }

  /** Stripe refuses a payout, or it comes back. */
  fail(payout: string): this {
    return this.#moved(`${payout}-failed`, this.now, (ledger, change) => failPayout(ledger, change, payout));
  }

  payAll(): this {
    for (const { id } of toLeave(this.ledger)) this.claim(id).sent(id);
    return this;
  }

  payouts(...states: readonly PayoutRow['state'][]): readonly PayoutRow[] {
    const wanted = states.length > 0 ? states : ['ordered', 'claimed', 'sent'];
    return this.ledger.payouts.filter(({ state }) => wanted.includes(state));
  }
}
