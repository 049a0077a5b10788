import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Verdict } from '#scripts/drills/oracle/count.ts';
import { judge } from '#scripts/drills/oracle/judge.ts';
import type { Person, PlannedDeed } from '#scripts/world/people.ts';
import { between, type Random } from '#scripts/world/random.ts';
import { watchQuiet } from '#server/testing/test-queue.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { Bounces } from './bounces.ts';
import { deedOnPage } from './her-page.ts';
import { announceRoom, signIn, support } from './office.ts';
import { type Registrant, register, type Send } from './registering.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';
import { FAULTS, type Happened, Storm } from './storm.ts';

/** What failed is tried again a quarter of an hour later. */
const RETRY_MS = 15 * 60 * 1000;
const LONGEST_THOUGHT_MS = 1_500;

const AT_ONCE = 24;
const QUIET_TIMEOUT_MS = 240_000;
const MAIL_ROUNDS = 3;
const MOST_TRIES = 20;

/** What happens when the clock reaches a moment; it is over when `play` resolves, unless a later scene ends it. */
export interface Scene {
  at: number;
  name: string;
  play(storm: Storm): Promise<void>;
}

/** Where the clock stops, and what happens besides. */
export interface Plan {
  steps: readonly number[];
  scenes: readonly Scene[];
}

/** People who live on a stage, and what came of it. */
export class Lives {
  readonly registrants: Registrant[] = [];
  readonly problems: string[] = [];
  /** The moments at which the clock stopped while the worker was running. */
  readonly steps: number[] = [];
  readonly bounces: Bounces;
  readonly quiet: ReturnType<typeof watchQuiet>;
  readonly #stage: Stage;

  constructor(people: readonly Person[], stage: Stage) {
    this.#stage = stage;
    this.bounces = new Bounces(stage, people);
    this.quiet = watchQuiet(stage);
  }

