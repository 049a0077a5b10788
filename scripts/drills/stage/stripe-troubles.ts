import type { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, Intercept } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Random } from '#scripts/world/random.ts';

export type StripeStep = 'register' | (typeof CHARGE_STEPS | typeof REFUND_STEPS)[number];
export const CHARGE_STEPS = ['create', 'confirm', 'read'] as const;
export const REFUND_STEPS = ['refunds', 'refund'] as const;

/** What happens to webhooks. */
export type EventTrouble = 'lost' | 'doubled' | 'reversed';

const LATE_MS = 800;
const GATHER_MS = 400;

/** Causes faults at Stripe, and emits the steps that were asked for and are not answered yet. */
export class StripeTroubles {
  failing = 0;
  events: EventTrouble | undefined;
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
  faultOf(request: Parameters<Intercept>[0]): Fault | undefined {
    if (request.keyKind === 'publishable') return undefined;
    const step = this.#stepOf(request);
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

  /** A balance is the payment for which no card is to be kept. */
  #stepOf({ method, path, parameters }: Parameters<Intercept>[0]): StripeStep | undefined {
    const [, what, id, isConfirmed] =
      /^\/v1\/(payment_intents|refunds)(?:\/(pi_\w+)(\/confirm)?)?$/.exec(path) ?? [];
    const given = Object(parameters);
    if (what === 'refunds') return method === 'POST' ? 'refund' : 'refunds';
    if (what === undefined) return undefined;
    if (method === 'GET') return id === undefined ? undefined : 'read';
    if (id === undefined) return 'setup_future_usage' in given ? 'register' : 'create';
    return isConfirmed && 'off_session' in given ? 'confirm' : undefined;
  }
}
