import * as v from 'valibot';
import type { AcceptedMail, MailServer } from '#scripts/product/mail-server.ts';
import type { Event, Intercept, Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Span } from '#scripts/world/editions.ts';

/** What happened to a payment, in business time in milliseconds. */
interface PaymentEvent {
  type: string;
  paymentIntentId: string;
  customer: string;
  /** The registration whose deposit or balance it is. */
  registration: string;
  isDeposit: boolean;
  at: number;
  withoutHer: boolean;
  chargeId: string;
}

const paymentSchema = v.object({
  id: v.string(),
  customer: v.nullable(v.string()),
  latest_charge: v.nullable(v.string()),
  metadata: v.record(v.string(), v.string()),
});

/** A mail that was accepted, with the business time then and a while earlier. */
export interface DatedMail extends AcceptedMail {
  at: number;
  /** A change later than this may have happened while the letter was in flight. */
  underWaySince: number;
}

/** An announcement, or a letter, of the office to all registrants of an edition. */
export interface Announced extends Span {
  what: 'schedule-changed' | 'recordings' | 'message';
  edition: string;
}

/** A letter that came back, in business time. */
export interface Returned {
  address: string;
  messageId: string;
  takenAt: number;
  /** When this was first reported to the site, and when the site accepted the report: Infinity until then. */
  askedAt: number;
  knownAt: number;
}

/** The office said that letters arrive at an address again. */
export interface Mended extends Span {
  address: string;
}

/** A letter may be composed this long before the mail server has all of it, also a slow one and on a busy machine. */
const IN_FLIGHT_MS = 15_000;

/** What came out at Stripe and at the mail server, with the business time; and what the office announced. */
export class Notes {
  readonly payments: PaymentEvent[] = [];
  readonly mails: DatedMail[] = [];
  readonly announced: Announced[] = [];
  readonly #moves: { realMs: number; offsetMs: number }[] = [];
  readonly #withoutHer = new Set<string>();
  #clock: Pick<Sandbox['clock'], 'now'> = { now: Date.now };

  /** Notes the mails that a server accepts from now on, by a clock. */
  follow({ events }: MailServer, clock: Sandbox['clock']): void {
    this.#clock = clock;
    this.noteMove();
    events.on('mail', (mail: AcceptedMail) => {
      const underWaySince = this.#businessTime(mail.atMs - IN_FLIGHT_MS);
      this.mails.push({ ...mail, at: clock.now(), underWaySince });
    });
  }

  /** To be called after each move of the clock. */
  noteMove(): void {
    const realMs = Date.now();
    this.#moves.push({ realMs, offsetMs: this.#clock.now() - realMs });
  }

  /** To be called for each request to Stripe, before it is carried out or fails. */
  request({ method, path, parameters }: Parameters<Intercept>[0]): void {
    const [, id] = /^\/v1\/payment_intents\/(pi_\w+)\/confirm$/.exec(path) ?? [];
    if (method !== 'POST' || !id) return;
    if (Reflect.get(Object(parameters), 'off_session') === 'true') this.#withoutHer.add(id);
    else this.#withoutHer.delete(id);
  }

  /** To be called for each event of Stripe. */
  event({ type, data: { object } }: Event): void {
    if (!type.startsWith('payment_intent.')) return;
    const { id, customer, latest_charge: chargeId, metadata } = v.parse(paymentSchema, object);
    this.payments.push({
      type,
      paymentIntentId: id,
      customer: customer ?? '',
      registration: metadata.registration ?? '',
      isDeposit: metadata.kind === 'deposit',
      at: this.#clock.now(),
      withoutHer: this.#withoutHer.has(id),
      chargeId: chargeId ?? '',
    });
  }

  successOf(id: string): PaymentEvent | undefined {
    return this.payments.find((one) => one.paymentIntentId === id && one.type === 'payment_intent.succeeded');
  }

  /** The success of a registration's deposit by card. */
  depositOf(registration: string): PaymentEvent | undefined {
    return this.payments.find(
      (one) => one.isDeposit && one.registration === registration && one.type === 'payment_intent.succeeded',
    );
  }

  /** The first payment that was made for a registration. */
  firstOf(registration: string): PaymentEvent {
    const payment = this.payments.find((one) => one.registration === registration);
    if (!payment) throw new Error(`${registration} has no payment at Stripe`);
    return payment;
  }

  #businessTime(realMs: number): number {
    const move = this.#moves.findLast((one) => one.realMs <= realMs) ?? this.#moves[0];
    return realMs + (move?.offsetMs ?? 0);
  }
}
