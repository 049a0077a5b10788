import { onSale } from './editions.ts';
import { deedOnPage } from './her-page.ts';
import type { Deed } from './life.ts';
import { command } from './office.ts';
import type { Person } from './people.ts';
import { type Registrant, register } from './register.ts';
import type { Scene } from './scenes.ts';
import { type Quiet, watchQuiet } from './settle.ts';
import type { YearStage } from './stage.ts';
import type { Storm } from './storm.ts';

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

/** Where the clock stops, and what goes wrong. */
export interface Plan {
  steps: readonly number[];
  scenes: readonly Scene[];
}

/** The result of letting people live. */
export interface Lived {
  registrants: Registrant[];
  /** What could not be done, and the steps that did not come to rest. */
  problems: string[];
  /** The moments at which the clock stopped while the worker was running. */
  steps: number[];
}

/**
 * The clock stops at the moments of the edition, of the scenes and of some deeds, and at steps between.
 * @param calmStepMs the length of a step while little happens
 * @param busyStepMs the length of a step while much happens
 */
export function planYear(
  people: readonly Person[],
  scenes: readonly Scene[],
  calmStepMs: number,
  busyStepMs: number,
): Plan {
  const steps = new Set<number>();
  for (
    let at = moments.opens;
    at < moments.ends;
    at += at > BUSY_FROM && at < BUSY_UNTIL ? busyStepMs : calmStepMs
  )
    steps.add(at);
  for (const at of Object.values(moments)) steps.add(at);
  for (const { at } of scenes) steps.add(at);
  for (const { at, stops } of people.flatMap(({ deeds }) => deeds)) if (stops) steps.add(at);
  // Stands in for the regular walks, which go by the machine's time.
  for (const after of AFTER_CHARGE_MS) steps.add(moments.charge + after);
  for (const { from } of [retreat.testSession, ...retreat.wayIn]) steps.add(from);
  // The last registrants are in time.
  steps.add(moments.closes - HOUR_MS);
  for (const at of [moments.ends + 25 * HOUR_MS, RECORDINGS, RECORDINGS + DAY_MS, LAST]) steps.add(at);
  return { scenes, steps: [...steps].toSorted((one, other) => one - other) };
}

/**
 * Moves the clock through the year. At each step people register, deeds and bounces that are due happen, and
 * things fail.
 */
export async function live(
  people: readonly Person[],
  plan: Plan,
  stage: YearStage,
  storm: Storm,
  say: (sentence: string) => void,
): Promise<Lived> {
  const lived: Lived = { registrants: [], problems: [], steps: [] };
  const quiet = watchQuiet(stage);
  const beginMs = performance.now();
  const done = new Set<Deed>();
  stage.bounces.expect(people);
  let before = Number.NEGATIVE_INFINITY;
  try {
    for (const [place, at] of plan.steps.entries()) {
      stage.moveTo(at);
      const isNow = (moment: number) => moment > before && moment <= at;
      const scenes = plan.scenes.filter((one) => isNow(one.at));
      for (const { name } of scenes) say(`${stamp(beginMs)} ${day(at)} ${name}`);
      const deeds = lived.registrants.flatMap((registrant) =>
        registrant.person.deeds
          .filter((deed) => deed.at <= at && !done.has(deed))
          .map((deed) => ({ registrant, deed })),
      );
      for (const { deed } of deeds) done.add(deed);
      const weather = (async () => {
        for (const one of scenes) await one.play(storm);
      })();
      const bouncesReported = stage.bounces.tellUntil(at);
      const newcomers = people.filter(({ beganAt }) => isNow(beganAt));
      await inParallel(newcomers, lived, async (person) => {
        lived.registrants.push(await register(person, stage));
      });
      await inParallel(deeds, lived, async ({ registrant, deed }) => {
        if (isAboutAddress(deed)) await bouncesReported;
        await carryOut(deed, registrant, stage);
      });
      await bouncesReported;
      await weather;
      const isWalkNext = newcomers.length + deeds.length > 0 && at + WALK_MS < (plan.steps[place + 1] ?? 0);
      for (const moment of isWalkNext ? [at, at + WALK_MS] : [at]) {
        stage.moveTo(moment);
        lived.steps.push(moment);
        if (!(await restAt(moment, quiet, stage))) lived.problems.push(`${day(moment)} did not come to rest`);
      }
      before = at;
    }
  } finally {
    await quiet.close();
  }
  return lived;
}

/**
 * Waits until the product is at rest. The pauses between a mail's attempts go by the machine's time, while
 * hours of the year pass in a second: so waiting mails are sent at once, unless there is no mail server.
 */
async function restAt(at: number, quiet: Quiet, { sink, bounces }: YearStage): Promise<boolean> {
  for (let round = 1; round <= MAIL_ROUNDS; round += 1) {
    if (!(await quiet.until(at, QUIET_TIMEOUT_MS))) return false;
    const cameBack = await bounces.rest();
    if (sink.trouble === 'smtp-refused') return true;
    if ((await quiet.promoteMails()) === 0 && !cameBack) return true;
  }
  return quiet.until(at, QUIET_TIMEOUT_MS);
}

const stamp = (beginMs: number) => `${((performance.now() - beginMs) / 1000).toFixed(0).padStart(4)} s`;
const day = (at: number) => new Date(at).toISOString().slice(0, 16);

/** Whether a deed is about bounced letters: whoever does it already knows that they bounce. */
const isAboutAddress = (deed: Deed): boolean =>
  'corrects' in deed || (deed.does === 'office' && deed.mends === true);

/** Carries out a deed of a life. */
export async function carryOut(deed: Deed, registrant: Registrant, stage: YearStage): Promise<void> {
  switch (deed.does) {
    case 'office': {
      const say = () => command(deed.words(registrant.depositId), stage);
      return deed.mends ? stage.bounces.mend(registrant.person.email, say) : say();
    }
    case 'dispute':
      stage.sandbox.bank.openDispute(stage.ledger.chargeOf(registrant.depositId));
      return;
    case 'settle-refunds':
      return settleRefunds(registrant, stage);
    default:
      return deedOnPage(deed, registrant, stage);
  }
}

/** Lets her bank settle what was refunded to her card, as after some time. */
async function settleRefunds({ depositId }: Registrant, { stripe, sandbox }: YearStage): Promise<void> {
  const { customer } = await read(() => stripe.paymentIntents.retrieve(depositId));
  const payments = await read(() => stripe.paymentIntents.list({ customer: String(customer) }));
  for (const { id: payment_intent } of payments.data) {
    const refunds = await read(() => stripe.refunds.list({ payment_intent }));
    for (const { id } of refunds.data) sandbox.bank.settleRefund(id);
  }
}

/** Reads at Stripe, and retries, because Stripe fails now and then. */
async function read<Answer>(ask: () => Promise<Answer>, tries = MOST_TRIES): Promise<Answer> {
  return ask().catch((error: unknown) => {
    if (tries > 1) return read(ask, tries - 1);
    throw error;
  });
}

/** Works on a few items at a time; an item that fails becomes a problem, and stops no other. */
export async function inParallel<Item>(
  items: readonly Item[],
  { problems }: Lived,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const hand = async (): Promise<void> => {
    for (const item of left) await work(item).catch((error: unknown) => problems.push(explain(error)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, hand));
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
