import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { type Environment, noLimits } from '#scripts/product/environment.ts';
import { type AcceptedMail, startMailServer } from '#scripts/product/mail-server.ts';
import { type ProductOptions, prepareProduct } from '#scripts/product/product.ts';
import {
  connect,
  type Event,
  type Fault,
  type Intercept,
  type Sandbox,
  startSandbox,
} from '#scripts/stripe-sandbox/sandbox.ts';
import type { Span } from '#scripts/world/editions.ts';
import type { PlannedBounce } from '#scripts/world/people.ts';
import type { Random } from '#scripts/world/random.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';

type Asked = Parameters<Intercept>[0];

const REDELIVERY_DELAYS_MS = [500, 1_000, 2_000];

/** The running product, what it works with, and what the drill notes of what comes out of it. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

export interface StageOptions extends Pick<ProductOptions, 'apps' | 'workers' | 'proxy' | 'nodeArgs'> {
  folder: string;
  env?: Environment;
  /** Draws what fails at Stripe, once something is to fail. */
  random: Random;
  /** By default this version's. */
  build?: string;
  /** The business time at the start, which can be moved then; by default it is the machine's. */
  startsAt?: number;
  /** How long Stripe takes to make a payment, and to list payments. */
  stripeMs?: number;
}

/** Builds the product if need be and starts it, with a Redis, a payment sandbox and a mail server of its own. */
export async function openStage(options: StageOptions) {
  const { folder, random, build = 'dist', startsAt, stripeMs = 0, env, ...fleet } = options;
  await buildWhenStale('production', 'dist');
  const moments = new EventEmitter();
  /** How often which fault happened. */
  const met = new Map<string, number>();
  const count = (what: string) => void met.set(what, (met.get(what) ?? 0) + 1);
  const troubles = new StripeTroubles(random, moments, count);
  const webhooks: string[] = [];
  const sandbox = await startSandbox({
    redeliveryDelaysMs: REDELIVERY_DELAYS_MS,
    ...(startsAt !== undefined && { startsAt: new Date(startsAt) }),
    nextMoment: (now) => nextMoment([edition], now),
    log(line) {
      if (line.startsWith('webhook')) webhooks.push(line);
      else moments.emit('answer');
    },
    deliver(event) {
      notes.event(event);
      return troubles.deliver();
    },
    async intercept(request) {
      notes.request(request);
      moments.emit('request');
      const fault = troubles.faultOf(request);
      if (stripeMs > 0 && request.path === '/v1/payment_intents') await pause(stripeMs);
      return fault;
    },
  });
  const { clock } = sandbox;
  const notes = new Notes(clock);
  const copies = join(folder, 'copies');
  const mailServer = await startMailServer();
  mailServer.events.on('mail', (mail: AcceptedMail) => {
    notes.mail(mail);
    moments.emit('mail');
  });
  const product = await prepareProduct({
    build,
    folder,
    sandbox,
    mailServer,
    ...fleet,
    env: {
      ...noLimits,
      LOG_LEVEL: 'debug',
      MAIL_PER_SECOND: '200',
      MAIL_CONCURRENCY: '10',
      BACKUP_DIR: copies,
      // A movable business date is refused in production.
      ...(startsAt !== undefined && { NODE_ENV: 'development', CLOCK: 'sandbox', REGISTRATION: 'auto' }),
      ...env,
    },
  });
  await product.start();
  return {
    ...product,
    sandbox,
    stripe: connect(sandbox),
    mailServer,
    build,
    notes,
    troubles,
    met,
    count,
    /** Where the worker keeps copies of the register. */
    copies,
    /**
     * Emits what is under way and not answered yet: `mail`, `consent` when a visitor sends hers, each `request` to Stripe, and
     * the steps of `StripeTroubles`; and `answer` once Stripe has answered.
     */
    moments,
    /** The sandbox's log line for each attempt to deliver a webhook. */
    webhooks,
    /** Moves the business clock, unless it is later already. */
    moveTo(ms: number): void {
      if (ms <= clock.now()) return;
      clock.moveTo(new Date(ms));
      notes.move();
    },
  };
}

/** Steps of registering, charging and refunding, by what Stripe is asked for. */
export type StripeStep = 'register' | (typeof CHARGE_STEPS | typeof REFUND_STEPS)[number];
export const CHARGE_STEPS = ['list', 'create', 'confirm'] as const;
export const REFUND_STEPS = ['refunds', 'refund'] as const;

const LATE_MS = 800;
const GATHER_MS = 400;

/** Causes faults at Stripe, and emits the steps that were asked for and are not answered yet. */
class StripeTroubles {
  /** The share of the requests that fail. */
  failing = 0;
  /** What happens to webhooks. */
  events: 'lost' | 'doubled' | 'reversed' | undefined;
  readonly #random: Random;
  readonly #steps: EventEmitter;
  readonly #count: (what: string) => void;
  /** Events that wait to be sent, the last first. */
  #gathered: ((copies: number) => void)[] = [];

  constructor(random: Random, steps: EventEmitter, count: (what: string) => void) {
    this.#random = random;
    this.#steps = steps;
    this.#count = count;
  }

