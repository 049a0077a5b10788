import { setTimeout as pause } from 'node:timers/promises';
import { between, type Random } from './random.ts';
import type { Stage } from './stage.ts';
import { type Visit, type Visitor, visit, visitorOf } from './visitors.ts';

const PAYING_SHARE = 0.8;
const LONGEST_THOUGHT_MS = 1_500;

/** What came of some visitors. */
export interface Visits {
  visits: Visit[];
  /** Why the others have no registration. */
  problems: string[];
}

/** Draws visitors, of whom about four in five pay. */
export function drawVisitors(random: Random, count: number): Visitor[] {
  return Array.from({ length: count }, (_, number) =>
    visitorOf(number, {
      pays: random() < PAYING_SHARE,
      thinksMs: between(random, 0, LONGEST_THOUGHT_MS),
    }),
  );
}

/** Lets visitors come one after the other, however long each of them takes, and waits for all. */
export async function arrive(
  visitors: readonly Visitor[],
  everyMs: number,
  { siteUrl, stripe }: Pick<Stage, 'siteUrl' | 'stripe'>,
): Promise<Visits> {
  const outcomes = await Promise.allSettled(
    visitors.map(async (visitor, place) => {
      await pause(place * everyMs);
      return visit(visitor, siteUrl, stripe);
    }),
  );
  return {
    visits: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    problems: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : [])),
  };
}
