import fc from 'fast-check';
import type { DrillRun } from '#scripts/drills/drill.ts';
import type { Attack, AttackKind } from './attack.ts';
import { bodyAttacks } from './body-attacks.ts';
import { type Answer, beSlow, type Slowness, type SlowResult, sendAttack } from './clients.ts';
import { fieldAttacks } from './field-attacks.ts';
import { judgeAnswer, judgeTarget } from './judge.ts';
import { type KnownResult, tryKnownAttacks } from './known-attacks.ts';
import { requestLineAttacks } from './request-line-attacks.ts';
import { socketAttacks } from './socket-attacks.ts';
import { type Measurement, openTarget, type Target } from './target.ts';

/** All kinds of attacks. */
export const KINDS: readonly AttackKind[] = [
  ...requestLineAttacks,
  ...fieldAttacks,
  ...bodyAttacks,
  ...socketAttacks,
];

/** Attackers at the same time. */
const ATTACKERS = 32;
const SLOW_CLIENTS = 20;

/**
 * Requests of each kind before the first measurement, so that all code is compiled and all caches are filled.
 */
const WARM_UP = 20;

/** How large a run is. */
interface AbuseOptions extends DrillRun {
  requests: number;
  /** No attack begins later than this. */
  seconds: number;
  slow: readonly Slowness[];
}

/** How often each outcome came, by the kind of attack. */
export type Tally = Map<string, Map<Answer['outcome'], number>>;

/** What came of a run. */
export interface AbuseResult {
  tally: Tally;
  slow: readonly SlowResult[];
  known: readonly KnownResult[];
  before: Measurement;
  after: Measurement;
  seconds: number;
  /** What is wrong: nothing, when all is well. */
  problems: readonly string[];
}

/** One attack of a kind. */
export interface Shot {
  kind: AttackKind;
  attack: Attack;
}

/** Attacks instances of its own, and judges what came back and what it cost. */
export async function runAbuse(options: AbuseOptions): Promise<AbuseResult> {
  const { requests, seed, slow, folder, say } = options;
  const startMs = performance.now();
  say('Building and starting the app …');
  const target = await openTarget(folder);
  try {
    const tally: Tally = new Map();
    const deadlineMs = performance.now() + options.seconds * 1000;
    const fire = (shots: readonly Shot[]) => fireAll(shots, target, tally, deadlineMs);
    const fresh = await target.measure();
    const early = await fire(drawShots(WARM_UP, seed));
    const before = await target.measure(fresh);
    say(`${requests} requests of ${KINDS.length} kinds …`);
    const each = Math.ceil(requests / KINDS.length);
    const slowly = Promise.all(slow.map((slowness) => beSlow(target.siteUrl, slowness, SLOW_CLIENTS)));
    const late = await fire(drawShots(each, seed + 1));
    say('The known attacks, on an ordinary site …');
    const [slowResults, known] = await Promise.all([slowly, tryKnownAttacks(folder)]);
    say('Waiting until the app rests …');
    const after = await target.measure(before);
    const problems = [
      ...early,
      ...late,
      ...known.filter(({ held }) => !held).map(({ name, told }) => `${name}: ${told}`),
      ...(await judgeTarget({ target, slow: slowResults, before, after })),
    ];
    const seconds = (performance.now() - startMs) / 1000;
    return { tally, slow: slowResults, known, before, after, seconds, problems };
  } finally {
    await target.close();
  }
}

/** `each` attacks of every kind, in turn: one of each kind, then the next of each. */
export function drawShots(each: number, seed: number): Shot[] {
  const drawn = KINDS.map((kind) =>
    fc.sample(kind.attacks, { numRuns: each, seed }).map((attack) => ({ kind, attack })),
  );
  return Array.from({ length: each }, (_, place) => drawn.flatMap((shots) => shots[place] ?? [])).flat();
}

/** Fires with several attackers in parallel, and returns what was wrong. */
async function fireAll(
  shots: readonly Shot[],
  target: Target,
  tally: Tally,
  deadlineMs: number,
): Promise<string[]> {
  const problems: string[] = [];
  const queue = shots.values();
  const attackOn = async (): Promise<void> => {
    for (const { kind, attack } of queue) {
      if (performance.now() > deadlineMs) return;
      const answer = await sendAttack(kind.target === 'ops' ? target.opsUrl : target.siteUrl, attack);
      count(tally, kind.name, answer.outcome);
      const problem = judgeAnswer(kind, attack, answer);
      if (problem) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: ATTACKERS }, attackOn));
  return problems;
}

function count(tally: Tally, name: string, outcome: Answer['outcome']): void {
  const outcomes = tally.get(name) ?? new Map<Answer['outcome'], number>();
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  tally.set(name, outcomes);
}