  /**
   * Lets people come at even intervals, however long answers take, until all have come or it is over. Each thinks before
   * she pays.
   */
  async arrive(
    people: readonly Person[],
    everyMs: number,
    { random, sends, over }: { random: Random; sends?: (place: number) => Send; over?: AbortSignal },
  ): Promise<void> {
    const coming: Promise<void>[] = [];
    for (const [place, person] of people.entries()) {
      if (over?.aborted) break;
      const how = { thinksMs: between(random, 0, LONGEST_THOUGHT_MS), ...(sends && { send: sends(place) }) };
      coming.push(this.#try(() => this.#register(person, how)));
      await pause(everyMs, undefined, over && { signal: over }).catch(() => {});
    }
    await Promise.all(coming);
  }

  begin(people: readonly Person[]): Promise<void> {
    return this.#each(people, (person) => this.#register(person));
  }

  /** Carries out deeds, several at a time; who knows that letters come back acts when this is known. */
  act(
    deeds: readonly { registrant: Registrant; deed: PlannedDeed }[],
    bouncesReported: Promise<void>,
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
   * while hours of the year pass in a second: so waiting mails are sent at once, unless there is no mail server. While the
   * worker is away, only the clock moves.
   */
  async rest(at: number): Promise<void> {
    this.#stage.moveTo(at);
    if (this.#stage.worker.pid === undefined) return;
    this.steps.push(at);
    const sendAgain = async (): Promise<boolean> => {
      const cameBack = await this.bounces.rest();
      if (this.#stage.mailServer.trouble === 'smtp-refused') return false;
      return (await this.quiet.promoteMails()) > 0 || cameBack;
    };
    if (!(await this.#settles(at, sendAgain))) this.problems.push(`${day(at)} did not come to rest`);
  }

  /** What people do after a bad day: restarts the worker, and lets support retry what failed for good. */
  async recover(): Promise<void> {
    await this.#stage.worker.stop();
    await this.#stage.worker.start();
    const sendAgain = async (): Promise<boolean> => {
      const failed = await this.quiet.failedMails();
      if (failed > 0) await support(['retry', '--all'], this.#stage);
      return (await this.quiet.promoteMails()) > 0 || failed > 0;
    };
    if (!(await this.#settles(this.#stage.sandbox.clock.now(), sendAgain)))
      this.problems.push('the mails did not come to rest');
  }

  /**
   * When all is done, Redis is lost: nothing may be sent again, for each letter is on record, unless it was sent in a time
   * that the register has forgotten. What is sent then is judged here, and not once more by the oracle.
   */
  async loseRedis(happened: readonly Happened[]): Promise<void> {
    const { mails } = this.#stage.notes;
    const before = new Set(mails.map(({ messageId }) => messageId));
    const forgotten = mails.filter(({ atMs }) =>
      happened.some(
        ({ kind, fromMs, untilMs }) => kind === 'register-restored' && fromMs <= atMs && atMs <= untilMs,
      ),
    );
    const mayComeAgain = new Set(forgotten.map(({ messageId }) => messageId));
    const count = mails.length;
    const since = this.#stage.sandbox.clock.now();
    await FAULTS['redis-wiped'].strike(this.#stage);
    if (!(await this.quiet.until(since, QUIET_TIMEOUT_MS)))
      this.problems.push('the site did not come to rest after Redis was lost');
    for (const { messageId } of mails.splice(count).filter((mail) => !mayComeAgain.has(mail.messageId)))
      this.problems.push(
        `${messageId} was ${before.has(messageId) ? 'not on record' : 'sent only after Redis was lost'}`,
      );
  }

  /** Has the worker list what moved at Stripe until now: the books are read from the register. */
  async fillBooks(): Promise<void> {
    await this.quiet.askForTransactions();
    if (!(await this.quiet.until(this.#stage.sandbox.clock.now(), QUIET_TIMEOUT_MS)))
      this.problems.push('the books did not come to rest');
  }

  async #register(person: Person, how?: Parameters<typeof register>[2]): Promise<void> {
    this.registrants.push(await register(person, this.#stage, how));
  }

  /** Whether the product comes to rest, also after what was set going again. */
  async #settles(since: number, sendAgain: () => Promise<boolean>): Promise<boolean> {
    for (let round = 1; round <= MAIL_ROUNDS; round += 1) {
      // What the product does not know yet is not due either.
      await this.#stage.sandbox.eventsAttempted();
      if (!(await this.quiet.until(since, QUIET_TIMEOUT_MS))) return false;
      if (!(await sendAgain())) return true;
    }
    return this.quiet.until(since, QUIET_TIMEOUT_MS);
  }

  async #carryOut(deed: PlannedDeed, registrant: Registrant): Promise<void> {
    const { sandbox, notes } = this.#stage;
    const { registration, person } = registrant;
    switch (deed.does) {
      case 'office': {
        const words = ['act', registration, ...deed.words, '--by', 'Ada'];
        const say = async () => void (await support(words, this.#stage));
        return deed.mends ? this.bounces.mend(person.email, say) : say();
      }
      case 'disputes-deposit':
        return void sandbox.bank.openDispute(notes.depositOf(registration)?.chargeId ?? '');
      case 'settles-refunds':
        return this.#settleRefunds(registration);
      case 'lacks-funds':
      case 'card-lost': {
        const code = deed.does === 'card-lost' ? 'lost_card' : 'insufficient_funds';
        return sandbox.bank.declineNextCharge(notes.firstOf(registration).customer, code);
      }
      default:
        return deedOnPage(deed, registrant, this.#stage);
    }
  }

  /** Lets her bank settle what was refunded to her card, as after some time. */
  async #settleRefunds(registration: string): Promise<void> {
    const { stripe, sandbox, notes } = this.#stage;
    const { customer } = notes.firstOf(registration);
    const payments = await read(() => stripe.paymentIntents.list({ customer }));
    for (const { id: payment_intent } of payments.data) {
      const refunds = await read(() => stripe.refunds.list({ payment_intent }));
      for (const { id } of refunds.data) sandbox.bank.settleRefund(id);
    }
  }

  /** An item that fails becomes a problem, and stops no other. */
  #each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const tried = (item: Item) => this.#try(() => work(item));
    return Readable.from(items).forEach(tried, { concurrency: AT_ONCE });
  }

  async #try(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => void this.problems.push(explain(error)));
  }
}

/** Lets people live on a stage, judges what came out, and closes the stage. */
export async function perform(
  stage: Stage,
  people: readonly Person[],
  verdict: Verdict,
  act: (lives: Lives, storm: Storm) => Promise<void>,
  isPunctual = false,
): Promise<void> {
  const storm = new Storm(stage);
  const lives = new Lives(people, stage);
  const { bounces, registrants, steps } = lives;
  try {
    await act(lives, storm);
    await lives.fillBooks();
    const office = await signIn(stage.opsUrl);
    const played = { registrants, faults: storm.happened, office, bounces, steps, isPunctual };
    await judge(stage, played, verdict);
    verdict.problems.push(...lives.problems, ...bounces.problems);
    verdict.logLines.push(...stage.lines);
    for (const [what, times] of stage.met) verdict.meet(what, times);
  } finally {
    await lives.quiet.close();
    await stage.close();
  }
}

/** Lets people live through a plan on a stage of their own. */
export async function play(
  at: StageOptions,
  people: readonly Person[],
  plan: Plan,
  verdict: Verdict,
  say: (sentence: string) => void,
  isPunctual = false,
): Promise<void> {
  const act: Parameters<typeof perform>[3] = (lives, storm) => liveThrough(plan, people, lives, storm, say);
  await perform(await openStage(at), people, verdict, act, isPunctual);
}

/** Moves the clock through a plan. At each step people register, what is due happens, and things fail. */
async function liveThrough(
  plan: Plan,
  people: readonly Person[],
  lives: Lives,
  storm: Storm,
  say: (sentence: string) => void,
): Promise<void> {
  const { stage } = storm;
  await announceRoom(facts.id, stage);
  const beginMs = performance.now();
  const done = new Set<PlannedDeed>();
  let before = Number.NEGATIVE_INFINITY;
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
    const isRetryNext = newcomers.length + deeds.length > 0 && at + RETRY_MS < (plan.steps[place + 1] ?? 0);
    for (const moment of isRetryNext ? [at, at + RETRY_MS] : [at]) await lives.rest(moment);
    before = at;
  }
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
