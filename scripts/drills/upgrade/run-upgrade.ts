import { setTimeout as pause } from 'node:timers/promises';
import { askForWalks } from '#scripts/drills/ask-for-walks.ts';
import { isSettled, judge } from '#scripts/drills/chaos/judge.ts';
import type { MailCount } from '#scripts/drills/chaos/judge-mails.ts';
import { createRandom } from '#scripts/drills/chaos/plan-faults.ts';
import { drawVisitors, type Visitor } from '#scripts/drills/chaos/visitors.ts';
import { arrive, type Visit } from '#scripts/drills/chaos/visits.ts';
import type { DrillRun } from '#scripts/drills/drill.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { type BalanceCount, judgeBalances } from './judge-balances.ts';
import { type Cast, openStage, type UpgradeStage } from './stage.ts';

/**
 * The steps, one after the other, over one Redis; during each step visitors register with the apps that run.
 */
const STEPS: readonly { name: string; cast: Cast }[] = [
  { name: 'before the upgrade', cast: ['old app', 'old worker'] },
  { name: 'workers of both', cast: ['old app', 'old worker', 'new worker'] },
  { name: 'old app, new worker', cast: ['old app', 'new worker'] },
  { name: 'apps of both', cast: ['old app', 'new app', 'new worker'] },
  { name: 'after the upgrade', cast: ['new app', 'new worker'] },
  { name: 'going back: apps of both', cast: ['new app', 'old app', 'new worker'] },
  { name: 'going back: workers of both', cast: ['old app', 'new worker', 'old worker'] },
  { name: 'back', cast: ['old app', 'old worker'] },
  { name: 'letters wait of the old app', cast: ['old app'] },
  { name: 'the wrong order: new app, old worker', cast: ['old worker', 'new app'] },
  { name: 'letters wait of the new app', cast: ['new app'] },
  { name: 'after the upgrade once more', cast: ['new app', 'new worker'] },
];
/** Then the balances fall due, while processes of both are there. */
const BALANCES: Cast = ['old app', 'new app', 'old worker', 'new worker'];

const EVERY_MS = 120;
/**
 * Another worker picks up the letter of a stopped worker within twenty seconds; the rest is for slow
 * machines.
 */
const QUIET_MS = 120_000;
const LOOK_MS = 250;
/** What a walk could not do is done by the next one, which comes a quarter of an hour later by itself. */
const WALK_EVERY_MS = 5_000;

interface UpgradeOptions extends DrillRun {
  /** In each step. */
  registrations: number;
}

/** What came of a run. */
export interface UpgradeResult {
  steps: readonly { name: string; visits: readonly Visit[]; failed: number }[];
  mails: MailCount;
  /** Copies of letters beyond the first. */
  doubled: number;
  balances: BalanceCount;
  seconds: number;
  logLines: readonly string[];
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/** Upgrades, goes back and upgrades again while visitors register; then charges their balances, and judges all of it. */
export async function runUpgrade({
  registrations,
  seed,
  folder,
  say,
}: UpgradeOptions): Promise<UpgradeResult> {
  const startMs = performance.now();
  say('Building both versions …');
  const stage = await openStage(folder);
  try {
    const visitors = drawVisitors(createRandom(seed), registrations * STEPS.length);
    const steps = [];
    const problems: string[] = [];
    for (const [place, { name, cast }] of STEPS.entries()) {
      say(`${name} …`);
      await stage.change(cast);
      const some = visitors.slice(place * registrations, (place + 1) * registrations);
      const came = await visitAll(some, stage);
      problems.push(...came.problems.map((problem) => `${name}: ${problem}`));
      steps.push({ name, visits: came.visits, failed: came.problems.length });
    }
    const visits = steps.flatMap((step) => step.visits);
    say('Waiting for the letters …');
    await settle(stage, () => isSettled(stage, visits));
    const judged = await judge(stage, visits, []);
    say('The balances fall due …');
    await stage.change(BALANCES);
    const paid = visits.filter((visit) => visit.paid);
    const asker = askForWalks(stage.redisUrl, WALK_EVERY_MS);
    try {
      for (const moment of [facts.balance.noticeAt, facts.balance.reminderAt, facts.balance.chargeAt]) {
        stage.sandbox.clock.moveTo(new Date(Date.parse(moment) + 1_000));
        await settle(stage, async () => (await judgeBalances(stage, paid, moment)).problems.length === 0);
      }
    } finally {
      await asker.end();
    }
    const balances = await judgeBalances(stage, paid, facts.balance.chargeAt);
    return {
      ...{ steps, mails: judged.mails, doubled: judged.mails.repeated, balances },
      seconds: (performance.now() - startMs) / 1000,
      logLines: stage.lines,
      problems: [...problems, ...judged.problems, ...balances.problems],
    };
  } finally {
    await stage.close();
  }
}

/** Visitors are spread over the apps in turn. */
async function visitAll(visitors: readonly Visitor[], stage: UpgradeStage) {
  const urls = stage.siteUrls();
  const aheadMs = stage.sandbox.clock.now() - Date.now();
  const came = await Promise.all(
    urls.map((siteUrl, place) => {
      const own = visitors.filter((_, number) => number % urls.length === place);
      return arrive(own, EVERY_MS * urls.length, { siteUrl, stripe: stage.stripe });
    }),
  );
  return {
    visits: came.flatMap(({ visits }) => visits.map((visit) => inBusinessTime(visit, aheadMs))),
    problems: came.flatMap(({ problems }) => problems),
  };
}

/**
 * The drill notes by the machine's clock when she agreed, the site by the sandbox's: this converts her times.
 */
function inBusinessTime({ consent, ...visit }: Visit, aheadMs: number): Visit {
  if (!consent) return visit;
  const { fromMs, untilMs } = consent;
  return { ...visit, consent: { ...consent, fromMs: fromMs + aheadMs, untilMs: untilMs + aheadMs } };
}

/**
 * Polls until all is well, or until no letter has come for `QUIET_MS`; the verdict reports what is wrong
 * then.
 */
async function settle({ sink }: UpgradeStage, isWell: () => Promise<boolean>): Promise<void> {
  let [letters, sinceMs] = [sink.mails.length, performance.now()];
  while (!(await isWell()) && performance.now() - sinceMs < QUIET_MS) {
    await pause(LOOK_MS);
    if (sink.mails.length > letters) [letters, sinceMs] = [sink.mails.length, performance.now()];
  }
}
