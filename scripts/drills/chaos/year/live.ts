import { setTimeout as pause } from 'node:timers/promises';
import { Bounces } from '#scripts/drills/stage/bounces.ts';
import { deedOnPage } from '#scripts/drills/stage/her-page.ts';
import { support } from '#scripts/drills/stage/office.ts';
import { type Quiet, watchQuiet } from '#scripts/drills/stage/quiet.ts';
import { type Registrant, register } from '#scripts/drills/stage/registering.ts';
import type { Stage } from '#scripts/drills/stage/stage.ts';
import type { Storm } from '#scripts/drills/stage/storm.ts';
import { onSale } from '#scripts/world/editions.ts';
import type { Person, PlannedDeed } from '#scripts/world/people.ts';
import type { Scene } from './scenes.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Where much happens, the clock goes in smaller steps. */
const { moments, retreat } = onSale;
const BUSY_FROM = moments.notice - DAY_MS;
const BUSY_UNTIL = moments.charge + 5 * DAY_MS;

const RECORDINGS = retreat.recordings ?? moments.ends;
/** Late enough that everybody gets the letter about the recordings, also if they are announced late. */
const LAST = RECORDINGS + 4 * DAY_MS;

const AFTER_CHARGE_MS = [15, 30, 45, 60, 120, 21 * 60].map((minutes) => minutes * MINUTE_MS);

/** A walk goes through what was done a quarter of an hour later. */
const WALK_MS = 15 * MINUTE_MS;

const AT_ONCE = 24;
const QUIET_TIMEOUT_MS = 240_000;
const MAIL_ROUNDS = 3;
const MOST_TRIES = 20;

/** Where the clock stops, and what happens besides. */
export interface Plan {
  steps: readonly number[];
  scenes: readonly Scene[];
}

/**
 * The clock stops at the moments of the edition, of the scenes and of some deeds, and at steps between: those of a small year
 * are longer.
 */
export function planYear(people: readonly Person[], scenes: readonly Scene[], isBrief: boolean): Plan {
  const stepMs = (at: number): number => (at > BUSY_FROM && at < BUSY_UNTIL ? DAY_MS / 2 : DAY_MS);
  const steps = new Set<number>();
  for (
    let at = moments.opens;
    at < moments.ends;
    at += isBrief ? stepMs(at) * (stepMs(at) < DAY_MS ? 2 : 3) : stepMs(at)
  )
    steps.add(at);
  const stops = people.flatMap(({ deeds }) => deeds.filter((deed) => deed.stops));
  const days = [retreat.testSession, ...retreat.wayIn].map(({ from }) => from);
  for (const at of [...Object.values(moments), ...days, ...[...scenes, ...stops].map((one) => one.at)])
    steps.add(at);
  // Stands in for the regular walks, which go by the machine's time.
  for (const after of AFTER_CHARGE_MS) steps.add(moments.charge + after);
  // The last registrants are in time.
  steps.add(moments.closes - HOUR_MS);
  for (const at of [moments.ends + 25 * HOUR_MS, RECORDINGS, RECORDINGS + DAY_MS, LAST]) steps.add(at);
  return { scenes, steps: [...steps].toSorted((one, other) => one - other) };
}

/** People who live on a stage, and what came of it. */
export class Lives {
  readonly registrants: Registrant[] = [];
  /** What could not be done, and the steps that did not come to rest. */
  readonly problems: string[] = [];
  /** The moments at which the clock stopped while the worker was running. */
  readonly steps: number[] = [];
  readonly bounces: Bounces;
  readonly #stage: Stage;
  readonly #quiet: Quiet;

  constructor(people: readonly Person[], stage: Stage) {
    this.#stage = stage;
    this.bounces = new Bounces(stage, people);
    this.#quiet = watchQuiet(stage);
  }

  /** Lets people register, several at a time. */
  begin(people: readonly Person[]): Promise<void> {
    return this.#each(
      people,
      async (person) => void this.registrants.push(await register(person, this.#stage)),
    );
  }

  /** Carries out deeds, several at a time; who knows that letters come back acts when this is known. */
  act(
    deeds: readonly { registrant: Registrant; deed: PlannedDeed }[],
    bouncesReported: Promise<void> = Promise.resolve(),
  ): Promise<void> {
    return this.#each(deeds, async ({ registrant, deed }) => {
      if (deed.mends || deed.corrects !== undefined) await bouncesReported;
      const done = { deed, from: this.#stage.sandbox.clock.now(), until: Number.POSITIVE_INFINITY };
      registrant.done.push(done);
      await this.#carryOut(deed, registrant);
      done.until = this.#stage.sandbox.clock.now();
    });
  }

