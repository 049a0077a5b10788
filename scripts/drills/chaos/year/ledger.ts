import type { AcceptedMail, SmtpSink } from '#scripts/drills/chaos/smtp-sink.ts';
import type { Intercept, Sandbox, SentEvent } from '#scripts/stripe-sandbox/sandbox.ts';

/** What happened to a payment, in business time in milliseconds. */
export interface PaymentEvent {
  type: string;
  paymentIntentId: string;
  at: number;
  /** Of an attempt to pay: whether it was made without her. */
  withoutHer: boolean;
  /** Its last charge. */
  chargeId: string;
}

/** A mail that the sink accepted, with the business time then and a moment earlier. */
export interface DatedMail extends AcceptedMail {
  at: number;
  /** A change later than this may have happened while the letter was in flight. */
  underWaySince: number;
}

/** An announcement of the office to all: it took effect between `askedAt` and `doneAt`. */
export interface Announced {
  what: 'schedule-changed' | 'recordings';
  edition: string;
  askedAt: number;
  doneAt: number;
}

/**
 * A letter's facts may be read from Stripe this long before the mail server has the whole letter, also a slow
 * one and on a busy machine.
 */
const IN_FLIGHT_MS = 15_000;

/**
 * What happened at Stripe, at the mail server and in the office, each with the business time. It is recorded
 * independently of the product, because the judge relies on nothing else.
 */
export class Ledger {
  readonly payments: PaymentEvent[] = [];
  readonly mails: DatedMail[] = [];
  readonly announced: Announced[] = [];
  /** The tries to charge a card without her that reached Stripe, by payment. */
  readonly tries = new Map<string, number>();
  readonly #moves: { realMs: number; offsetMs: number }[] = [];
  readonly #withoutHer = new Set<string>();
  readonly #firstWrites = new Map<string, number>();
  #clock: Sandbox['clock'] | undefined;

  /** Records the mails that the sink accepts from now on. */
  follow(sink: SmtpSink, clock: Sandbox['clock']): void {
    this.#clock = clock;
    this.noteMove();
    sink.events.on('mail', () => {
      const mail = sink.mails.at(-1);
      if (!mail) return;
      this.mails.push({
        ...mail,
        at: clock.now(),
        underWaySince: this.#businessTime(mail.atMs - IN_FLIGHT_MS),
      });
    });
  }

  /** To be called after each move of the clock. */
  noteMove(): void {
    const realMs = Date.now();
    this.#moves.push({ realMs, offsetMs: (this.#clock?.now() ?? realMs) - realMs });
  }

  /** To be called for each request to Stripe, before it is carried out or fails. */
  request({ method, path, parameters }: Parameters<Intercept>[0]): void {
    const [, id, isConfirmed] = /^\/v1\/payment_intents\/(pi_\w+)(\/confirm)?$/.exec(path) ?? [];
    if (method !== 'POST' || !id) return;
    for (const mark of Object.keys(Object(Reflect.get(Object(parameters), 'metadata')))) {
      const name = `${id} ${mark}`;
      if (!this.#firstWrites.has(name)) this.#firstWrites.set(name, this.#clock?.now() ?? 0);
    }
    if (!isConfirmed) return;
    const withoutHer = Reflect.get(Object(parameters), 'off_session') === 'true';
    if (withoutHer) this.#withoutHer.add(id);
    else this.#withoutHer.delete(id);
  }

  /** To be called for each event of Stripe. */
  event({ type, data: { object } }: SentEvent): void {
    const id = String(Reflect.get(object, 'id'));
    if (!type.startsWith('payment_intent.')) return;
    const withoutHer = this.#withoutHer.has(id);
    const chargeId = String(Reflect.get(object, 'latest_charge'));
    this.payments.push({ type, paymentIntentId: id, at: this.#clock?.now() ?? 0, withoutHer, chargeId });
    const isTry = type === 'payment_intent.succeeded' || type === 'payment_intent.payment_failed';
    if (isTry && withoutHer) this.tries.set(id, (this.tries.get(id) ?? 0) + 1);
  }

  /** When a mark was first to be written to a payment; a mark that is written again contains a later time. */
  firstWrite(paymentIntentId: string, mark: string): number {
    return this.#firstWrites.get(`${paymentIntentId} ${mark}`) ?? Number.POSITIVE_INFINITY;
  }

  /** The charge of a paid payment; '' when it is not paid. */
  chargeOf(paymentIntentId: string): string {
    return (
      this.payments.find(
        (one) => one.paymentIntentId === paymentIntentId && one.type === 'payment_intent.succeeded',
      )?.chargeId ?? ''
    );
  }

  #businessTime(realMs: number): number {
    const move = this.#moves.findLast((one) => one.realMs <= realMs) ?? this.#moves[0];
    return realMs + (move?.offsetMs ?? 0);
  }
}

/** The kind of a letter about a registration, from its Message-ID. */
export function kindOf(messageId: string): string {
  return /^<([a-z-]+)-pi_/.exec(messageId)?.[1] ?? messageId;
}