  /** For the sandbox: what goes wrong with a request. */
  faultOf(request: Asked): Fault | undefined {
    if (request.keyKind === 'publishable') return undefined;
    const step = stepOf(request);
    if (step) this.#steps.emit(step);
    if (this.#random() >= this.failing) return undefined;
    const fault = this.#drawFault(request.method === 'POST');
    const how = 'carryOut' in fault ? `, ${fault.carryOut ? '' : 'not '}carried out` : '';
    this.#count(`${fault.kind}${how}`);
    return fault;
  }

  /** For the sandbox: how often an event is sent, and when. */
  deliver(): Promise<number> | number {
    const trouble = this.events;
    if (!trouble) return 1;
    this.#count(`events ${trouble}`);
    if (trouble === 'lost') return 0;
    if (trouble === 'doubled') return 2;
    if (this.#gathered.length === 0) setTimeout(() => this.#sendGathered(), GATHER_MS);
    return new Promise((resolve) => this.#gathered.unshift(resolve));
  }

  #sendGathered(): void {
    const gathered = this.#gathered;
    this.#gathered = [];
    for (const [place, send] of gathered.entries()) setTimeout(() => send(1), place);
  }

  #drawFault(isPost: boolean): Fault {
    const carryOut = this.#random() < 0.5;
    const draw = this.#random();
    if (draw < 0.3) return { kind: 'reset', carryOut };
    if (draw < 0.6) return { kind: 'answer-500', carryOut: isPost && carryOut };
    if (draw < 0.8) return { kind: 'rate-limit' };
    return { kind: 'late-answer', until: pause(LATE_MS) };
  }
}

/** A balance is the payment for which no card is to be kept. */
function stepOf({ method, path, parameters }: Asked): StripeStep | undefined {
  const [, what, id, isConfirmed] =
    /^\/v1\/(payment_intents|refunds)(?:\/(pi_\w+)(\/confirm)?)?$/.exec(path) ?? [];
  const given = Object(parameters);
  if (what === 'refunds') return method === 'POST' ? 'refund' : 'refunds';
  if (what === undefined) return undefined;
  if (method === 'GET') return id === undefined && 'customer' in given ? 'list' : undefined;
  if (id === undefined) return 'setup_future_usage' in given ? 'register' : 'create';
  return isConfirmed && 'off_session' in given ? 'confirm' : undefined;
}

/** What happened to a payment, in business time in milliseconds. */
interface PaymentEvent {
  type: string;
  paymentIntentId: string;
  at: number;
  withoutHer: boolean;
  chargeId: string;
}

/** A mail that was accepted, with the business time then and a while earlier. */
export interface DatedMail extends AcceptedMail {
  at: number;
  /** A change later than this may have happened while the letter was in flight. */
  underWaySince: number;
}

/** A letter that came back, in business time. */
export interface Returned {
  address: string;
  messageId: string;
  type: PlannedBounce['type'];
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

/** What came out at Stripe and at the mail server, with the business time; and when the office announced a schedule. */
export class Notes {
  readonly payments: PaymentEvent[] = [];
  readonly mails: DatedMail[] = [];
  readonly announced: (Span & { edition: string })[] = [];
  readonly #moves: { realMs: number; offsetMs: number }[] = [];
  readonly #withoutHer = new Set<string>();
  readonly #clock: Sandbox['clock'];

  constructor(clock: Sandbox['clock']) {
    this.#clock = clock;
    this.move();
  }

  /** To be called after each move of the clock. */
  move(): void {
    const realMs = Date.now();
    this.#moves.push({ realMs, offsetMs: this.#clock.now() - realMs });
  }

  /** To be called for each mail that the mail server has accepted. */
  mail(mail: AcceptedMail): void {
    const realMs = mail.atMs - IN_FLIGHT_MS;
    const move = this.#moves.findLast((one) => one.realMs <= realMs) ?? this.#moves[0];
    this.mails.push({ ...mail, at: this.#clock.now(), underWaySince: realMs + (move?.offsetMs ?? 0) });
  }

  /** To be called for each request to Stripe, before it is carried out or fails. */
  request({ method, path, parameters }: Asked): void {
    const [, id] = /^\/v1\/payment_intents\/(pi_\w+)\/confirm$/.exec(path) ?? [];
    if (method !== 'POST' || !id) return;
    if (Reflect.get(Object(parameters), 'off_session') === 'true') this.#withoutHer.add(id);
    else this.#withoutHer.delete(id);
  }

  /** To be called for each event of Stripe. */
  event({ type, data: { object } }: Event): void {
    const id = String(Reflect.get(object, 'id'));
    if (!type.startsWith('payment_intent.')) return;
    const chargeId = String(Reflect.get(object, 'latest_charge'));
    const withoutHer = this.#withoutHer.has(id);
    this.payments.push({ type, paymentIntentId: id, at: this.#clock.now(), withoutHer, chargeId });
  }

  successOf(id: string): PaymentEvent | undefined {
    return this.payments.find((one) => one.paymentIntentId === id && one.type === 'payment_intent.succeeded');
  }
}