  /**
   * Moves the clock, and waits until the product is at rest. The pauses between a mail's attempts go by the machine's time,
   * while hours of the year pass in a second: so waiting mails are sent at once, unless there is no mail server.
   */
  async rest(at: number): Promise<void> {
    this.#stage.moveTo(at);
    this.steps.push(at);
    const settles = async (): Promise<boolean> => {
      for (let round = 1; round <= MAIL_ROUNDS; round += 1) {
        if (!(await this.#quiet.until(at, QUIET_TIMEOUT_MS))) return false;
        const cameBack = await this.bounces.rest();
        if (this.#stage.mailServer.trouble === 'smtp-refused') return true;
        if ((await this.#quiet.promoteMails()) === 0 && !cameBack) return true;
      }
      return this.#quiet.until(at, QUIET_TIMEOUT_MS);
    };
    if (!(await settles())) this.problems.push(`${day(at)} did not come to rest`);
  }

  close(): Promise<void> {
    return this.#quiet.close();
  }

  async #carryOut(deed: PlannedDeed, registrant: Registrant): Promise<void> {
    const { sandbox, notes } = this.#stage;
    const { depositId, person } = registrant;
    switch (deed.does) {
      case 'office': {
        const [name = '', ...words] = deed.words;
        const say = () => support([name, depositId, ...words, '--by', 'Ada'], this.#stage);
        return deed.mends ? this.bounces.mend(person.email, say) : say();
      }
      case 'disputes-deposit':
        return void sandbox.bank.openDispute(notes.successOf(depositId)?.chargeId ?? '');
      case 'settles-refunds':
        return this.#settleRefunds(depositId);
      default:
        return deedOnPage(deed, registrant, this.#stage);
    }
  }

  /** Lets her bank settle what was refunded to her card, as after some time. */
  async #settleRefunds(depositId: string): Promise<void> {
    const { stripe, sandbox } = this.#stage;
    const { customer } = await read(() => stripe.paymentIntents.retrieve(depositId));
    const payments = await read(() => stripe.paymentIntents.list({ customer: String(customer) }));
    for (const { id: payment_intent } of payments.data) {
      const refunds = await read(() => stripe.refunds.list({ payment_intent }));
      for (const { id } of refunds.data) sandbox.bank.settleRefund(id);
    }
  }

  /** An item that fails becomes a problem, and stops no other. */
  async #each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const left = items.values();
    const hand = async (): Promise<void> => {
      for (const item of left) await work(item).catch((error: unknown) => this.problems.push(explain(error)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hand));
  }
}

/** Moves the clock through a plan. At each step people register, what is due happens, and things fail. */
export async function live(
  people: readonly Person[],
  plan: Plan,
  storm: Storm,
  say: (sentence: string) => void,
): Promise<Lives> {
  const { stage } = storm;
  const lives = new Lives(people, stage);
  const beginMs = performance.now();
  const done = new Set<PlannedDeed>();
  let before = Number.NEGATIVE_INFINITY;
  try {
    for (const [place, at] of plan.steps.entries()) {
      stage.moveTo(at);
      const isNow = (moment: number): boolean => moment > before && moment <= at;
      const scenes = plan.scenes.filter((one) => isNow(one.at));
      const seconds = ((performance.now() - beginMs) / 1000).toFixed(0).padStart(4);
      for (const { name } of scenes) say(`${seconds} s ${day(at)} ${name}`);
      const deeds = lives.registrants.flatMap((registrant) =>
        registrant.person.deeds
          .filter((deed) => deed.at <= at && !done.has(deed))
          .map((deed) => ({ registrant, deed })),
      );
      for (const { deed } of deeds) done.add(deed);
      const weather = (async () => {
        for (const one of scenes) await one.play(storm);
      })();
      const bouncesReported = lives.bounces.tellUntil(at);
      const newcomers = people.filter(({ beganAt }) => isNow(beganAt));
      await lives.begin(newcomers);
      await lives.act(deeds, bouncesReported);
      await bouncesReported;
      await weather;
      const isWalkNext = newcomers.length + deeds.length > 0 && at + WALK_MS < (plan.steps[place + 1] ?? 0);
      for (const moment of isWalkNext ? [at, at + WALK_MS] : [at]) await lives.rest(moment);
      before = at;
    }
  } finally {
    await lives.close();
  }
  return lives;
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 16);

/** Reads at Stripe, and retries, because Stripe fails now and then. */
async function read<Answer>(ask: () => Promise<Answer>, tries = MOST_TRIES): Promise<Answer> {
  return ask().catch(async (error: unknown) => {
    if (tries <= 1) throw error;
    await pause(10);
    return read(ask, tries - 1);
  });
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
