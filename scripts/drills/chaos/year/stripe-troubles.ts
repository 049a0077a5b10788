import { EventEmitter } from 'node:events';
import type { Random } from '#scripts/drills/chaos/plan-faults.ts';
import type { Fault, Intercept, SentEvent } from '#scripts/stripe-sandbox/sandbox.ts';

/** Steps of charging a balance, and of refunding, by the requests that the worker makes for them. */
export const CHARGE_STEPS = ['list', 'create', 'try', 'confirm', 'decline'] as const;
export const REFUND_STEPS = ['refunds', 'refund', 'cancelled'] as const;
export type MoneyStep = (typeof CHARGE_STEPS | typeof REFUND_STEPS)[number];

/** What happens to webhooks. */
export type EventTrouble = 'lost' | 'doubled' | 'reversed';

const LATE_MS = 800;
const GATHER_MS = 400;

/** Causes faults at Stripe; none until `failRequests` or `troubleEvents` is called. */
export class StripeTroubles {
  /** Emits the name of a step when the worker has requested it and is not answered yet. */
  readonly steps = new EventEmitter();
  /** How often each fault happened. */
  readonly met = new Map<string, number>();
  readonly #random: Random;
  #share = 0;
  #events: EventTrouble | undefined;
  /** Events that wait to be sent, the last first. */
  #gathered: ((copies: number) => void)[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** From now on this percentage of the requests of app and worker fails; 0 ends it. */
  failRequests(percent: number): void {
    this.#share = percent / 100;
  }

  troubleEvents(trouble: EventTrouble | undefined): void {
    this.#events = trouble;
  }

  /** For the sandbox: what goes wrong with a request. */
  faultOf(request: Parameters<Intercept>[0]): Fault | undefined {
    const step = stepOf(request);
    if (step) this.steps.emit(step);
    if (request.keyKind === 'publishable' || this.#random() >= this.#share) return undefined;
    const fault = this.#drawFault(request.method === 'POST');
    this.#count(
      'carryOut' in fault ? `${fault.kind}, ${fault.carryOut ? '' : 'not '}carried out` : fault.kind,
    );
    return fault;
  }

  /** For the sandbox: how often an event is sent, and when. */
  deliver(_event: SentEvent): Promise<number> | number {
    const trouble = this.#events;
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
    return { kind: 'late-answer', until: new Promise((resolve) => setTimeout(resolve, LATE_MS)) };
  }

  #count(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1);
  }
}

/** The step to which a request belongs; requests of her page belong to none. */
function stepOf({ method, path, parameters, keyKind }: Parameters<Intercept>[0]): MoneyStep | undefined {
  if (keyKind === 'publishable') return undefined;
  const given = Object(parameters);
  const metadata = Object(Reflect.get(given, 'metadata'));
  if (path === '/v1/payment_intents') {
    if (method === 'GET') return 'customer' in given ? 'list' : undefined;
    return metadata.kind === 'balance' ? 'create' : undefined;
  }
  if (path === '/v1/refunds') return method === 'GET' ? 'refunds' : 'refund';
  if (method !== 'POST') return undefined;
  if (/^\/v1\/payment_intents\/pi_\w+\/confirm$/.test(path)) return 'confirm';
  if (!/^\/v1\/payment_intents\/pi_\w+$/.test(path)) return undefined;
  if ('cancelled' in metadata) return 'cancelled';
  if ('tried' in metadata) return 'decline';
  return 'try' in metadata ? 'try' : undefined;
}
